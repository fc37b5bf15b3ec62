//! What is left in a general-admission zone.

use super::Outcome;
use super::loading;
use crate::Stores;
use crate::domain::{Refusal, ShowId, ZoneCount, ZoneId};

/// Counts a zone.
///
/// # Errors
/// When a store did not answer.
pub async fn stock_status(stores: &Stores, show: &ShowId, zone: &ZoneId) -> Outcome<ZoneCount> {
    let count = loading::known(stores, show, || stores.redis.count_zone(show, zone)).await?;
    Ok(count.and_then(|count| count.ok_or(Refusal::ZoneNotFound)))
}
