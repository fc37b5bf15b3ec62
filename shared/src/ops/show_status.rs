//! A show as it is on record.

use super::Outcome;
use crate::domain::{Refusal, Show, ShowId};
use crate::ports::ReadShow;

/// Reads a show.
///
/// # Errors
/// When DynamoDB did not answer.
pub async fn show_status(stores: &impl ReadShow, show: &ShowId) -> Outcome<Show> {
    Ok(stores.read_show(show).await?.ok_or(Refusal::ShowNotFound))
}
