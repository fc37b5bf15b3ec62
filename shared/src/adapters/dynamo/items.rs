//! Items: what the domain has, as attributes, and back. `format` is the number of this layout.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;

use super::keys::{self, Key, PARTITION, SORT};
use crate::Failure;
use crate::domain::{
    Booking, BookingId, Buyer, Decision, OrderId, Payment, Places, RefusedBecause, Show, ShowId, ZoneId,
};
use crate::ports::SoldPlace;

/// An item of the table.
pub type Item = HashMap<String, AttributeValue>;

const FORMAT: u64 = 1;

fn text(value: impl Into<String>) -> AttributeValue {
    AttributeValue::S(value.into())
}

fn number(value: impl ToString) -> AttributeValue {
    AttributeValue::N(value.to_string())
}

fn item(key: &Key, attributes: impl IntoIterator<Item = (&'static str, Option<AttributeValue>)>) -> Item {
    let mut item = key.attributes();
    item.insert("format".to_owned(), number(FORMAT));
    let present = attributes.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    item.extend(present);
    item
}

/// Reads attributes of an item; what is missing or of another type is an internal error that names it.
struct Attributes<'a>(&'a Item);

impl Attributes<'_> {
    fn missing(&self, name: &str) -> Failure {
        // The kind of item, and not its whole key: a booking's id is a capability.
        let key = self.0.get(PARTITION).and_then(|value| value.as_s().ok());
        let kind = key.and_then(|key| key.split('#').next()).unwrap_or("?");
        Failure::internal(format!("an item of kind {kind} has no right {name}"))
    }

    fn text(&self, name: &str) -> Result<&str, Failure> {
        self.optional(name).ok_or_else(|| self.missing(name))
    }

    fn optional(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(|value| value.as_s().ok()).map(String::as_str)
    }

    fn number<T: std::str::FromStr>(&self, name: &str) -> Result<T, Failure> {
        let digits = self.0.get(name).and_then(|value| value.as_n().ok());
        digits.and_then(|digits| digits.parse().ok()).ok_or_else(|| self.missing(name))
    }
}

/// The item of a show: its document as JSON.
pub(super) fn show_item(show: &Show) -> Result<Item, Failure> {
    let document = serde_json::to_string(show).map_err(|error| Failure::internal_because("show as JSON", error))?;
    let attributes = [("version", Some(number(show.version))), ("document", Some(text(document)))];
    Ok(item(&keys::show(&show.show_id), attributes))
}

/// The show of an item.
pub(super) fn read_show(item: &Item) -> Result<Show, Failure> {
    let attributes = Attributes(item);
    let document = attributes.text("document")?;
    serde_json::from_str(document).map_err(|error| Failure::internal_because("stored show", error))
}

/// The entry in the list of shows.
pub(super) fn show_entry(show: &Show) -> Item {
    let starts_at = show.starts_at.map(|instant| text(instant.to_string()));
    let attributes =
        [("name", Some(text(&show.name))), ("startsAt", starts_at), ("version", Some(number(show.version)))];
    item(&keys::show_entry(&show.show_id), attributes)
}

/// The item of a place that a booking has.
pub(super) fn sold_place(booking: &Booking, place: &str) -> Item {
    let attributes = [
        ("booking", Some(text(booking.id.to_string()))),
        ("version", Some(number(booking.version))),
        ("soldAt", Some(number(booking.decided_at_ms))),
    ];
    item(&keys::sold_place(&booking.show, place), attributes)
}

/// The place of an item.
pub(super) fn read_sold_place(item: &Item) -> Result<SoldPlace, Failure> {
    let attributes = Attributes(item);
    Ok(SoldPlace {
        place: attributes.text(SORT)?.to_owned(),
        booking: attributes.text("booking")?.to_owned(),
        version: attributes.number("version")?,
    })
}

