//! What a token holds, and for how long: the countdown. A token that Redis does not know is looked up in the record.

use super::Outcome;
use super::loading;
use crate::Stores;
use crate::domain::{Booking, BookingId, HoldRecord, HoldToken, Refusal, ShowId};

/// What is known of a token.
#[derive(Debug)]
pub enum HoldStatus {
    /// What Redis knows.
    Hold(HoldRecord),
    /// Redis has forgotten it, and this is what became of it.
    Decided(Box<Booking>),
}

/// Tells what is known of a token.
///
/// # Errors
/// When a store did not answer.
pub async fn hold_status(stores: &Stores, show: &ShowId, token: HoldToken) -> Outcome<HoldStatus> {
    let hold = match loading::known(stores, show, || stores.redis.find_hold(show, token)).await? {
        Ok(hold) => hold,
        Err(refusal) => return Ok(Err(refusal)),
    };
    if let Some(hold) = hold {
        return Ok(Ok(HoldStatus::Hold(hold)));
    }
    let booking = stores.record.read_booking(BookingId::of(show, token)).await?;
    Ok(booking.map(|booking| HoldStatus::Decided(Box::new(booking))).ok_or(Refusal::HoldNotFound))
}
