//! Reading the body of a request, up to a limit.

use axum::body::Body;
use http_body_util::BodyExt;

/// The whole body, or `None` if it is longer than `limit` bytes. Then the rest is read all the same, and thrown away:
/// a caller that is still sending would never see its answer.
pub async fn read(mut body: Body, limit: usize) -> Option<Vec<u8>> {
    let mut kept = Some(Vec::new());
    while let Some(frame) = body.frame().await {
        // A caller that goes away in the middle of its body sees no answer anyway.
        let data = frame.ok()?.into_data().unwrap_or_default();
        kept = kept.filter(|kept| kept.len() + data.len() <= limit);
        if let Some(kept) = &mut kept {
            kept.extend_from_slice(&data);
        }
    }
    kept
}
