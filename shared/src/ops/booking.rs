//! A booking, from the record.

use super::Outcome;
use crate::domain::{Booking, BookingId, Refund, RefundId, Refusal};
use crate::{Failure, Stores};

/// Reads a booking, and where the refund of its payment stands. Its id is a capability: who has it may read it.
///
/// # Errors
/// When DynamoDB did not answer.
pub async fn booking(stores: &Stores, id: BookingId) -> Outcome<(Booking, Option<Refund>)> {
    let Some(booking) = stores.record.read_booking(id).await? else { return Ok(Err(Refusal::BookingNotFound)) };
    let refund = refund_of(stores, &booking).await?;
    Ok(Ok((booking, refund)))
}

/// Where the refund of a booking's own payment stands, if it has to go back.
pub(super) async fn refund_of(stores: &Stores, booking: &Booking) -> Result<Option<Refund>, Failure> {
    let Some(payment) = booking.due_back() else { return Ok(None) };
    let due = Refund::due(payment);
    let record = stores.record.read_refund(RefundId::of(booking.id, &payment.reference)).await?;
    Ok(Some(Refund { status: record.map_or(due.status, |record| record.status), ..due }))
}
