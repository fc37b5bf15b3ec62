//! The ports of DynamoDB, the record of what is sold: one a verb of its API.

use std::future::Future;

use crate::Failure;
use crate::domain::{Booking, BookingId, Payment, Show, ShowId};

/// `GetItem` of the show.
pub trait ReadShow {
    /// The show as it is now, read consistently.
    fn read_show(&self, show: &ShowId) -> impl Future<Output = Result<Option<Show>, Failure>> + Send;
}

/// `PutItem` of the show and of its entry in the list of shows, in one transaction.
pub trait WriteShow {
    /// Writes the next version, if `show.version - 1` is the current one (0: there is none). Answers whether it did.
    fn write_show(&self, show: &Show) -> impl Future<Output = Result<bool, Failure>> + Send;
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

/// `Query` of one shard.
pub trait ListSold {
    /// The sold places of one shard of a show, read consistently.
    fn list_sold(&self, show: &ShowId, shard: u8) -> impl Future<Output = Result<Vec<SoldPlace>, Failure>> + Send;
}

/// `GetItem` of a booking.
pub trait ReadBooking {
    /// The booking as it is now, read consistently.
    fn read_booking(&self, id: BookingId) -> impl Future<Output = Result<Option<Booking>, Failure>> + Send;
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
}

/// `PutItem` of a booking with all of its places, or with its refund, in one transaction.
pub trait DecideBooking {
    /// Writes the booking, if its token was not decided before: a confirmed one with every place, if none is sold; a
    /// refused one with the refund that is due, if it carried a payment.
    fn decide_booking(&self, booking: &Booking) -> impl Future<Output = Result<Verdict, Failure>> + Send;
}

/// `PutItem` of a refund.
pub trait RecordRefund {
    /// Records that a payment which came for a decided token is due back; once, by reference and booking.
    fn record_refund(&self, booking: &Booking, payment: &Payment) -> impl Future<Output = Result<(), Failure>> + Send;
}
