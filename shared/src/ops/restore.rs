//! Give a cancelled booking its places again: a hold of them under a token derived from the booking and its version, then
//! confirm's own second half, which withdraws the refund (design, section 5).

use super::Outcome;
use super::cancel::{check_version, token_of};
use super::deciding::{self, Booked};
use super::loading;
use crate::domain::payment::Payments;
use crate::domain::{
    Booking, BookingId, Cancellation, Claim, Decision, Ending, Freed, HoldToken, NotRestorable, Pin, Places, Refusal,
};
use crate::{Failure, Stores};

/// Restores a booking, if its version is the one that the caller `expected`. A second restore answers what the first one did.
///
/// # Errors
/// When a store did not answer; a repeat finds out what happened.
pub async fn restore(stores: &Stores, id: BookingId, expected: Option<u64>) -> Outcome<Booking> {
    let Some(booking) = stores.record.read_booking(id).await? else { return Ok(Err(Refusal::BookingNotFound)) };
    // What came after it, such as a payment, is no restore.
    let is_restored = booking.decision == Decision::Confirmed && booking.sold_version == booking.version;
    if let Err(conflict) = check_version(&booking, expected, is_restored) {
        return Ok(Err(conflict));
    }
    match booking.decision {
        Decision::Refused(_) => Ok(Err(not_restorable(&booking, NotRestorable::Refused))),
        Decision::Cancelled(Cancellation { refunded: true, .. }) => {
            Ok(Err(not_restorable(&booking, NotRestorable::Refunded)))
        }
        Decision::Cancelled(_) => finish(stores, booking).await,
        Decision::Confirmed => {
            let token = HoldToken::of_restore(id, booking.sold_version - 1);
            deciding::tell(stores, token, &booking, None, &Payments::NONE).await;
            Ok(Ok(booking))
        }
    }
}

fn not_restorable(booking: &Booking, because: NotRestorable) -> Refusal {
    Refusal::NotRestorable { booking: booking.id, because }
}

/// Goes through with the restore of a cancelled booking, from wherever it was left.
pub(super) async fn finish(stores: &Stores, cancelled: Booking) -> Outcome<Booking> {
    let (show, id) = (&cancelled.show, cancelled.id);
    let Some(places) = &cancelled.places else { return Err(Failure::internal("a cancelled booking has no places")) };
    let (token, recorded) = (HoldToken::of_restore(id, cancelled.version), &Payments::NONE);
    // The cancel may not have come to it, and Redis would have the places as sold to this very booking.
    let freed = Freed { booking: id, version: cancelled.version, places, ending: Ending::Lost, recorded };
    let of_cancel = token_of(&cancelled);
    if let Err(refusal) =
        loading::known(stores, show, || stores.redis.free_places(show, of_cancel, freed.clone())).await?
    {
        return Ok(Err(refusal));
    }

    // Its payment is on record.
    let claim = Claim { payments: Payments::NONE, order: cancelled.order.clone(), buyer: cancelled.buyer.clone() };
    let pinned = loading::known(stores, show, || stores.redis.pin_hold(show, token, places, &claim, Some(id))).await?;
    let pinned = match pinned {
        Ok(Pin::Pinned(pinned)) => pinned,
        Ok(Pin::Lost { gone, .. }) => {
            return give_up(stores, &cancelled, token, places, NotRestorable::Gone(gone)).await;
        }
        Ok(Pin::Decided) => return read_restored(stores, &cancelled).await,
        Ok(Pin::OtherPlaces) => return Err(Failure::unavailable("a hold changed while its booking was restored")),
        Err(refusal) => return Ok(Err(refusal)),
    };
    let restored = Booking {
        places: Some(pinned.places),
        first: cancelled.first.clone().or(pinned.first),
        ..cancelled.restored()
    };
    match deciding::book(stores, token, restored.clone(), Payments::NONE, Some(id)).await? {
        Booked::Now(booking) => Ok(Ok(booking)),
        Booked::Before(booking) if booking.decision == Decision::Confirmed => Ok(Ok(booking)),
        // Restored and cancelled again meanwhile.
        Booked::Before(_) => Err(Failure::unavailable("a booking changed while it was restored")),
        Booked::Taken(tried, _, taken) => {
            deciding::repair(stores, token, &tried, &taken, Ending::Lost, recorded).await;
            let gone = taken.into_iter().map(|sold| sold.place).collect();
            let held = tried.places.as_ref().unwrap_or(places);
            give_up(stores, &cancelled, token, held, NotRestorable::Gone(gone)).await
        }
        Booked::Refunded => {
            let held = restored.places.as_ref().unwrap_or(places);
            give_up(stores, &cancelled, token, held, NotRestorable::Refunded).await
        }
    }
}

/// Lets go of what a restore held, before it is refused: what stays pinned would be restored by the next reconcile.
async fn give_up(
    stores: &Stores,
    cancelled: &Booking,
    token: HoldToken,
    held: &Places,
    because: NotRestorable,
) -> Outcome<Booking> {
    let (show, recorded) = (&cancelled.show, &Payments::NONE);
    let freed =
        Freed { booking: cancelled.id, version: cancelled.version, places: held, ending: Ending::Lost, recorded };
    loading::known(stores, show, || stores.redis.free_places(show, token, freed.clone())).await?.ok();
    Ok(Err(not_restorable(cancelled, because)))
}

/// What is on record when Redis says that this restore was done before.
async fn read_restored(stores: &Stores, cancelled: &Booking) -> Outcome<Booking> {
    match stores.record.read_booking(cancelled.id).await? {
        Some(booking) if booking.decision == Decision::Confirmed => Ok(Ok(booking)),
        _ => Err(Failure::unavailable("a booking changed while it was restored")),
    }
}
