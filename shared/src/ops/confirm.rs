//! Turn a hold into a booking: pin, one transaction, mark (design, section 5). The second half, `deciding`, is shared with
//! restore and reconcile.

use super::Outcome;
use super::deciding::{self, Booked};
use super::loading;
use super::payments::record_payments;
use crate::domain::payment::Payments;
use crate::domain::{
    Booking, BookingId, Buyer, Claim, Decision, HoldRecord, HoldState, HoldToken, OrderId, Payment, Pin, Places,
    Refund, RefundId, RefundStatus, Refusal, RefusedBecause, ShowId,
};
use crate::{Failure, Stores};

/// What a seller asks for.
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
    /// For whom the caller asks. The buyer of a hold that Redis knows stays its buyer, whoever confirms it.
    pub buyer: Buyer,
}

impl ConfirmWish {
    fn payments(&self) -> Payments {
        Payments::of(self.payment.as_ref())
    }

    /// What this call itself claims; an earlier pin may have claimed otherwise.
    fn claim(&self, hold: Option<&HoldRecord>) -> Claim {
        let buyer = hold.map_or(&self.buyer, |hold| &hold.buyer).clone();
        Claim { payments: self.payments(), order: self.order.clone(), buyer }
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
        payment: claim.payments.first().cloned(),
        order: claim.order,
        decided_at_ms,
        hold_found,
        version: 1,
        sold_version: 1,
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
pub async fn confirm(stores: &Stores, wish: &ConfirmWish) -> Outcome<Confirmed> {
    loop {
        // A hold whose places another confirm has named since it was read is read again.
        if let Some(answer) = confirm_once(stores, wish).await? {
            return Ok(answer);
        }
        if stores.deadline().left().is_zero() {
            return Err(Failure::Undecided);
        }
    }
}

/// One attempt; `None`: the hold has other places than it had when it was read.
async fn confirm_once(stores: &Stores, wish: &ConfirmWish) -> Result<Option<Result<Confirmed, Refusal>>, Failure> {
    let (show, token) = (&wish.show, wish.token);
    let hold = match loading::known(stores, show, || stores.redis.find_hold(show, token)).await? {
        Ok(hold) => hold,
        Err(_) => return refuse(stores, wish, None, RefusedBecause::ShowNotFound).await.map(Some),
    };
    // Redis has lost the hold, or it is decided: the record knows.
    let state = hold.as_ref().map(|hold| hold.state);
    if matches!(state, None | Some(HoldState::Confirmed | HoldState::Refused))
        && let Some(booking) = stores.record.read_booking(BookingId::of(show, token)).await?
    {
        return answer(stores, wish, booking, true).await.map(Some);
    }
    // A hold that is pinned has a decision on its way: that comes first, and what was sent is compared with it.
    if let Some(hold) = hold.as_ref().filter(|hold| hold.state != HoldState::Confirming)
        && !names(wish, Some(&hold.places), hold.first.as_ref())
    {
        return refuse(stores, wish, Some(hold), RefusedBecause::HoldMismatch).await.map(Some);
    }
    let Some(places) = hold.as_ref().map(|hold| &hold.places).or(wish.places.as_ref()) else {
        return refuse(stores, wish, None, RefusedBecause::HoldLost).await.map(Some);
    };

    let claim = wish.claim(hold.as_ref());
    let pinned = loading::known(stores, show, || stores.redis.pin_hold(show, token, places, &claim, None)).await?;
    let answered = match pinned {
        Ok(Pin::Pinned(pinned)) => {
            let payments = pinned.claim.payments.clone();
            let undecided = wish.undecided(pinned.claim, Some(pinned.places), pinned.confirmed_at_ms, hold.is_some());
            let booked = book(stores, wish, Booking { first: pinned.first, ..undecided }, payments).await?;
            let late = !matches!(state, Some(HoldState::Active | HoldState::Confirming));
            Ok(booked.map(|confirmed| Confirmed { rescued: late && !confirmed.repeated, ..confirmed }))
        }
        Ok(Pin::OtherPlaces) => return Ok(None),
        Ok(Pin::Decided) => match stores.record.read_booking(BookingId::of(show, token)).await? {
            Some(booking) => answer(stores, wish, booking, true).await,
            None => Err(Failure::internal("a hold is decided that has no booking")),
        },
        // An earlier confirm pinned it, and may still land: only a refusal on record ends that.
        Ok(Pin::Lost { pinned: Some(pinned), .. }) => {
            decline(stores, wish, pinned, Some(places), hold.is_some(), RefusedBecause::HoldLost).await
        }
        Ok(Pin::Lost { pinned: None, .. }) => refuse(stores, wish, hold.as_ref(), RefusedBecause::HoldLost).await,
        Err(_) => refuse(stores, wish, None, RefusedBecause::ShowNotFound).await,
    };
    answered.map(Some)
}

/// The second half, and what the caller is answered.
async fn book(stores: &Stores, wish: &ConfirmWish, booking: Booking, payments: Payments) -> Outcome<Confirmed> {
    let (booking, before) = match deciding::book(stores, wish.token, booking, payments, None).await? {
        Booked::Now(booking) => (booking, false),
        Booked::Before(booking) => (booking, true),
        Booked::Taken(booking, payments, taken) => {
            deciding::refuse_taken(stores, wish.token, booking, &payments, &taken).await?
        }
        Booked::Refunded => return Err(Failure::internal("a first booking that was refunded")),
    };
    answer(stores, wish, booking, before).await
}

/// Refuses a token that was not pinned. Without a payment nothing is at stake, and nothing is written: the caller may come
/// again, and be rescued. What is on record already is the answer.
async fn refuse(
    stores: &Stores,
    wish: &ConfirmWish,
    hold: Option<&HoldRecord>,
    because: RefusedBecause,
) -> Outcome<Confirmed> {
    if wish.payment.is_some() {
        let held = hold.map(|hold| &hold.places);
        return decline(stores, wish, wish.claim(hold), held, hold.is_some(), because).await;
    }
    if hold.is_some()
        && let Some(booking) = stores.record.read_booking(BookingId::of(&wish.show, wish.token)).await?
    {
        return answer(stores, wish, booking, true).await;
    }
    Ok(Err(refusal(&because, None)))
}

/// Writes a refusal, with the refunds of the payments that are claimed and of the one that was sent, unless the token was
/// decided before.
async fn decline(
    stores: &Stores,
    wish: &ConfirmWish,
    claim: Claim,
    held: Option<&Places>,
    hold_found: bool,
    because: RefusedBecause,
) -> Outcome<Confirmed> {
    // Redis has no instant for a refusal. This one decides nothing: it is answered, and sorted by.
    let now_ms = jiff::Timestamp::now().as_millisecond();
    let places = held.or(wish.places.as_ref()).cloned();
    let payments = claim.payments.clone();
    let booking = wish.undecided(claim, places, now_ms, hold_found);
    let refused = Booking { decision: Decision::Refused(because), ..booking };
    let (booking, before) = deciding::refuse(stores, wish.token, refused, &payments, held).await?;
    answer(stores, wish, booking, before).await
}

/// Whether the places that were sent, if any, are these, or those that were answered first.
fn names(wish: &ConfirmWish, places: Option<&Places>, first: Option<&Places>) -> bool {
    let Some(sent) = &wish.places else { return true };
    places.is_none_or(|places| places.same_as(sent)) || first.is_some_and(|first| first.same_as(sent))
}

/// What the caller is answered of a decision: repeats are matched by the payment's reference.
async fn answer(stores: &Stores, wish: &ConfirmWish, booking: Booking, repeated: bool) -> Outcome<Confirmed> {
    // A payment that is not the booking's own becomes so, or is due back, and is on record before the answer (INV-10).
    let booking = record_payments(stores, booking, &wish.payment).await?;
    let is_other = wish.payment.as_ref().is_some_and(|payment| !booking.is_paid_with(payment));
    let is_final = is_other || booking.decision != Decision::Confirmed;
    let refund = match wish.payment.as_ref().filter(|_| is_final) {
        Some(payment) => Some(refund(stores, &booking, payment, repeated).await?),
        None => None,
    };
    let refunded = |refusal| match refund {
        Some(refund) => Refusal::Refunded { refusal: Box::new(refusal), refund },
        None => refusal,
    };
    let repeats = |sent: &Payment| booking.payment.as_ref().is_some_and(|kept| sent.repeats(kept));
    Ok(match &booking.decision {
        Decision::Cancelled(_) => Err(refunded(Refusal::AlreadyCancelled { booking: booking.id })),
        Decision::Refused(because) => Err(refunded(refusal(because, booking.places.as_ref()))),
        Decision::Confirmed if is_other => Err(refunded(Refusal::PaymentMismatch)),
        Decision::Confirmed if !wish.payment.as_ref().is_none_or(repeats) => Err(Refusal::PaymentMismatch),
        Decision::Confirmed if !names(wish, booking.places.as_ref(), booking.first.as_ref()) => {
            Err(Refusal::HoldMismatch { booking: Some(booking.id) })
        }
        Decision::Confirmed => Ok(Confirmed { booking, repeated, rescued: false }),
    })
}

/// Where the refund of a payment stands that came for a token which does not need it. What was decided before may be settled
/// by now.
async fn refund(stores: &Stores, booking: &Booking, payment: &Payment, repeated: bool) -> Result<Refund, Failure> {
    let due = Refund::due(payment);
    // The caller of the cancel has given the money back, whatever is on record of an earlier cancel.
    let was_made = booking.is_paid_with(payment)
        && matches!(&booking.decision, Decision::Cancelled(cancelled) if cancelled.refunded);
    if was_made {
        return Ok(Refund { status: RefundStatus::Settled, ..due });
    }
    let record = match repeated {
        true => stores.record.read_refund(RefundId::of(booking.id, &payment.reference)).await?,
        false => None,
    };
    Ok(Refund { status: record.map_or(due.status, |record| record.status), ..due })
}

/// What the caller is answered of a refusal.
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
