//! What is left in a general-admission zone.

use super::Outcome;
use super::loading::{self, Loader};
use crate::domain::{Refusal, ShowId, ZoneId};
use crate::ports::{CountZone, ZoneCount};

/// Counts a zone.
///
/// # Errors
/// When a store did not answer.
pub async fn stock_status(stores: &(impl CountZone + Loader), show: &ShowId, zone: &ZoneId) -> Outcome<ZoneCount> {
    let count = loading::known(stores, show, || stores.count_zone(show, zone)).await?;
    Ok(count.and_then(|count| count.ok_or(Refusal::ZoneNotFound)))
}
