//! Take a booking back: its places are for sale again, and what was paid is due back, in one transaction (design, section 5).

use super::Outcome;
use super::booking::refund_of;
use super::deciding::{self, DecidePorts};
use crate::Failure;
use crate::domain::{Booking, BookingId, Cancellation, Decision, HoldToken, NotRestorable, Refund, Refusal};
use crate::ports::{OwnTokens, ReadBooking, ReadRefund, Verdict};

/// What a caller wants.
#[derive(Clone, Debug, Default)]
pub struct CancelWish {
    /// The caller's words.
    pub reason: Option<String>,
    /// Whether the money is back already.
    pub refunded: bool,
}

/// Cancels a booking, and tells where the refund of its payment stands. A second cancel frees nothing twice.
///
/// # Errors
/// When a store did not answer; a repeat finds out what happened.
pub async fn cancel(
    stores: &(impl ReadBooking + ReadRefund + DecidePorts),
    id: BookingId,
    wish: &CancelWish,
) -> Outcome<(Booking, Option<Refund>)> {
    let Some(booking) = stores.read_booking(id).await? else { return Ok(Err(Refusal::BookingNotFound)) };
    let (cancelled, repeated) = match booking.decision {
        Decision::Refused(_) => {
            return Ok(Err(Refusal::NotRestorable { booking: id, because: NotRestorable::Refused }));
        }
        Decision::Cancelled(_) => (booking, true),
        Decision::Confirmed => {
            // No store has an instant for it. It decides nothing: it is told, and listed by.
            let at_ms = jiff::Timestamp::now().as_millisecond();
            let cancellation = Cancellation { reason: wish.reason.clone(), refunded: wish.refunded, at_ms };
            let cancelled = booking.next(Decision::Cancelled(cancellation));
            match stores.decide_booking(&cancelled).await? {
                Verdict::Written => (cancelled, false),
                Verdict::Decided(found) if matches!(found.decision, Decision::Cancelled(_)) => (*found, true),
                // Cancelled and restored meanwhile.
                Verdict::Decided(_) => return Err(Failure::unavailable("a booking changed while it was cancelled")),
                Verdict::Taken(_) | Verdict::RefundSettled => return Err(Failure::internal("a cancel was refused")),
            }
        }
    };
    // Told again by a repeat: whoever cancelled first may not have come to it.
    deciding::tell(stores, token_of(stores, &cancelled), &cancelled, None).await;
    let refund = if repeated { refund_of(stores, &cancelled).await? } else { cancelled.refund() };
    Ok(Ok((cancelled, refund)))
}

/// The token under which a cancel lets go. It never holds anything: a restore has one of the cancelled version.
pub(super) fn token_of(stores: &impl OwnTokens, cancelled: &Booking) -> HoldToken {
    stores.own_token(cancelled.id, cancelled.version - 1)
}
