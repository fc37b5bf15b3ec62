//! Take a booking back: its places are for sale again, and what was paid is due back, in one transaction (design, section 5).

use super::Outcome;
use super::booking::refund_of;
use super::deciding;
use crate::domain::payment::Payments;
use crate::domain::{Booking, BookingId, Cancellation, Decision, HoldToken, NotRestorable, Refund, Refusal, Verdict};
use crate::{Failure, Stores};

/// What a caller asks for.
#[derive(Clone, Debug, Default)]
pub struct CancelWish {
    /// The caller's words.
    pub reason: Option<String>,
    /// Whether the money is back already.
    pub refunded: bool,
    /// The version that the caller believes to cancel.
    pub version: Option<u64>,
    /// Whether only a booking without a payment may be cancelled: the caller is a buyer.
    pub only_unpaid: bool,
}

/// Cancels a booking, and answers where the refund of its payment stands. A second cancel frees nothing twice.
///
/// # Errors
/// When a store did not answer; a repeat finds out what happened.
pub async fn cancel(stores: &Stores, id: BookingId, wish: &CancelWish) -> Outcome<(Booking, Option<Refund>)> {
    let Some(booking) = stores.record.read_booking(id).await? else { return Ok(Err(Refusal::BookingNotFound)) };
    if wish.only_unpaid && booking.payment.is_some() {
        return Ok(Err(Refusal::Forbidden));
    }
    let is_cancelled = matches!(booking.decision, Decision::Cancelled(_));
    if let Err(conflict) = check_version(&booking, wish.version, is_cancelled) {
        return Ok(Err(conflict));
    }
    let (cancelled, repeated) = match booking.decision {
        Decision::Refused(_) => {
            return Ok(Err(Refusal::NotRestorable { booking: id, because: NotRestorable::Refused }));
        }
        Decision::Cancelled(_) => (booking, true),
        Decision::Confirmed => {
            // No store has an instant for it. It decides nothing: it is told, and listed by.
            let at_ms = jiff::Timestamp::now().as_millisecond();
            let cancellation = Cancellation { reason: wish.reason.clone(), refunded: wish.refunded, at_ms };
            let cancelled = booking.cancelled(cancellation);
            match stores.record.decide_booking(&cancelled).await? {
                Verdict::Written => (cancelled, false),
                Verdict::Decided(found) if matches!(found.decision, Decision::Cancelled(_)) => (*found, true),
                // Paid, or cancelled and restored, meanwhile.
                Verdict::Decided(_) => return Err(Failure::unavailable("a booking changed while it was cancelled")),
                Verdict::Taken(_) | Verdict::RefundSettled => return Err(Failure::internal("a cancel was refused")),
            }
        }
    };
    // A repeat does so again: the first call may have died before.
    deciding::tell(stores, token_of(&cancelled), &cancelled, None, &Payments::NONE).await;
    let refund = if repeated { refund_of(stores, &cancelled).await? } else { cancelled.refund() };
    Ok(Ok((cancelled, refund)))
}

/// Whether the caller knows the booking as it is. A repeat names the version from which it was changed to what it is now.
pub(super) fn check_version(booking: &Booking, expected: Option<u64>, is_repeat: bool) -> Result<(), Refusal> {
    let is_known =
        |expected: u64| expected == booking.version || is_repeat && expected.checked_add(1) == Some(booking.version);
    if expected.is_none_or(is_known) { Ok(()) } else { Err(Refusal::VersionConflict { version: booking.version }) }
}

/// The token under which a cancel lets go. It never holds anything: a restore has one of the cancelled version.
pub(super) fn token_of(cancelled: &Booking) -> HoldToken {
    HoldToken::of_restore(cancelled.id, cancelled.version - 1)
}
