//! The ports of DynamoDB, the record of what is sold: one a verb of its API.

use std::future::Future;

use jiff::Timestamp;

use super::Event;
use crate::Failure;
use crate::domain::{Booking, BookingId, OrderId, Payment, RefundId, RefundRecord, Show, ShowId};

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

/// `Query` of one shard of the list of shows.
pub trait ListShows {
    /// The shows of a shard after the id `after`, `limit` at most; fewer: there are no more. Read consistently.
    fn list_shows(
        &self,
        shard: u8,
        after: Option<&str>,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<ShowEntry>, Failure>> + Send;
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

/// `BatchGetItem` of bookings.
pub trait ReadBookings {
    /// These bookings as they are now, 100 at most, each read consistently, in this order; those that are not there are
    /// left out.
    fn read_bookings(&self, ids: &[BookingId]) -> impl Future<Output = Result<Vec<Booking>, Failure>> + Send;
}

/// A booking, as a list has it.
#[derive(Clone, Debug)]
pub struct BookingEntry {
    /// What sorts it among those that it is read with.
    pub key: String,
    /// Its id.
    pub booking: BookingId,
}

/// `Query` of one shard of the list of a show's bookings.
pub trait ListBookings {
    /// The bookings of a shard after the key `after`, `limit` at most; fewer: there are no more. Read consistently.
    fn list_bookings(
        &self,
        show: &ShowId,
        shard: u8,
        after: Option<&str>,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<BookingEntry>, Failure>> + Send;
}

/// `Query` of the bookings of a payment reference.
pub trait FindByReference {
    /// The bookings that carried this payment reference, like [`ListBookings::list_bookings`].
    fn find_by_reference(
        &self,
        show: &ShowId,
        reference: &str,
        after: Option<&str>,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<BookingEntry>, Failure>> + Send;
}

/// `Query` of the bookings of an order.
pub trait FindByOrder {
    /// The bookings that came with this order, like [`ListBookings::list_bookings`].
    fn find_by_order(
        &self,
        show: &ShowId,
        order: &OrderId,
        after: Option<&str>,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<BookingEntry>, Failure>> + Send;
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

/// One transaction: `PutItem` of the booking, by version; `PutItem` or `DeleteItem` of each of its places; `PutItem`,
/// `UpdateItem` and `DeleteItem` of its refund and of the entries that it is listed by.
pub trait DecideBooking {
    /// Takes a decision, if the one before is what it has to be. Version 1, if the token was not decided before: a
    /// confirmed booking with every place, if none is sold; a refused one with the refund that is due, if it carried a
    /// payment. Later versions: a cancelled one, of a confirmed one, gives every place back and makes the refund due
    /// unless it was made; a confirmed one, of a cancelled one, takes every place and withdraws the refund.
    fn decide_booking(&self, booking: &Booking) -> impl Future<Output = Result<Verdict, Failure>> + Send;
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

/// `PutItem` of a booking and of the entry that its payment's reference finds it by; `ConditionCheckItem`, or `UpdateItem` and
/// `DeleteItem`, of the payment's refund.
pub trait AdoptPayment {
    /// Makes a payment the own of a confirmed booking that has none, if the booking is as it was read. A refund of the payment
    /// that is due for this booking is withdrawn.
    fn adopt_payment(
        &self,
        booking: &Booking,
        payment: &Payment,
    ) -> impl Future<Output = Result<Adoption, Failure>> + Send;
}

/// `PutItem` of a refund and of its entry in the list, `ConditionCheckItem` of the booking, in one transaction.
pub trait RecordRefund {
    /// Records that a payment which came for a decided token is due back; once, by reference and booking. Answers whether the
    /// booking is still as it was read; if not, nothing was recorded.
    fn record_refund(&self, booking: &Booking, payment: &Payment)
    -> impl Future<Output = Result<bool, Failure>> + Send;
}

/// `GetItem` of a refund.
pub trait ReadRefund {
    /// The refund as it is now, read consistently.
    fn read_refund(&self, id: RefundId) -> impl Future<Output = Result<Option<RefundRecord>, Failure>> + Send;
}

/// `BatchGetItem` of refunds.
pub trait ReadRefunds {
    /// These refunds as they are now, 100 at most, each read consistently, in this order; those that are not there are left
    /// out.
    fn read_refunds(&self, ids: &[RefundId]) -> impl Future<Output = Result<Vec<RefundRecord>, Failure>> + Send;
}

/// `Query` of the bookings of a payment reference, and `BatchGetItem` of these.
pub trait StandingBookings {
    /// The confirmed bookings, of any show, that this reference pays for, but the one that is excepted. Read consistently.
    fn standing_bookings(
        &self,
        reference: &str,
        except: Option<BookingId>,
    ) -> impl Future<Output = Result<Vec<BookingId>, Failure>> + Send;
}

/// A refund, as the list of those that are due has it.
#[derive(Clone, Debug)]
pub struct RefundEntry {
    /// What sorts it in the list.
    pub key: String,
    /// Its id.
    pub refund: RefundId,
}

/// `Query` of one shard of the list of refunds that are due.
pub trait ListRefunds {
    /// The refunds of a shard after the key `after`, `limit` at most; fewer: there are no more. Read consistently.
    fn list_refunds(
        &self,
        shard: u8,
        after: Option<&str>,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<RefundEntry>, Failure>> + Send;
}

/// `UpdateItem` of a refund and `DeleteItem` of its entry in the list, in one transaction.
pub trait SettleRefund {
    /// Records that the money is back, if the refund is due.
    fn settle_refund(&self, id: RefundId) -> impl Future<Output = Result<(), Failure>> + Send;
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

/// `GetItem` and `PutItem` of how far the events of a show were drained.
pub trait KeepDrained {
    /// How far they were drained.
    fn read_drained(&self, show: &ShowId) -> impl Future<Output = Result<Option<Drained>, Failure>> + Send;
    /// Records it. Two runs at once may both: what they drain has the same keys.
    fn write_drained(&self, show: &ShowId, drained: &Drained) -> impl Future<Output = Result<(), Failure>> + Send;
}

/// `BatchWriteItem` of audit items.
pub trait WriteAudit {
    /// Keeps events, each under its epoch and id, so that a repeat writes the same again.
    fn write_audit(
        &self,
        show: &ShowId,
        epoch: &str,
        events: &[Event],
    ) -> impl Future<Output = Result<(), Failure>> + Send;
}

/// `UpdateItem` of an entry in the list of shows.
pub trait MarkClean {
    /// Records that a reconcile found, or left, this version in order; does nothing if it is not the current one.
    fn mark_clean(&self, show: &ShowId, version: u64) -> impl Future<Output = Result<(), Failure>> + Send;
}

/// `UpdateItem` of the lease of a reconcile of all shows. It saves cost, and nothing depends on it.
pub trait KeepLease {
    /// Takes the lease, or keeps it, for `lease_ms` from now; with `force` even if somebody else has it. Answers where the
    /// last run stopped (empty: it came to its end), or `None` if somebody else has it.
    fn take_lease(
        &self,
        owner: &str,
        lease_ms: u64,
        force: bool,
    ) -> impl Future<Output = Result<Option<String>, Failure>> + Send;
    /// Gives the lease back, and records where the run stopped; does nothing if somebody else has it.
    fn end_lease(&self, owner: &str, stopped_at: &str) -> impl Future<Output = Result<(), Failure>> + Send;
}
