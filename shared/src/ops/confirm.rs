//! Turn a hold into a booking: pin, one transaction, mark (design, section 5). The booking item is the decision of the
//! token: whatever was written first is the answer, to this call and to every later one.

use super::Outcome;
use super::loading::{self, Loader};
use crate::domain::{
    Booking, BookingId, Buyer, Decision, HoldToken, OrderId, Payment, Places, Refund, Refusal, RefusedBecause, ShowId,
};
use crate::ports::{
    Claim, DecideBooking, FindHold, FreePlaces, HoldState, MarkSold, Pin, PinHold, ReadBooking, RecordRefund, Sold,
    SoldPlace, Verdict,
};
use crate::{Failure, telemetry};

/// The ports of a confirm.
pub trait ConfirmPorts:
    FindHold + PinHold + MarkSold + FreePlaces + ReadBooking + DecideBooking + RecordRefund + Loader
{
}
impl<T> ConfirmPorts for T where
    T: FindHold + PinHold + MarkSold + FreePlaces + ReadBooking + DecideBooking + RecordRefund + Loader
{
}

/// What a buyer wants.
pub struct ConfirmWish {
    /// The show.
    pub show: ShowId,
    /// The hold.
    pub token: HoldToken,
    /// What the buyer paid.
    pub payment: Option<Payment>,
    /// The caller's order.
    pub order: Option<OrderId>,
    /// What the caller believes that the hold has.
    pub places: Option<Places>,
    /// Who asks.
    pub buyer: Buyer,
}

impl ConfirmWish {
    /// What this call itself claims; an earlier pin may have claimed otherwise.
    fn claim(&self) -> Claim {
        Claim { payment: self.payment.clone(), order: self.order.clone(), buyer: self.buyer.clone() }
    }
}

/// A booking, as it was answered.
#[derive(Debug)]
pub struct Confirmed {
    /// The booking.
    pub booking: Booking,
    /// Whether it was there before.
    pub repeated: bool,
}

/// Confirms a hold.
///
/// # Errors
/// When a store did not answer, or another confirm of the token is undecided: what happened is not known then, and a
/// repeat finds it out.
pub async fn confirm(stores: &impl ConfirmPorts, wish: &ConfirmWish) -> Outcome<Confirmed> {
    let (show, token) = (&wish.show, wish.token);
    let hold = match loading::known(stores, show, || stores.find_hold(show, token)).await? {
        Ok(hold) => hold,
        Err(_) => return refuse(stores, wish, None, RefusedBecause::ShowNotFound).await,
    };
    let state = hold.as_ref().map(|hold| hold.state);
    // Redis has lost the hold, or there never was one, or it is decided: the record knows.
    if matches!(state, None | Some(HoldState::Confirmed | HoldState::Refused))
        && let Some(booking) = stores.read_booking(BookingId::of(show, token)).await?
    {
        return answer(stores, wish, booking, true).await;
    }
    // A hold that is pinned has a decision on its way: that comes first, and what was sent is compared with it.
    if let (Some(hold), Some(sent)) = (&hold, &wish.places)
        && hold.state != HoldState::Confirming
        && !hold.places.same_as(sent)
    {
        return refuse(stores, wish, Some(&hold.places), RefusedBecause::HoldMismatch).await;
    }
    let places = hold.as_ref().map(|hold| &hold.places).or(wish.places.as_ref());
    let Some(places) = places else { return refuse(stores, wish, None, RefusedBecause::HoldLost).await };

    let claim = wish.claim();
    match loading::known(stores, show, || stores.pin_hold(show, token, places, &claim)).await? {
        Ok(Pin::Pinned { confirmed_at_ms, claim }) => {
            let booking = undecided(wish, claim, Some(places.clone()), confirmed_at_ms, hold.is_some());
            book(stores, wish, booking, places).await
        }
        Ok(Pin::Decided) => match stores.read_booking(BookingId::of(show, token)).await? {
            Some(booking) => answer(stores, wish, booking, true).await,
            None => Err(Failure::internal("a hold is decided that has no booking")),
        },
        // An earlier confirm pinned it, and may still land: only a refusal on record ends that.
        Ok(Pin::Lost { pinned: Some(pinned) }) => {
            let payment = pinned.payment.or_else(|| wish.payment.clone());
            decline(stores, wish, Claim { payment, ..pinned }, Some(places), RefusedBecause::HoldLost).await
        }
        Ok(Pin::Lost { pinned: None }) => {
            refuse(stores, wish, hold.as_ref().map(|hold| &hold.places), RefusedBecause::HoldLost).await
        }
        Err(_) => refuse(stores, wish, None, RefusedBecause::ShowNotFound).await,
    }
}

