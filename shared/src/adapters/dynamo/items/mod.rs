//! Items: what the domain has, as attributes, and back. `format` is the number of this layout.

mod booking;
mod reconcile;
mod refund;
mod show;

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;

use super::keys::{Key, PARTITION};
use crate::Failure;

pub(super) use booking::{booking_entry, booking_item, order_entry, read_booking, read_booking_entry, reference_entry};
pub(super) use reconcile::{audit_item, drained_item, read_drained, stopped_at};
pub(super) use refund::{read_refund, read_refund_entry, refund_entry, refund_item};
pub(super) use show::{read_show, read_show_entry, read_sold_place, show_entry, show_item, sold_place};

/// An item of the table.
pub type Item = HashMap<String, AttributeValue>;

/// The number of this layout.
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
pub(super) struct Attributes<'a>(&'a Item);

impl<'a> Attributes<'a> {
    /// Those of an item of this layout, or an earlier one. A later one is of a release that knows more than this one does: it
    /// is left to that.
    pub fn of(item: &'a Item) -> Result<Self, Failure> {
        let attributes = Attributes(item);
        match attributes.number::<u64>("format") {
            Ok(format) if format > FORMAT => {
                let what = format!("an item of kind {} has layout {format}", attributes.kind());
                Err(Failure::OtherLayout { what, source: None })
            }
            _ => Ok(attributes),
        }
    }

    /// The kind of item, and not its whole key: a booking's id is a capability.
    fn kind(&self) -> &str {
        let key = self.0.get(PARTITION).and_then(|value| value.as_s().ok());
        key.and_then(|key| key.split('#').next()).unwrap_or("?")
    }

    pub fn missing(&self, name: &str) -> Failure {
        Failure::internal(format!("an item of kind {} has no right {name}", self.kind()))
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
