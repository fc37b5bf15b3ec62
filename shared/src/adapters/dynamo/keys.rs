//! Every key of the table, spelt once. There is no index, and nothing here is written by every sale of a show: what a show
//! has sold lies in 64 partitions (design, section 4).

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;

use crate::domain::places::shard_of;
use crate::domain::{BookingId, ShowId};

/// The partition key's name.
pub const PARTITION: &str = "pk";
/// The sort key's name.
pub const SORT: &str = "sk";

/// The two keys of one item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// Partition key.
    pub partition: String,
    /// Sort key.
    pub sort: String,
}

impl Key {
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
    Key { partition: format!("shows#{:02}", shard_of(show.as_str())), sort: show.to_string() }
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

/// A refund that is due, by payment reference and booking.
#[must_use]
pub fn refund(reference: &str, booking: BookingId) -> Key {
    let sort = format!("{reference}#{booking}");
    Key { partition: format!("refunds#{:02}", shard_of(&sort)), sort }
}
