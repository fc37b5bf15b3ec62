//! Give the owner of a hold more time.

use super::Outcome;
use super::hold_status::{HoldStatus, hold_status};
use super::loading;
use crate::Stores;
use crate::domain::{Decision, HoldToken, Lease, Places, Refusal, ShowId};

/// From now on at least `ttl_ms`, never shorter than what is left. A repeat is harmless.
///
/// # Errors
/// When a store did not answer.
pub async fn extend(stores: &Stores, show: &ShowId, token: HoldToken, ttl_ms: u64) -> Outcome<(Places, Lease)> {
    let places = match places_of(stores, show, token).await? {
        Ok(places) => places,
        Err(lost @ Refusal::HoldLost { .. }) => {
            // A TTL that the show does not allow is wrong whatever the token holds (400 comes before 409).
            let nothing = Places::Seats(Vec::new());
            let judged =
                loading::known(stores, show, || stores.redis.extend_hold(show, token, &nothing, ttl_ms)).await?;
            return Ok(Err(match judged.flatten() {
                Err(too_long @ Refusal::TtlTooLong { .. }) => too_long,
                _ => lost,
            }));
        }
        Err(refusal) => return Ok(Err(refusal)),
    };
    let lease = loading::known(stores, show, || stores.redis.extend_hold(show, token, &places, ttl_ms)).await?;
    Ok(lease.flatten().map(|lease| (places, lease)))
}

/// The places of a token that its owner wants to change. A token that was never issued, or that Redis has lost, holds
/// nothing; if it was confirmed, its booking is named.
pub(super) async fn places_of(stores: &Stores, show: &ShowId, token: HoldToken) -> Outcome<Places> {
    Ok(match hold_status(stores, show, token).await? {
        Ok(HoldStatus::Hold(hold)) => Ok(hold.places),
        Ok(HoldStatus::Decided(booking)) => {
            let refused = matches!(booking.decision, Decision::Refused(_));
            let booking = (!refused).then_some(booking.id);
            Err(Refusal::HoldLost { booking })
        }
        Err(Refusal::HoldNotFound) => Err(Refusal::HoldLost { booking: None }),
        Err(refusal) => Err(refusal),
    })
}
