//! Waits for a state by asking for it: a test never sleeps for as long as something "should" take.

use std::time::Duration;

use tokio::time::Instant;

const WITHIN: Duration = Duration::from_secs(30);
const BETWEEN: Duration = Duration::from_millis(20);

/// Asks until there is an answer.
///
/// # Panics
/// When there was none within thirty seconds.
pub async fn until<T, F: Future<Output = Option<T>>>(what: &str, ask: impl Fn() -> F) -> T {
    let deadline = Instant::now() + WITHIN;
    loop {
        if let Some(answer) = ask().await {
            return answer;
        }
        assert!(Instant::now() < deadline, "not within {WITHIN:?}: {what}");
        tokio::time::sleep(BETWEEN).await;
    }
}
