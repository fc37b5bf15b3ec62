//! Refunds: one permanent record each, and an entry in a list while it is due.

use aws_sdk_dynamodb::types::AttributeValue;

use super::super::keys::{self, SORT};
use super::booking::inside_json;
use super::{Attributes, Item, item, number, text};
use crate::Failure;
use crate::domain::{Booking, BookingId, Payment, RefundEntry, RefundId, RefundRecord, RefundStatus, ShowId};

/// The refund of `payment`, which came for `booking`'s token, as it becomes due. `standing` are the bookings that the same
/// reference pays for at this moment: the event carries them.
pub(in super::super) fn refund_item(
    booking: &Booking,
    payment: &Payment,
    standing: &[BookingId],
    reason: &str,
    created_at_ms: i64,
) -> Item {
    let standing: Vec<String> = standing.iter().map(ToString::to_string).collect();
    let id = RefundId::of(booking.id, &payment.reference);
    let attributes = [
        ("refund", Some(text(id.to_string()))),
        ("reference", Some(text(&payment.reference))),
        ("eventReference", Some(text(inside_json(&payment.reference)))),
        ("booking", Some(text(booking.id.to_string()))),
        ("show", Some(text(booking.show.as_str()))),
        ("amount", payment.amount.as_ref().map(text)),
        ("currency", payment.currency.as_ref().map(text)),
        ("reason", Some(text(reason))),
        ("holdFound", Some(AttributeValue::Bool(booking.hold_found))),
        ("standing", Some(text(standing.join(" "))).filter(|_| !standing.is_empty())),
        ("createdAt", Some(number(created_at_ms))),
        // See the items of bookings.
        ("event", Some(text("RefundDue"))),
        ("status", Some(text(RefundStatus::Due.as_str()))),
    ];
    item(&keys::refund(id), attributes)
}

/// The entry of a refund in the list of those that are due.
pub(in super::super) fn refund_entry(id: RefundId) -> Item {
    item(&keys::refund_entry(id), [])
}

/// An entry of that list.
pub(in super::super) fn read_refund_entry(item: &Item) -> Result<RefundEntry, Failure> {
    let attributes = Attributes::of(item)?;
    let key = attributes.text(SORT)?;
    Ok(RefundEntry { key: key.to_owned(), refund: RefundId::parse(key).map_err(|_| attributes.missing(SORT))? })
}

/// The refund of an item.
pub(in super::super) fn read_refund(item: &Item) -> Result<RefundRecord, Failure> {
    let attributes = Attributes::of(item)?;
    let optional = |name| attributes.optional(name).map(ToOwned::to_owned);
    Ok(RefundRecord {
        id: RefundId::parse(attributes.text("refund")?).map_err(|_| attributes.missing("refund"))?,
        payment: Payment {
            reference: attributes.text("reference")?.to_owned(),
            amount: optional("amount"),
            currency: optional("currency"),
        },
        booking: BookingId::parse(attributes.text("booking")?).map_err(|_| attributes.missing("booking"))?,
        show: ShowId::parse(attributes.text("show")?).map_err(|_| attributes.missing("show"))?,
        reason: attributes.text("reason")?.to_owned(),
        hold_found: attributes.flag("holdFound"),
        created_at_ms: attributes.number("createdAt")?,
        status: RefundStatus::parse(attributes.text("status")?).ok_or_else(|| attributes.missing("status"))?,
    })
}
