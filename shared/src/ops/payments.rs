//! Put every payment that came for a token on record: as its booking's own, or as a refund that is due (INV-10).

use crate::domain::{Adoption, Booking, Decision, Payment};
use crate::{Failure, Stores};

/// Puts payments that came for the token of a decided booking on record. A booking that was confirmed without a payment takes
/// the first one as its own; each other one that is not the booking's own is due back. Answers the booking as it is then.
///
/// # Errors
/// When DynamoDB did not answer. A repeat records nothing twice.
pub(super) async fn record_payments<'a>(
    stores: &Stores,
    mut booking: Booking,
    payments: impl IntoIterator<Item = &'a Payment>,
) -> Result<Booking, Failure> {
    for payment in payments {
        booking = record_payment(stores, booking, payment).await?;
    }
    Ok(booking)
}

async fn record_payment(stores: &Stores, mut booking: Booking, payment: &Payment) -> Result<Booking, Failure> {
    loop {
        if booking.is_paid_with(payment) {
            return Ok(booking);
        }
        let is_unpaid = booking.payment.is_none() && booking.decision == Decision::Confirmed;
        if is_unpaid {
            match stores.record.adopt_payment(&booking, payment).await? {
                Adoption::Adopted(paid) => return Ok(*paid),
                Adoption::Refunded => return Ok(booking),
                Adoption::BookingChanged => {}
            }
        } else if stores.record.record_refund(&booking, payment).await? {
            return Ok(booking);
        }
        let changed = stores.record.read_booking(booking.id).await?;
        booking = changed.ok_or_else(|| Failure::unavailable("a booking that was there is gone"))?;
    }
}
