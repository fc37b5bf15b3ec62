//! Every key of the table, spelt once. There is no index, and nothing here is written by every sale of a show: what a show
//! has sold lies in 64 partitions (design, section 4).

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;

use crate::domain::places::shard_of;
use crate::domain::{BookingId, OrderId, RefundId, ShowId};

/// The partition key's name.
pub const PARTITION: &str = "pk";
/// The sort key's name.
pub const SORT: &str = "sk";

/// The two keys of one item.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// Partition key.
    pub partition: String,
    /// Sort key.
    pub sort: String,
}

impl Key {
    /// The key of an item.
    pub(super) fn of(item: &HashMap<String, AttributeValue>) -> Option<Key> {
        let text = |name| item.get(name).and_then(|value| value.as_s().ok()).cloned();
        Some(Key { partition: text(PARTITION)?, sort: text(SORT)? })
    }

    /// The key as attributes.
    #[must_use]
    pub fn attributes(&self) -> HashMap<String, AttributeValue> {
        HashMap::from([
            (PARTITION.to_owned(), AttributeValue::S(self.partition.clone())),
            (SORT.to_owned(), AttributeValue::S(self.sort.clone())),
        ])
    }
}

/// The show.
#[must_use]
pub fn show(show: &ShowId) -> Key {
    Key { partition: format!("show#{show}"), sort: "show".to_owned() }
}

/// The small entry of a show in the list of shows.
#[must_use]
pub fn show_entry(show: &ShowId) -> Key {
    Key { partition: shows_shard(shard_of(show.as_str())), sort: show.to_string() }
}

/// The partition of one shard of a show's sold places.
#[must_use]
pub fn sold_shard(show: &ShowId, shard: u8) -> String {
    format!("sold#{show}#{shard:02}")
}

/// A sold place.
#[must_use]
pub fn sold_place(show: &ShowId, place: &str) -> Key {
    Key { partition: sold_shard(show, shard_of(place)), sort: place.to_owned() }
}

/// The decision of a token.
#[must_use]
pub fn booking(id: BookingId) -> Key {
    Key { partition: format!("booking#{id}"), sort: "booking".to_owned() }
}

/// The entry of a booking in the list of its show's bookings.
#[must_use]
pub fn booking_entry(show: &ShowId, booking: BookingId) -> Key {
    let booking = booking.to_string();
    Key { partition: bookings_shard(show, shard_of(&booking)), sort: booking }
}

/// The entry by which the reference of a payment finds the booking that it came for. Neither ids nor references have a space.
#[must_use]
pub fn reference_entry(reference: &str, show: &ShowId, booking: BookingId) -> Key {
    let Key { partition, sort } = bookings_of(show, reference);
    Key { partition, sort: format!("{sort}{booking}") }
}

/// Where the entries of a show's bookings with a payment reference lie: their partition, and what their sort keys begin
/// with.
#[must_use]
pub fn bookings_of(show: &ShowId, reference: &str) -> Key {
    Key { partition: reference_partition(reference), sort: format!("{show} ") }
}

/// The partition of the bookings, of any show, that payments with a reference came for.
#[must_use]
pub fn reference_partition(reference: &str) -> String {
    format!("reference#{reference}")
}

/// The partition of one shard of the list of a show's bookings.
#[must_use]
pub fn bookings_shard(show: &ShowId, shard: u8) -> String {
    format!("bookings#{show}#{shard:02}")
}

/// The partition of the bookings that came with one of the caller's orders. What sorts them is the booking's id.
#[must_use]
pub fn order(show: &ShowId, order: &OrderId) -> String {
    format!("order#{show}#{}", order.as_str())
}

/// The record of a refund.
#[must_use]
pub fn refund(id: RefundId) -> Key {
    Key { partition: format!("refund#{id}"), sort: "refund".to_owned() }
}

/// The entry of a refund in the list of those that are due.
#[must_use]
pub fn refund_entry(id: RefundId) -> Key {
    let sort = id.to_string();
    Key { partition: refunds_shard(shard_of(&sort)), sort }
}

/// The partition of one shard of the refunds that are due.
#[must_use]
pub fn refunds_shard(shard: u8) -> String {
    format!("refunds#{shard:02}")
}

/// The partition of one shard of the list of shows.
#[must_use]
pub fn shows_shard(shard: u8) -> String {
    format!("shows#{shard:02}")
}

/// One event of a show: by the epoch of its loading, and its id in the stream (`1764500000000-0`).
#[must_use]
pub fn audit(show: &ShowId, epoch: &str, event: &str) -> Key {
    let (ms, number) = event.split_once('-').unwrap_or((event, ""));
    let shard = shard_of(event);
    Key { partition: format!("audit#{show}#{shard:02}"), sort: format!("{epoch}#{ms:0>13}-{number:0>6}") }
}

/// How far the events of a show were drained.
#[must_use]
pub fn drained(show: &ShowId) -> Key {
    Key { partition: format!("show#{show}"), sort: "drained".to_owned() }
}

/// The lease of a reconcile of all shows, and where the last one stopped.
#[must_use]
pub fn lease() -> Key {
    Key { partition: "reconcile".to_owned(), sort: "lease".to_owned() }
}
