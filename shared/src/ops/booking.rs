//! What became of a token, from the record.

use super::Outcome;
use crate::domain::{Booking, BookingId, Refund, Refusal};
use crate::ports::{ReadBooking, ReadRefund};

/// Reads a booking, and where the refund of its payment stands. Its id is a capability: who has it may read it.
///
/// # Errors
/// When DynamoDB did not answer.
pub async fn booking(stores: &(impl ReadBooking + ReadRefund), id: BookingId) -> Outcome<(Booking, Option<Refund>)> {
    let Some(booking) = stores.read_booking(id).await? else { return Ok(Err(Refusal::BookingNotFound)) };
    let refund = match booking.due_back() {
        None => None,
        Some(payment) => {
            let record = stores.read_refund(&payment.reference, id).await?;
            let status = record.map(|record| record.status);
            Some(Refund { status: status.unwrap_or(Refund::due(payment).status), ..Refund::due(payment) })
        }
    };
    Ok(Ok((booking, refund)))
}
