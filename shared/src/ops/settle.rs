//! Bring a token to its end whose confirm, or restore, died on the way (design, section 5: "reconcile settles the token").

use super::confirm::{ConfirmPorts, undecided};
use super::deciding::{self, Booked};
use super::{loading, restore};
use crate::Failure;
use crate::domain::{Booking, BookingId, Decision, HoldToken, Places, RefusedBecause, ShowId};
use crate::ports::{Claim, Ending, Freed, HoldRecord, OwnTokens, Pin, Pinned};

/// Settles a token: what is on record is told to Redis; else, if there was a payment, the transaction is run again, and if
/// there was none, nothing is at stake, and the token is refused.
///
/// # Errors
/// When a store did not answer: the next run settles it.
pub async fn settle(stores: &impl ConfirmPorts, show: &ShowId, token: HoldToken) -> Result<(), Failure> {
    // A show that is not on record has no tokens.
    let Ok(hold) = loading::known(stores, show, || stores.find_hold(show, token)).await? else { return Ok(()) };
    let id = hold.as_ref().and_then(|hold| hold.restores).unwrap_or_else(|| BookingId::of(show, token));
    let held = hold.as_ref().map(|hold| &hold.places);
    match (stores.read_booking(id).await?, &hold) {
        (Some(booking), Some(_)) if is_to_be_restored(stores, &booking, token) => {
            restore::finish(stores, booking).await?.ok();
        }
        (Some(booking), _) => deciding::tell(stores, token, &booking, held).await,
        (None, Some(hold)) => decide(stores, show, token, hold).await?,
        // Redis has lost the hold, and with it whatever it was about: only the list still has the token.
        (None, None) => {
            let nothing = Places::Seats(Vec::new());
            let freed = Freed { booking: id, version: 0, places: &nothing, ending: Ending::Lost };
            deciding::untold(loading::known(stores, show, || stores.free_places(show, token, freed.clone())).await);
        }
    }
    Ok(())
}

/// Whether `token` is that of a restore which has not been decided.
fn is_to_be_restored(stores: &impl OwnTokens, booking: &Booking, token: HoldToken) -> bool {
    matches!(booking.decision, Decision::Cancelled(_)) && stores.own_token(booking.id, booking.version) == token
}

/// Decides a token that has no booking.
async fn decide(stores: &impl ConfirmPorts, show: &ShowId, token: HoldToken, hold: &HoldRecord) -> Result<(), Failure> {
    let (places, nobody) = (&hold.places, Claim::default());
    let pinned = loading::known(stores, show, || stores.pin_hold(show, token, places, &nobody, None)).await?;
    let (claim, at_ms) = match pinned {
        Ok(Pin::Pinned(Pinned { confirmed_at_ms, claim, places, first })) if claim.payment.is_some() => {
            let booking = undecided(show, token, claim, Some(places), confirmed_at_ms, true);
            let booked = deciding::book(stores, token, Booking { first, ..booking }, None).await?;
            if let Booked::Taken(booking, taken) = booked {
                deciding::refuse_taken(stores, token, booking, &taken).await?;
            }
            return Ok(());
        }
        Ok(Pin::Pinned(Pinned { confirmed_at_ms, claim, .. })) => (claim, confirmed_at_ms),
        Ok(Pin::Lost { pinned: Some(claim), .. }) => (claim, jiff::Timestamp::now().as_millisecond()),
        // Decided meanwhile, or let go of.
        Ok(Pin::Decided | Pin::Lost { pinned: None, .. }) | Err(_) => return Ok(()),
    };
    let lost = Decision::Refused(RefusedBecause::HoldLost);
    let booking = undecided(show, token, claim, Some(places.clone()), at_ms, true);
    deciding::refuse(stores, token, Booking { decision: lost, ..booking }, Some(places)).await?;
    Ok(())
}
