//! Shows, their entries in the list, and the places that they have sold.

use super::super::keys::{self, SORT};
use super::{Attributes, Item, item, number, text};
use crate::Failure;
use crate::domain::{Booking, Show, ShowEntry, ShowId, SoldPlace};

/// The item of a show: its document as JSON.
pub(in super::super) fn show_item(show: &Show) -> Result<Item, Failure> {
    let document = serde_json::to_string(show).map_err(|error| Failure::internal_because("show as JSON", error))?;
    let attributes = [("version", Some(number(show.version))), ("document", Some(text(document)))];
    Ok(item(&keys::show(&show.show_id), attributes))
}

/// The show of an item.
pub(in super::super) fn read_show(item: &Item) -> Result<Show, Failure> {
    let attributes = Attributes::of(item)?;
    let document = attributes.text("document")?;
    serde_json::from_str(document).map_err(|error| Failure::internal_because("stored show", error))
}

/// The entry in the list of shows.
pub(in super::super) fn show_entry(show: &Show) -> Item {
    let instant = |instant: Option<jiff::Timestamp>| instant.map(|instant| text(instant.to_string()));
    let attributes = [
        ("name", Some(text(&show.name))),
        ("startsAt", instant(show.starts_at)),
        ("opensAt", instant(show.sale.opens_at)),
        ("closesAt", instant(show.sale.closes_at)),
        ("places", Some(number(show.places()))),
        ("version", Some(number(show.version))),
    ];
    item(&keys::show_entry(&show.show_id), attributes)
}

/// An entry of the list of shows.
pub(in super::super) fn read_show_entry(item: &Item) -> Result<ShowEntry, Failure> {
    let attributes = Attributes::of(item)?;
    let instant = |name| {
        let instant = attributes.optional(name).map(str::parse::<jiff::Timestamp>).transpose();
        instant.map_err(|_| attributes.missing(name))
    };
    Ok(ShowEntry {
        show: ShowId::parse(attributes.text(SORT)?).map_err(|_| attributes.missing(SORT))?,
        name: attributes.text("name")?.to_owned(),
        starts_at: instant("startsAt")?,
        opens_at: instant("opensAt")?,
        closes_at: instant("closesAt")?,
        places: attributes.number("places")?,
        version: attributes.number("version")?,
        clean: attributes.number("clean").ok(),
    })
}

/// The item of a place that a booking has.
pub(in super::super) fn sold_place(booking: &Booking, place: &str) -> Item {
    let attributes = [
        ("booking", Some(text(booking.id.to_string()))),
        ("version", Some(number(booking.version))),
        ("soldAt", Some(number(booking.decided_at_ms))),
    ];
    item(&keys::sold_place(&booking.show, place), attributes)
}

/// The place of an item.
pub(in super::super) fn read_sold_place(item: &Item) -> Result<SoldPlace, Failure> {
    let attributes = Attributes::of(item)?;
    Ok(SoldPlace {
        place: attributes.text(SORT)?.to_owned(),
        booking: attributes.text("booking")?.to_owned(),
        version: attributes.number("version")?,
    })
}
