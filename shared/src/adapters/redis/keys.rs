//! Every key of Redis, spelt once. Each carries the tag `{show:<id>}`, so that all keys of a show share one slot
//! (design: INV-12). The ids were parsed before, so that none of them can hold a brace or a colon.

use crate::domain::{BookingId, HoldToken, SeatId, ShowId, ZoneId};

/// The hash whose existence means "loaded": epoch, version, policy, zone capacities.
#[must_use]
pub fn show(show: &ShowId) -> String {
    format!("show:{{show:{show}}}")
}

/// The id in the tag of any of these keys.
#[must_use]
pub fn show_of(key: &str) -> Option<&str> {
    Some(key.split_once("{show:")?.1.split_once('}')?.0)
}

/// What all keys of a show match, and no others, as `SCAN` takes it.
#[must_use]
pub fn all_of(show: &ShowId) -> String {
    format!("*:{{show:{show}}}*")
}

/// Whether a key is of one hold, or one booking, and not of the show as it was loaded.
#[must_use]
pub fn is_of_a_hold(key: &str) -> bool {
    ["hold:", "seat-hold:", "booking:"].iter().any(|prefix| key.starts_with(prefix))
}

/// Hash: seat -> empty (for sale) or booking id (sold).
#[must_use]
pub fn seats(show: &ShowId) -> String {
    format!("seats:{{show:{show}}}")
}

/// String with PX: the hold token that has the seat.
#[must_use]
pub fn seat_hold(show: &ShowId, seat: &SeatId) -> String {
    format!("seat-hold:{{show:{show}}}:{seat}")
}

/// Hash with PX: the hold record of a token.
#[must_use]
pub fn hold(show: &ShowId, token: HoldToken) -> String {
    format!("hold:{{show:{show}}}:{token}")
}

/// Sorted set: place -> deadline in ms, the index of live holds.
#[must_use]
pub fn held(show: &ShowId) -> String {
    format!("held:{{show:{show}}}")
}

/// Sorted set: token -> when it was pinned, in ms.
#[must_use]
pub fn confirming(show: &ShowId) -> String {
    format!("confirming:{{show:{show}}}")
}

/// String with PX: the highest version of a booking that Redis has applied.
#[must_use]
pub fn booking(show: &ShowId, booking: BookingId) -> String {
    format!("booking:{{show:{show}}}:{booking}")
}

/// Stream, capped: what happened to the places of a show.
#[must_use]
pub fn events(show: &ShowId) -> String {
    format!("events:{{show:{show}}}")
}

/// String with PX: the lease of a loader.
#[must_use]
pub fn load(show: &ShowId) -> String {
    format!("load:{{show:{show}}}")
}

/// Staging hash of a loader, like [`seats`].
#[must_use]
pub fn load_seats(show: &ShowId, lease: &str) -> String {
    format!("load-seats:{{show:{show}}}:{lease}")
}

/// Staging hash of a loader, like [`stock_sold`].
#[must_use]
pub fn load_sold(show: &ShowId, lease: &str, zone: &ZoneId) -> String {
    format!("load-sold:{{show:{show}}}:{lease}:{zone}")
}

/// String: what is left in a zone, derived from its units.
#[must_use]
pub fn stock(show: &ShowId, zone: &ZoneId) -> String {
    format!("stock:{{show:{show}}}:{zone}")
}

/// String: the number of the next fresh unit.
#[must_use]
pub fn stock_next(show: &ShowId, zone: &ZoneId) -> String {
    format!("stock-next:{{show:{show}}}:{zone}")
}

/// Sorted set: numbers of units that were handed out and came back.
#[must_use]
pub fn stock_returned(show: &ShowId, zone: &ZoneId) -> String {
    format!("stock-returned:{{show:{show}}}:{zone}")
}

/// Sorted set: unit number -> deadline in ms of its hold.
#[must_use]
pub fn stock_held(show: &ShowId, zone: &ZoneId) -> String {
    format!("stock-held:{{show:{show}}}:{zone}")
}

/// Hash: unit number -> token that holds it.
#[must_use]
pub fn stock_holders(show: &ShowId, zone: &ZoneId) -> String {
    format!("stock-holders:{{show:{show}}}:{zone}")
}

/// Hash: unit number -> booking id.
#[must_use]
pub fn stock_sold(show: &ShowId, zone: &ZoneId) -> String {
    format!("stock-sold:{{show:{show}}}:{zone}")
}

/// The keys of a zone's units, in the order in which scripts take them.
#[must_use]
pub fn units(show: &ShowId, zone: &ZoneId) -> [String; 6] {
    [
        stock(show, zone),
        stock_next(show, zone),
        stock_returned(show, zone),
        stock_held(show, zone),
        stock_holders(show, zone),
        stock_sold(show, zone),
    ]
}
