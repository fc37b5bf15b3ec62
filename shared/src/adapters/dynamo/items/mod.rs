//! Items: what the domain has, as attributes, and back. `format` is the number of this layout.

mod booking;
mod reconcile;
mod refund;
mod show;

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;

use super::keys::{Key, PARTITION};
use crate::Failure;

pub(super) use booking::{booking_entry, booking_item, order_entry, read_booking, read_booking_entry};
pub(super) use reconcile::{audit_item, drained_item, read_drained, stopped_at};
pub(super) use refund::{read_refund, read_refund_entry, refund_entry, refund_item};
pub(super) use show::{read_show, read_show_entry, read_sold_place, show_entry, show_item, sold_place};

/// An item of the table.
pub type Item = HashMap<String, AttributeValue>;

const FORMAT: u64 = 1;

pub(super) fn text(value: impl Into<String>) -> AttributeValue {
    AttributeValue::S(value.into())
}

pub(super) fn number(value: impl ToString) -> AttributeValue {
    AttributeValue::N(value.to_string())
}

pub(super) fn item(key: &Key, attributes: impl IntoIterator<Item = (&'static str, Option<AttributeValue>)>) -> Item {
    let mut item = key.attributes();
    item.insert("format".to_owned(), number(FORMAT));
    let present = attributes.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    item.extend(present);
    item
}

/// Reads attributes of an item; what is missing or of another type is an internal error that names it.
pub(super) struct Attributes<'a>(pub &'a Item);

impl Attributes<'_> {
    pub fn missing(&self, name: &str) -> Failure {
        // The kind of item, and not its whole key: a booking's id is a capability.
        let key = self.0.get(PARTITION).and_then(|value| value.as_s().ok());
        let kind = key.and_then(|key| key.split('#').next()).unwrap_or("?");
        Failure::internal(format!("an item of kind {kind} has no right {name}"))
    }

    pub fn text(&self, name: &str) -> Result<&str, Failure> {
        self.optional(name).ok_or_else(|| self.missing(name))
    }

    pub fn optional(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(|value| value.as_s().ok()).map(String::as_str)
    }

    pub fn number<T: std::str::FromStr>(&self, name: &str) -> Result<T, Failure> {
        let digits = self.0.get(name).and_then(|value| value.as_n().ok());
        digits.and_then(|digits| digits.parse().ok()).ok_or_else(|| self.missing(name))
    }

    /// A flag; one that is not there is false.
    pub fn flag(&self, name: &str) -> bool {
        self.0.get(name).and_then(|value| value.as_bool().ok()).copied().unwrap_or(false)
    }
}
