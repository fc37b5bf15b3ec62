//! A show as it is on record.

use super::Outcome;
use crate::Stores;
use crate::domain::{Refusal, Show, ShowId};

/// Reads a show.
///
/// # Errors
/// When DynamoDB did not answer.
pub async fn show_status(stores: &Stores, show: &ShowId) -> Outcome<Show> {
    Ok(stores.record.read_show(show).await?.ok_or(Refusal::ShowNotFound))
}
