//! Turn a hold into a booking: pin, one transaction, mark (design, section 5). The second half, `deciding`, is shared with
//! restore and reconcile.

use super::Outcome;
use super::deciding::{self, Booked, DecidePorts};
use super::loading;
use crate::Failure;
use crate::domain::{
    Booking, BookingId, Buyer, Decision, HoldToken, OrderId, Payment, Places, Refund, RefundStatus, Refusal,
    RefusedBecause, ShowId,
};
use crate::ports::{Claim, FindHold, HoldState, Pin, ReadBooking, ReadRefund, RecordRefund};

/// The ports of a confirm.
pub trait ConfirmPorts: FindHold + ReadBooking + ReadRefund + RecordRefund + DecidePorts {}
impl<T: FindHold + ReadBooking + ReadRefund + RecordRefund + DecidePorts> ConfirmPorts for T {}

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

    /// The booking of the token, confirmed as far as this call knows.
    fn undecided(&self, claim: Claim, places: Option<Places>, decided_at_ms: i64, hold_found: bool) -> Booking {
        undecided(&self.show, self.token, claim, places, decided_at_ms, hold_found)
    }
}

/// The booking of a token, before it is decided.
pub(super) fn undecided(
    show: &ShowId,
    token: HoldToken,
    claim: Claim,
    places: Option<Places>,
    decided_at_ms: i64,
    hold_found: bool,
) -> Booking {
    Booking {
        id: BookingId::of(show, token),
        show: show.clone(),
        decision: Decision::Confirmed,
        places,
        first: None,
        buyer: claim.buyer,
        payment: claim.payment,
        order: claim.order,
        decided_at_ms,
        hold_found,
        version: 1,
    }
}

/// A booking, as it was answered.
#[derive(Debug)]
pub struct Confirmed {
    /// The booking.
    pub booking: Booking,
    /// Whether it was there before.
    pub repeated: bool,
    /// Whether the hold had lapsed, or was lost, and its places were taken again.
    pub rescued: bool,
}

/// Confirms a hold.
///
/// # Errors
/// When a store did not answer, or another confirm of the token is undecided: what happened is not known then, and a
/// repeat finds it out.
pub async fn confirm(stores: &impl ConfirmPorts, wish: &ConfirmWish) -> Outcome<Confirmed> {
    let (show, token) = (&wish.show, wish.token);
    let hold = match loading::known(stores, show, || stores.find_hold(show, token)).await? {
        // A restore's hold is none of a caller's, whatever token was guessed.
        Ok(hold) => hold.filter(|hold| hold.restores.is_none()),
        Err(_) => return refuse(stores, wish, None, RefusedBecause::ShowNotFound).await,
    };
    // Redis has lost the hold, or there never was one, or it is decided: the record knows.
    let state = hold.as_ref().map(|hold| hold.state);
    if matches!(state, None | Some(HoldState::Confirmed | HoldState::Refused))
        && let Some(booking) = stores.read_booking(BookingId::of(show, token)).await?
    {
        return answer(stores, wish, booking, true).await;
    }
    // A hold that is pinned has a decision on its way: that comes first, and what was sent is compared with it.
    if let Some(hold) = hold.as_ref().filter(|hold| hold.state != HoldState::Confirming)
        && !names(wish, Some(&hold.places), hold.first.as_ref())
    {
        return refuse(stores, wish, Some(&hold.places), RefusedBecause::HoldMismatch).await;
    }
    let held = hold.as_ref().map(|hold| &hold.places);
    let Some(places) = held.or(wish.places.as_ref()) else {
        return refuse(stores, wish, None, RefusedBecause::HoldLost).await;
    };

    let claim = wish.claim();
    match loading::known(stores, show, || stores.pin_hold(show, token, places, &claim, None)).await? {
        Ok(Pin::Pinned(pinned)) => {
            let undecided = wish.undecided(pinned.claim, Some(pinned.places), pinned.confirmed_at_ms, hold.is_some());
            let booked = book(stores, wish, Booking { first: pinned.first, ..undecided }).await?;
            let late = !matches!(state, Some(HoldState::Active | HoldState::Confirming));
            Ok(booked.map(|confirmed| Confirmed { rescued: late && !confirmed.repeated, ..confirmed }))
        }
        Ok(Pin::Decided) => match stores.read_booking(BookingId::of(show, token)).await? {
            Some(booking) => answer(stores, wish, booking, true).await,
            None => Err(Failure::internal("a hold is decided that has no booking")),
        },
        // An earlier confirm pinned it, and may still land: only a refusal on record ends that.
        Ok(Pin::Lost { pinned: Some(pinned), .. }) => {
            let payment = pinned.payment.or_else(|| wish.payment.clone());
            decline(stores, wish, Claim { payment, ..pinned }, Some(places), RefusedBecause::HoldLost).await
        }
        Ok(Pin::Lost { pinned: None, .. }) => refuse(stores, wish, held, RefusedBecause::HoldLost).await,
        Err(_) => refuse(stores, wish, None, RefusedBecause::ShowNotFound).await,
    }
}

