//! Bring a token to its end whose confirm, or restore, died on the way (design, section 5: "reconcile settles the token").

use super::confirm::undecided;
use super::deciding::{self, Booked};
use super::payments::record_payments;
use super::{loading, restore};
use crate::domain::{Booking, BookingId, Claim, Decision, HoldRecord, HoldToken, Pin, Pinned, RefusedBecause, ShowId};
use crate::{Failure, Stores};

/// Settles a token: each payment that came for it is put on record, and what is on record is told to Redis. A token that has
/// no booking is decided first: if there was a payment the transaction is run again, and if there was none nothing is at stake
/// and the token is refused.
///
/// # Errors
/// When a store did not answer: the next run settles it. [`Failure::Internal`] when the record of the hold is gone, and with it
/// what is known of a payment: a person has to look.
pub async fn settle(stores: &Stores, show: &ShowId, token: HoldToken) -> Result<(), Failure> {
    // A show that is not on record has no tokens.
    let Ok(hold) = loading::known(stores, show, || stores.redis.find_hold(show, token)).await? else { return Ok(()) };
    let id = hold.as_ref().and_then(|hold| hold.restores).unwrap_or_else(|| BookingId::of(show, token));
    match (stores.record.read_booking(id).await?, hold) {
        (Some(booking), Some(_)) if is_to_be_restored(&booking, token) => {
            restore::finish(stores, booking).await?.ok();
            Ok(())
        }
        (Some(booking), hold) => {
            let payments = hold.as_ref().map(|hold| hold.payments.clone()).unwrap_or_default();
            let booking = record_payments(stores, booking, payments.iter()).await?;
            deciding::tell(stores, token, &booking, hold.as_ref().map(|hold| &hold.places), &payments).await;
            Ok(())
        }
        (None, Some(hold)) => decide(stores, show, token, &hold).await,
        (None, None) => Err(Failure::internal("a token is being confirmed, and the record of its hold is gone")),
    }
}

/// Whether `token` is that of a restore which has not been decided.
fn is_to_be_restored(booking: &Booking, token: HoldToken) -> bool {
    matches!(booking.decision, Decision::Cancelled(_)) && HoldToken::of_restore(booking.id, booking.version) == token
}

/// Decides a token that has no booking.
async fn decide(stores: &Stores, show: &ShowId, token: HoldToken, hold: &HoldRecord) -> Result<(), Failure> {
    let (places, claim) = (&hold.places, Claim::default());
    let pinned = loading::known(stores, show, || stores.redis.pin_hold(show, token, places, &claim, None)).await?;
    let (claim, at_ms) = match pinned {
        Ok(Pin::Pinned(Pinned { confirmed_at_ms, claim, places, first })) if claim.payments.first().is_some() => {
            let payments = claim.payments.clone();
            let booking = Booking { first, ..undecided(show, token, claim, Some(places), confirmed_at_ms, true) };
            if let Booked::Taken(booking, payments, taken) =
                deciding::book(stores, token, booking, payments, None).await?
            {
                deciding::refuse_taken(stores, token, booking, &payments, &taken).await?;
            }
            return Ok(());
        }
        Ok(Pin::Pinned(Pinned { confirmed_at_ms, claim, .. })) => (claim, confirmed_at_ms),
        Ok(Pin::Lost { pinned: Some(claim), .. }) => (claim, jiff::Timestamp::now().as_millisecond()),
        Ok(Pin::OtherPlaces) => return Err(Failure::unavailable("a hold changed while it was settled")),
        // Decided meanwhile, or ended.
        Ok(Pin::Decided | Pin::Lost { pinned: None, .. }) | Err(_) => return Ok(()),
    };
    let payments = claim.payments.clone();
    let booking = undecided(show, token, claim, Some(places.clone()), at_ms, true);
    let refused = Booking { decision: Decision::Refused(RefusedBecause::HoldLost), ..booking };
    deciding::refuse(stores, token, refused, &payments, Some(places)).await?;
    Ok(())
}
