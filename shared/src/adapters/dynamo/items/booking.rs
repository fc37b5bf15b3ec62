//! Bookings, and what they are found by.

use aws_sdk_dynamodb::types::AttributeValue;

use super::super::keys::{self, Key, SORT};
use super::{Attributes, Item, item, number, text};
use crate::Failure;
use crate::domain::{
    Booking, BookingEntry, BookingId, Buyer, Cancellation, Decision, OrderId, Payment, Places, RefusedBecause, ShowId,
};

/// The item of a booking.
pub(in super::super) fn booking_item(booking: &Booking) -> Result<Item, Failure> {
    let payment = booking.payment.as_ref().map(serde_json::to_string).transpose();
    let payment = payment.map_err(|error| Failure::internal_because("payment as JSON", error))?;
    let (status, refused, cancelled) = match &booking.decision {
        Decision::Confirmed => ("confirmed", None, None),
        Decision::Cancelled(cancelled) => ("cancelled", None, Some(cancelled)),
        Decision::Refused(because) => ("refused", Some(because), None),
    };
    // What the table's stream is told by: a pipe in the template passes these on.
    let event = match status {
        "confirmed" => Some("BookingConfirmed"),
        "cancelled" => Some("BookingCancelled"),
        _ => None,
    };
    let taken = match refused {
        Some(RefusedBecause::AlreadySold(places)) => Some(text(places.join(" "))),
        Some(RefusedBecause::ShowNotFound | RefusedBecause::HoldLost | RefusedBecause::HoldMismatch) | None => None,
    };
    let attributes = [
        ("booking", Some(text(booking.id.to_string()))),
        ("event", event.map(text)),
        ("status", Some(text(status))),
        ("code", refused.map(|because| text(because.code()))),
        ("taken", taken),
        ("show", Some(text(booking.show.as_str()))),
        ("zone", booking.places.as_ref().and_then(Places::zone).map(|zone| text(zone.as_str()))),
        ("places", booking.places.as_ref().map(|places| text(places.ids().join(" ")))),
        ("first", booking.first.as_ref().map(|places| text(places.ids().join(" ")))),
        ("buyer", Some(text(booking.buyer.as_str())).filter(|_| !booking.buyer.as_str().is_empty())),
        ("payment", payment.map(text)),
        ("order", booking.order.as_ref().map(|order| text(order.as_str()))),
        ("eventOrder", booking.order.as_ref().map(|order| text(inside_json(order.as_str())))),
        ("decidedAt", Some(number(booking.decided_at_ms))),
        ("holdFound", Some(AttributeValue::Bool(booking.hold_found))),
        ("cancelReason", cancelled.and_then(|cancelled| cancelled.reason.as_ref()).map(text)),
        ("refunded", cancelled.map(|cancelled| AttributeValue::Bool(cancelled.refunded))),
        ("cancelledAt", cancelled.map(|cancelled| number(cancelled.at_ms))),
        ("version", Some(number(booking.version))),
        ("soldVersion", Some(number(booking.sold_version))),
    ];
    Ok(item(&keys::booking(booking.id), attributes))
}

/// A text as it stands between the quotes of a JSON text: the pipe puts it there as it is.
pub(super) fn inside_json(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted.trim_start_matches('"').strip_suffix('"').unwrap_or(text).to_owned()
}

/// The booking of an item.
pub(in super::super) fn read_booking(id: BookingId, item: &Item) -> Result<Booking, Failure> {
    let attributes = Attributes::of(item)?;
    let decision = match (attributes.text("status")?, attributes.optional("code")) {
        ("confirmed", _) => Decision::Confirmed,
        ("cancelled", _) => Decision::Cancelled(Cancellation {
            reason: attributes.optional("cancelReason").map(ToOwned::to_owned),
            refunded: attributes.flag("refunded"),
            at_ms: attributes.number("cancelledAt")?,
        }),
        ("refused", Some("show_not_found")) => Decision::Refused(RefusedBecause::ShowNotFound),
        ("refused", Some("hold_lost")) => Decision::Refused(RefusedBecause::HoldLost),
        ("refused", Some("hold_mismatch")) => Decision::Refused(RefusedBecause::HoldMismatch),
        ("refused", Some("seat_already_sold")) => {
            let taken = attributes.text("taken")?.split(' ').map(ToOwned::to_owned).collect();
            Decision::Refused(RefusedBecause::AlreadySold(taken))
        }
        _ => return Err(attributes.missing("status")),
    };
    let zone = attributes.optional("zone").unwrap_or("");
    let places = |name| {
        let places = attributes.optional(name).map(|ids| Places::from_stored(zone, ids)).transpose();
        places.map_err(|_| attributes.missing(name))
    };
    let payment = attributes.optional("payment").map(serde_json::from_str::<Payment>).transpose();
    Ok(Booking {
        id,
        show: ShowId::parse(attributes.text("show")?).map_err(|_| attributes.missing("show"))?,
        decision,
        places: places("places")?,
        first: places("first")?,
        buyer: Buyer::from_hash(attributes.optional("buyer").unwrap_or("").to_owned()),
        payment: payment.map_err(|_| attributes.missing("payment"))?,
        order: attributes.optional("order").map(OrderId::parse).transpose().map_err(|_| attributes.missing("order"))?,
        decided_at_ms: attributes.number("decidedAt")?,
        hold_found: attributes.flag("holdFound"),
        version: attributes.number("version")?,
        sold_version: attributes.number("soldVersion")?,
    })
}

/// The entry of a booking in the list of its show's bookings.
pub(in super::super) fn booking_entry(booking: &Booking) -> Item {
    let id = ("booking", Some(text(booking.id.to_string())));
    item(&keys::booking_entry(&booking.show, booking.id), [id])
}

/// The entry of a booking by which the reference of its payment finds it, if it has one.
pub(in super::super) fn reference_entry(booking: &Booking) -> Option<Item> {
    let payment = booking.payment.as_ref()?;
    let id = ("booking", Some(text(booking.id.to_string())));
    Some(item(&keys::reference_entry(&payment.reference, &booking.show, booking.id), [id]))
}

/// The entry of a booking by which its order finds it, if it came with one.
pub(in super::super) fn order_entry(booking: &Booking) -> Option<Item> {
    let partition = keys::order(&booking.show, booking.order.as_ref()?);
    let id = booking.id.to_string();
    Some(item(&Key { partition, sort: id.clone() }, [("booking", Some(text(id)))]))
}

/// An entry of any of these lists.
pub(in super::super) fn read_booking_entry(item: &Item) -> Result<BookingEntry, Failure> {
    let attributes = Attributes::of(item)?;
    Ok(BookingEntry {
        key: attributes.text(SORT)?.to_owned(),
        booking: BookingId::parse(attributes.text("booking")?).map_err(|_| attributes.missing("booking"))?,
    })
}
