//! What became of a token, from the record.

use super::Outcome;
use crate::domain::{Booking, BookingId, Refusal};
use crate::ports::ReadBooking;

/// Reads a booking. Its id is a capability: who has it may read it.
///
/// # Errors
/// When DynamoDB did not answer.
pub async fn booking(stores: &impl ReadBooking, id: BookingId) -> Outcome<Booking> {
    Ok(stores.read_booking(id).await?.ok_or(Refusal::BookingNotFound))
}
