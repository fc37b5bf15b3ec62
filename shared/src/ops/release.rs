//! Give a hold back before it lapses.

use super::Outcome;
use super::extend::places_of;
use super::loading;
use crate::Stores;
use crate::domain::{HoldToken, ShowId};

/// Gives all places of a live hold back. A second release is as good as the first.
///
/// # Errors
/// When a store did not answer.
pub async fn release(stores: &Stores, show: &ShowId, token: HoldToken) -> Outcome<()> {
    let places = match places_of(stores, show, token).await? {
        Ok(places) => places,
        Err(refusal) => return Ok(Err(refusal)),
    };
    Ok(loading::known(stores, show, || stores.redis.release_hold(show, token, &places)).await?.flatten())
}