/// The item of a booking.
pub(super) fn booking_item(booking: &Booking) -> Result<Item, Failure> {
    let payment = booking.payment.as_ref().map(serde_json::to_string).transpose();
    let payment = payment.map_err(|error| Failure::internal_because("payment as JSON", error))?;
    let (status, refused) = match &booking.decision {
        Decision::Confirmed => ("confirmed", None),
        Decision::Refused(because) => ("refused", Some(because)),
    };
    let taken = match refused {
        Some(RefusedBecause::AlreadySold(places)) => Some(text(places.join(" "))),
        Some(RefusedBecause::ShowNotFound | RefusedBecause::HoldLost | RefusedBecause::HoldMismatch) | None => None,
    };
    let attributes = [
        ("status", Some(text(status))),
        ("code", refused.map(|because| text(because.code()))),
        ("taken", taken),
        ("show", Some(text(booking.show.as_str()))),
        ("zone", booking.places.as_ref().and_then(Places::zone).map(|zone| text(zone.as_str()))),
        ("places", booking.places.as_ref().map(|places| text(places.ids().join(" ")))),
        ("buyer", Some(text(booking.buyer.as_str())).filter(|_| !booking.buyer.as_str().is_empty())),
        ("payment", payment.map(text)),
        ("order", booking.order.as_ref().map(|order| text(order.as_str()))),
        ("decidedAt", Some(number(booking.decided_at_ms))),
        ("holdFound", Some(AttributeValue::Bool(booking.hold_found))),
        ("version", Some(number(booking.version))),
    ];
    Ok(item(&keys::booking(booking.id), attributes))
}

/// The booking of an item.
pub(super) fn read_booking(id: BookingId, item: &Item) -> Result<Booking, Failure> {
    let attributes = Attributes(item);
    let decision = match (attributes.text("status")?, attributes.optional("code")) {
        ("confirmed", _) => Decision::Confirmed,
        ("refused", Some("show_not_found")) => Decision::Refused(RefusedBecause::ShowNotFound),
        ("refused", Some("hold_lost")) => Decision::Refused(RefusedBecause::HoldLost),
        ("refused", Some("hold_mismatch")) => Decision::Refused(RefusedBecause::HoldMismatch),
        ("refused", Some("seat_already_sold")) => {
            let taken = attributes.text("taken")?.split(' ').map(ToOwned::to_owned).collect();
            Decision::Refused(RefusedBecause::AlreadySold(taken))
        }
        _ => return Err(attributes.missing("status")),
    };
    let places = attributes.optional("places");
    let zone = attributes.optional("zone").unwrap_or("");
    let places = places.map(|ids| Places::from_stored(zone, ids)).transpose();
    let payment = attributes.optional("payment").map(serde_json::from_str::<Payment>).transpose();
    Ok(Booking {
        id,
        show: ShowId::parse(attributes.text("show")?).map_err(|_| attributes.missing("show"))?,
        decision,
        places: places.map_err(|_| attributes.missing("places"))?,
        buyer: Buyer::from_hash(attributes.optional("buyer").unwrap_or("").to_owned()),
        payment: payment.map_err(|_| attributes.missing("payment"))?,
        order: attributes.optional("order").map(OrderId::parse).transpose().map_err(|_| attributes.missing("order"))?,
        decided_at_ms: attributes.number("decidedAt")?,
        hold_found: item.get("holdFound").and_then(|value| value.as_bool().ok()).copied().unwrap_or(false),
        version: attributes.number("version")?,
    })
}

/// The item of a refund that is due for `payment`, which came with a confirm of `booking`'s token.
pub(super) fn refund_item(booking: &Booking, payment: &Payment, reason: &str, created_at_ms: i64) -> Item {
    let attributes = [
        ("reference", Some(text(&payment.reference))),
        ("booking", Some(text(booking.id.to_string()))),
        ("show", Some(text(booking.show.as_str()))),
        ("zone", booking.places.as_ref().and_then(Places::zone).map(ZoneId::as_str).map(text)),
        ("amount", payment.amount.as_ref().map(text)),
        ("currency", payment.currency.as_ref().map(text)),
        ("reason", Some(text(reason))),
        ("holdFound", Some(AttributeValue::Bool(booking.hold_found))),
        ("createdAt", Some(number(created_at_ms))),
        ("status", Some(text("due"))),
    ];
    item(&keys::refund(&payment.reference, booking.id), attributes)
}