/// The booking of the wish's token, confirmed as far as this call knows.
fn undecided(
    wish: &ConfirmWish,
    claim: Claim,
    places: Option<Places>,
    decided_at_ms: i64,
    hold_found: bool,
) -> Booking {
    Booking {
        id: BookingId::of(&wish.show, wish.token),
        show: wish.show.clone(),
        decision: Decision::Confirmed,
        places,
        buyer: claim.buyer,
        payment: claim.payment,
        order: claim.order,
        decided_at_ms,
        hold_found,
        version: 1,
    }
}

/// The second half, with the places pinned: the transaction, and what follows from it.
async fn book(stores: &impl ConfirmPorts, wish: &ConfirmWish, booking: Booking, places: &Places) -> Outcome<Confirmed> {
    match stores.decide_booking(&booking).await? {
        Verdict::Written => {
            settle(stores, wish, &booking, places).await;
            answer(stores, wish, booking, false).await
        }
        Verdict::Decided(booking) => {
            settle(stores, wish, &booking, places).await;
            answer(stores, wish, *booking, true).await
        }
        Verdict::Taken(taken) => {
            let because = RefusedBecause::AlreadySold(taken.iter().map(|sold| sold.place.clone()).collect());
            let refused = Booking { decision: Decision::Refused(because), ..booking };
            match stores.decide_booking(&refused).await? {
                Verdict::Written => {
                    repair(stores, wish, places, &taken).await;
                    answer(stores, wish, refused, false).await
                }
                Verdict::Decided(booking) => {
                    settle(stores, wish, &booking, places).await;
                    answer(stores, wish, *booking, true).await
                }
                Verdict::Taken(_) => Err(Failure::internal("a refusal was refused a place")),
            }
        }
    }
}

/// Refuses a token that was not pinned. `held` are the places that its hold has or had. Without a payment nothing is at
/// stake, and nothing is written: the caller may come again, and be rescued. What is on record already is the answer.
async fn refuse(
    stores: &impl ConfirmPorts,
    wish: &ConfirmWish,
    held: Option<&Places>,
    because: RefusedBecause,
) -> Outcome<Confirmed> {
    if wish.payment.is_some() {
        return decline(stores, wish, wish.claim(), held, because).await;
    }
    if held.is_some()
        && let Some(booking) = stores.read_booking(BookingId::of(&wish.show, wish.token)).await?
    {
        return answer(stores, wish, booking, true).await;
    }
    Ok(Err(refusal(&because, None)))
}

/// Writes a refusal, with the refund of the claim's payment, unless the token was decided before.
async fn decline(
    stores: &impl ConfirmPorts,
    wish: &ConfirmWish,
    claim: Claim,
    held: Option<&Places>,
    because: RefusedBecause,
) -> Outcome<Confirmed> {
    // Redis has no instant for a refusal. This one decides nothing: it is told, and listed by.
    let now_ms = jiff::Timestamp::now().as_millisecond();
    let places = held.or(wish.places.as_ref()).cloned();
    let booking = undecided(wish, claim, places, now_ms, held.is_some());
    let refused = Booking { decision: Decision::Refused(because), ..booking };
    let (booking, repeated) = match stores.decide_booking(&refused).await? {
        Verdict::Written => (refused, false),
        Verdict::Decided(booking) => (*booking, true),
        Verdict::Taken(_) => return Err(Failure::internal("a refusal was refused a place")),
    };
    if let Some(places) = held {
        settle(stores, wish, &booking, places).await;
    }
    answer(stores, wish, booking, repeated).await
}

