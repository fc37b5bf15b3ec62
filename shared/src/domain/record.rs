//! What the record returns: entries of its lists, and what became of a write.

use jiff::Timestamp;

use super::{Booking, BookingId, RefundId, ShowId};

/// A show, as the list of shows has it.
#[derive(Clone, Debug)]
pub struct ShowEntry {
    /// Its id.
    pub show: ShowId,
    /// What people call it.
    pub name: String,
    /// When it begins.
    pub starts_at: Option<Timestamp>,
    /// When its sale opens.
    pub opens_at: Option<Timestamp>,
    /// When its sale closes.
    pub closes_at: Option<Timestamp>,
    /// How many places it has.
    pub places: u64,
    /// Its version.
    pub version: u64,
    /// The version that a reconcile found, or left, in order.
    pub clean: Option<u64>,
}

/// A place that is sold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SoldPlace {
    /// `E7`, `GA-17`
    pub place: String,
    /// The booking that has it, as it is stored.
    pub booking: String,
    /// The version of that booking.
    pub version: u64,
}

/// A booking, as a list has it.
#[derive(Clone, Debug)]
pub struct BookingEntry {
    /// What sorts it among those that it is read with.
    pub key: String,
    /// Its id.
    pub booking: BookingId,
}

/// What the conditional puts of a decision said.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// Written.
    Written,
    /// The token was decided before: this is the answer.
    Decided(Box<Booking>),
    /// These places are sold to others.
    Taken(Vec<SoldPlace>),
    /// The payment of the booking that was to be restored went back already.
    RefundSettled,
}

/// What became of a payment that came for a booking without one.
#[derive(Clone, Debug)]
pub enum Adoption {
    /// It is the booking's own now: the next version.
    Adopted(Box<Booking>),
    /// The booking, or a refund of the payment, changed meanwhile: read it again.
    BookingChanged,
    /// The payment was refunded before.
    Refunded,
}

/// A refund, as the list of those that are due has it.
#[derive(Clone, Debug)]
pub struct RefundEntry {
    /// What sorts it in the list.
    pub key: String,
    /// Its id.
    pub refund: RefundId,
}

/// How far the events of a show were drained.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drained {
    /// The loading that they belong to.
    pub epoch: String,
    /// The id of the last one; `0-0`: none.
    pub last: String,
    /// How many of that loading were drained, or are known to be gone.
    pub count: u64,
}
