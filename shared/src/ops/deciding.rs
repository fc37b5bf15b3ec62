//! What confirm, restore and a reconcile do with places that are pinned: one transaction, and telling Redis what came of
//! it (design, section 5). The booking item is the decision: whatever was written first is the answer.

use super::Outcome;
use super::loading;
use super::payments::record_payments;
use crate::domain::payment::Payments;
use crate::domain::{
    Booking, BookingId, Claim, Decision, Ending, Freed, HoldToken, Pin, Pinned, Places, RefusedBecause, Sold,
    SoldPlace, Verdict,
};
use crate::{Failure, Stores, telemetry};

/// What came of a transaction.
#[derive(Debug)]
pub(super) enum Booked {
    /// It was written now.
    Now(Booking),
    /// The token was decided before: this is what is on record.
    Before(Booking),
    /// The guard refused: these places are sold to others. The booking is the one that was tried, the payments are all that
    /// came for the token.
    Taken(Booking, Payments, Vec<SoldPlace>),
    /// The money of the booking that was to be restored went back already.
    Refunded,
}

/// The second half, with the places of `booking` pinned for `token`, and the `payments` that its confirms have brought. Units
/// are interchangeable: in place of one that the guard finds gone another is pinned and tried, for as long as there are any
/// and there is time.
pub(super) async fn book(
    stores: &Stores,
    token: HoldToken,
    mut booking: Booking,
    mut payments: Payments,
    restores: Option<BookingId>,
) -> Result<Booked, Failure> {
    loop {
        match stores.record.decide_booking(&booking).await? {
            Verdict::Written => {
                let booking = record_payments(stores, booking, payments.iter()).await?;
                tell(stores, token, &booking, None, &payments).await;
                return Ok(Booked::Now(booking));
            }
            Verdict::Decided(found) => {
                let found = record_payments(stores, *found, payments.iter()).await?;
                tell(stores, token, &found, booking.places.as_ref(), &payments).await;
                return Ok(Booked::Before(found));
            }
            Verdict::RefundSettled => return Ok(Booked::Refunded),
            Verdict::Taken(taken) => match other_units(stores, token, &booking, &taken, restores).await? {
                Some(pinned) => {
                    booking.first = booking.first.or(pinned.first);
                    booking.places = Some(pinned.places);
                    payments = pinned.claim.payments;
                }
                None => return Ok(Booked::Taken(booking, payments, taken)),
            },
        }
    }
}

/// Lets other units of the zone take the place of those that are sold; `None`: these are seats, or there are no others.
async fn other_units(
    stores: &Stores,
    token: HoldToken,
    booking: &Booking,
    taken: &[SoldPlace],
    restores: Option<BookingId>,
) -> Result<Option<Pinned>, Failure> {
    let Some(places) = booking.places.as_ref().filter(|places| places.zone().is_some()) else { return Ok(None) };
    repair(stores, token, booking, taken, Ending::GoesOn, &Payments::NONE).await;
    // Redis has what the confirm claimed.
    let (show, claim) = (&booking.show, Claim::default());
    let pinned = loading::known(stores, show, || stores.redis.pin_hold(show, token, places, &claim, restores)).await?;
    match pinned {
        // The same units again: Redis did not hear of the sale, and would give them again and again.
        Ok(Pin::Pinned(pinned)) if pinned.places.same_as(places) => {
            Err(Failure::unavailable("Redis was not told what the record has as sold"))
        }
        Ok(Pin::Pinned(pinned)) => Ok(Some(pinned)),
        Ok(Pin::Decided | Pin::OtherPlaces | Pin::Lost { .. }) | Err(_) => Ok(None),
    }
}

/// Writes the refusal of a token whose places the guard refused, and lets go of what it holds. `booking` is the one that
/// was tried. Answers what is on record then, and whether it was there before.
pub(super) async fn refuse_taken(
    stores: &Stores,
    token: HoldToken,
    booking: Booking,
    payments: &Payments,
    taken: &[SoldPlace],
) -> Result<(Booking, bool), Failure> {
    let because = RefusedBecause::AlreadySold(taken.iter().map(|sold| sold.place.clone()).collect());
    let held = booking.places.clone();
    let refused = Booking { decision: Decision::Refused(because), ..booking };
    let (booking, before) = write_refusal(stores, refused, payments).await?;
    if before {
        tell(stores, token, &booking, held.as_ref(), payments).await;
    } else {
        repair(stores, token, &booking, taken, Ending::Refused(booking.id), payments).await;
    }
    Ok((booking, before))
}