/// The second half, and what the caller is told of it.
async fn book(stores: &impl ConfirmPorts, wish: &ConfirmWish, booking: Booking) -> Outcome<Confirmed> {
    let (booking, before) = match deciding::book(stores, wish.token, booking, None).await? {
        Booked::Now(booking) => (booking, false),
        Booked::Before(booking) => (booking, true),
        Booked::Taken(booking, taken) => deciding::refuse_taken(stores, wish.token, booking, &taken).await?,
        Booked::Refunded => return Err(Failure::internal("a first booking that was refunded")),
    };
    answer(stores, wish, booking, before).await
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
    let booking = wish.undecided(claim, places, now_ms, held.is_some());
    let refused = Booking { decision: Decision::Refused(because), ..booking };
    let (booking, before) = deciding::refuse(stores, wish.token, refused, held).await?;
    answer(stores, wish, booking, before).await
}

/// Whether the places that were sent, if any, are these, or those that were answered first.
fn names(wish: &ConfirmWish, places: Option<&Places>, first: Option<&Places>) -> bool {
    let Some(sent) = &wish.places else { return true };
    places.is_none_or(|places| places.same_as(sent)) || first.is_some_and(|first| first.same_as(sent))
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
    let is_final = other.is_some() || booking.decision != Decision::Confirmed;
    let refund = match wish.payment.as_ref().filter(|_| is_final) {
        Some(payment) => Some(refund(stores, &booking, payment, repeated).await?),
        None => None,
    };
    let refunded = |refusal| match refund {
        Some(refund) => Refusal::Refunded { refusal: Box::new(refusal), refund },
        None => refusal,
    };
    Ok(match &booking.decision {
        Decision::Cancelled(_) => Err(refunded(Refusal::AlreadyCancelled { booking: booking.id })),
        Decision::Refused(because) => Err(refunded(refusal(because, booking.places.as_ref()))),
        Decision::Confirmed if other.is_some() => Err(refunded(Refusal::PaymentMismatch)),
        Decision::Confirmed if wish.payment.is_some() && wish.payment != booking.payment => {
            Err(Refusal::PaymentMismatch)
        }
        Decision::Confirmed if !names(wish, booking.places.as_ref(), booking.first.as_ref()) => {
            Err(Refusal::HoldMismatch { booking: Some(booking.id) })
        }
        Decision::Confirmed => Ok(Confirmed { booking, repeated, rescued: false }),
    })
}

/// Where the refund of a payment stands that came for a token which does not need it. What was decided before may be
/// settled by now; and whoever cancelled may have given the money back, so that nothing was ever due.
async fn refund(
    stores: &impl ReadRefund,
    booking: &Booking,
    payment: &Payment,
    repeated: bool,
) -> Result<Refund, Failure> {
    let due = Refund::due(payment);
    if !repeated {
        return Ok(due);
    }
    let record = stores.read_refund(&payment.reference, booking.id).await?;
    let was_made = matches!(&booking.decision, Decision::Cancelled(cancelled) if cancelled.refunded);
    let is_settled = record.map_or(was_made, |record| record.status == RefundStatus::Settled);
    Ok(if is_settled { Refund { status: RefundStatus::Settled, ..due } } else { due })
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