/// Tells Redis what the record says of the token. The decision stands whether or not Redis hears of it: what is missed
/// here, the next touch or reconcile repairs.
async fn settle(stores: &impl ConfirmPorts, wish: &ConfirmWish, booking: &Booking, places: &Places) {
    let (show, token) = (&wish.show, wish.token);
    let told = match booking.decision {
        Decision::Confirmed => {
            let sold = booking.places.as_ref().unwrap_or(places);
            let sold = Sold { buyer: booking.id, version: booking.version, places: sold, count: sold.len() };
            loading::known(stores, show, || stores.mark_sold(show, token, sold.clone())).await
        }
        Decision::Refused(_) => {
            loading::known(stores, show, || stores.free_places(show, token, booking.version, places)).await
        }
    };
    untold(told);
}

/// Read repair: the guard found places sold that Redis let this token hold. They are marked for who has them, and the
/// rest of the hold goes back for sale.
async fn repair(stores: &impl ConfirmPorts, wish: &ConfirmWish, places: &Places, taken: &[SoldPlace]) {
    let (show, token) = (&wish.show, wish.token);
    let mut rest = places.clone();
    while let Some((buyer, version)) = next_buyer(&rest, taken) {
        // The places of one buyer come first, then the rest of the hold.
        let theirs =
            |id: &str| taken.iter().any(|sold| sold.place == id && BookingId::parse(&sold.booking) == Ok(buyer));
        let (ordered, count) = rest.with_first(theirs);
        let sold = Sold { buyer, version, places: &ordered, count };
        untold(loading::known(stores, show, || stores.mark_sold(show, token, sold.clone())).await);
        rest = ordered.without_first(count);
    }
}

/// Logs that Redis did not hear of a decision. Not told is not lost.
fn untold(told: Outcome<()>) {
    if let Err(failure) = told {
        telemetry::warn("Redis was not told of a decision", &failure);
    }
}

/// A buyer of one of `places`, and the version of their booking.
fn next_buyer(places: &Places, taken: &[SoldPlace]) -> Option<(BookingId, u64)> {
    let ids = places.ids();
    let sold = taken.iter().find(|sold| ids.contains(&sold.place))?;
    Some((BookingId::parse(&sold.booking).ok()?, sold.version))
}

/// What the caller is told of a decision: repeats are matched by the payment's reference.
async fn answer(
    stores: &impl ConfirmPorts,
    wish: &ConfirmWish,
    booking: Booking,
    repeated: bool,
) -> Outcome<Confirmed> {
    let same_reference = match (&wish.payment, &booking.payment) {
        (Some(sent), Some(kept)) => sent.reference == kept.reference,
        (Some(_), None) => false,
        (None, _) => true,
    };
    // A payment that is not the booking's own is due back, and on record before the answer (INV-10).
    let other = wish.payment.as_ref().filter(|_| !same_reference);
    if let Some(payment) = other {
        stores.record_refund(&booking, payment).await?;
    }
    let refunded = |refusal| match &wish.payment {
        Some(payment) => {
            let refund = Refund { reference: payment.reference.clone() };
            Refusal::Refunded { refusal: Box::new(refusal), refund }
        }
        None => refusal,
    };
    Ok(match &booking.decision {
        Decision::Refused(because) => Err(refunded(refusal(because, booking.places.as_ref()))),
        Decision::Confirmed if other.is_some() => Err(refunded(Refusal::PaymentMismatch)),
        Decision::Confirmed if wish.payment.is_some() && wish.payment != booking.payment => {
            Err(Refusal::PaymentMismatch)
        }
        Decision::Confirmed => match (&wish.places, &booking.places) {
            (Some(sent), Some(kept)) if !sent.same_as(kept) => Err(Refusal::HoldMismatch { booking: Some(booking.id) }),
            _ => Ok(Confirmed { booking, repeated }),
        },
    })
}

/// What the caller is told of a refusal.
fn refusal(because: &RefusedBecause, places: Option<&Places>) -> Refusal {
    match because {
        RefusedBecause::ShowNotFound => Refusal::ShowNotFound,
        RefusedBecause::HoldLost => Refusal::HoldLost { booking: None },
        RefusedBecause::HoldMismatch => Refusal::HoldMismatch { booking: None },
        RefusedBecause::AlreadySold(taken) => Refusal::SeatAlreadySold {
            places: taken.clone(),
            units: places.is_some_and(|places| places.zone().is_some()),
        },
    }
}