/// Writes a refusal, unless the token was decided before. `held` are the places that its hold has, or had; `payments` all that
/// came for the token. Answers what is on record then, and whether it was there before.
pub(super) async fn refuse(
    stores: &Stores,
    token: HoldToken,
    refused: Booking,
    payments: &Payments,
    held: Option<&Places>,
) -> Result<(Booking, bool), Failure> {
    let (booking, before) = write_refusal(stores, refused, payments).await?;
    if let Some(held) = held {
        tell(stores, token, &booking, Some(held), payments).await;
    }
    Ok((booking, before))
}

async fn write_refusal(stores: &Stores, refused: Booking, payments: &Payments) -> Result<(Booking, bool), Failure> {
    let (booking, before) = match stores.record.decide_booking(&refused).await? {
        Verdict::Written => (refused, false),
        Verdict::Decided(found) => (*found, true),
        Verdict::Taken(_) | Verdict::RefundSettled => return Err(Failure::internal("a refusal was refused")),
    };
    Ok((record_payments(stores, booking, payments.iter()).await?, before))
}

/// Tells Redis what the record says of the token, which holds, or held, `held`. `recorded` are the payments of the token that
/// are on record. The decision stands whether or not Redis hears of it: what is missed here, the next touch or reconcile
/// repairs.
pub(super) async fn tell(
    stores: &Stores,
    token: HoldToken,
    booking: &Booking,
    held: Option<&Places>,
    recorded: &Payments,
) {
    let (show, id) = (&booking.show, booking.id);
    let nothing = Places::Seats(Vec::new());
    let own = booking.places.as_ref();
    match booking.decision {
        Decision::Confirmed => {
            let Some(own) = own.or(held) else { return };
            // What else the token holds goes back.
            let places = held.map_or_else(|| own.clone(), |held| own.and(held));
            let (count, ending) = (own.len(), Ending::Confirmed(id));
            let sold = Sold { buyer: id, version: booking.sold_version, places: &places, count, ending, recorded };
            untold(loading::known(stores, show, || stores.redis.mark_sold(show, token, sold.clone())).await);
        }
        Decision::Refused(_) | Decision::Cancelled(_) => {
            // A token that was confirmed stays confirmed when its booking is cancelled.
            let is_refused = matches!(booking.decision, Decision::Refused(_));
            let ending = if is_refused { Ending::Refused(id) } else { Ending::Confirmed(id) };
            // Without places there is still the list of tokens that are being confirmed.
            let places = held.or(own).unwrap_or(&nothing);
            let freed = Freed { booking: id, version: booking.version, places, ending, recorded };
            untold(loading::known(stores, show, || stores.redis.free_places(show, token, freed.clone())).await);
        }
    }
}

/// Read repair: the guard found places sold that Redis let this token hold. They are marked for who has them, and the
/// hold ends, or goes on without them.
pub(super) async fn repair(
    stores: &Stores,
    token: HoldToken,
    booking: &Booking,
    taken: &[SoldPlace],
    ending: Ending,
    recorded: &Payments,
) {
    let Some(mut rest) = booking.places.clone() else { return };
    let show = &booking.show;
    while let Some((buyer, version)) = next_buyer(&rest, taken) {
        // The places of one buyer come first, then the rest of the hold.
        let theirs =
            |id: &str| taken.iter().any(|sold| sold.place == id && BookingId::parse(&sold.booking) == Ok(buyer));
        let (ordered, count) = rest.with_first(theirs);
        let sold = Sold { buyer, version, places: &ordered, count, ending, recorded };
        untold(loading::known(stores, show, || stores.redis.mark_sold(show, token, sold.clone())).await);
        rest = ordered.without_first(count);
    }
}

/// A buyer of one of `places`, and the version of their booking.
fn next_buyer(places: &Places, taken: &[SoldPlace]) -> Option<(BookingId, u64)> {
    let ids = places.ids();
    let sold = taken.iter().find(|sold| ids.contains(&sold.place))?;
    Some((BookingId::parse(&sold.booking).ok()?, sold.version))
}

/// Logs that Redis did not hear of a decision. Not told is not lost.
pub(super) fn untold<T>(told: Outcome<T>) {
    if let Err(failure) = told {
        telemetry::warn("Redis was not told of a decision", &failure);
    }
}
