//! Requests become typed values here and nowhere else: the grammar and the limits of the contract, with all faults of a
//! request in one answer. One file a body: [`show`], [`hold`], [`confirm`], [`cancel`], [`restore`]; [`page`] has the query of
//! lists; [`fields`] is what bodies are read with.

pub mod cancel;
pub mod confirm;
pub mod fields;
pub mod hold;
pub mod page;
pub mod restore;
pub mod show;

use crate::domain::{BookingId, PresentedToken, RefundId, SeatId, ShowId, ZoneId};
use fields::{Faults, Fields};

use super::json::Json;

/// Highest version that a request may name: what every client's numbers can carry.
const MAX_VERSION: u64 = 9_007_199_254_740_991;

/// Reads the body, an object, with `read`. `None`, with the faults told, when it is not what it should be.
fn read_body<T>(
    json: Option<&Json>,
    faults: &mut Faults,
    read: impl FnOnce(&mut Fields<'_, '_>) -> Option<T>,
) -> Option<T> {
    match json? {
        Json::Object(entries) => {
            let mut fields = Fields::new("", entries, faults);
            let value = read(&mut fields);
            fields.finish();
            value
        }
        _ => {
            faults.add("body", "must be a JSON object");
            None
        }
    }
}

macro_rules! path_parameter {
    ($(#[$doc:meta])* $name:ident, $type:ty, $parameter:literal) => {
        $(#[$doc])*
        pub fn $name(value: Option<&str>, faults: &mut Faults) -> Option<$type> {
            match <$type>::parse(value.unwrap_or("")) {
                Ok(id) => Some(id),
                Err(problem) => {
                    faults.add($parameter, problem);
                    None
                }
            }
        }
    };
}

path_parameter! {
    /// `{showId}`
    show_id, ShowId, "showId"
}
path_parameter! {
    /// `{zoneId}`
    zone_id, ZoneId, "zoneId"
}
path_parameter! {
    /// `{holdToken}`, as the caller presents it: see [`Call::issued`](super::Call::issued).
    hold_token, PresentedToken, "holdToken"
}
path_parameter! {
    /// `{bookingId}`
    booking_id, BookingId, "bookingId"
}
path_parameter! {
    /// `{refundId}`
    refund_id, RefundId, "refundId"
}

/// The version of a booking or a show.
fn version(json: &Json, path: &str, faults: &mut Faults) -> Option<u64> {
    fields::integer(1, MAX_VERSION)(json, path, faults)
}

/// A list of seats, 1 to 96, none twice.
fn seats(json: &Json, path: &str, faults: &mut Faults) -> Option<Vec<SeatId>> {
    place_list(json, path, faults, |text| SeatId::parse(text).map_err(ToOwned::to_owned))
}

/// A list of places, 1 to 96, none twice.
fn place_list<T: PartialEq>(
    json: &Json,
    path: &str,
    faults: &mut Faults,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Option<Vec<T>> {
    const MAX: usize = crate::domain::MAX_PLACES_PER_REQUEST;
    let Json::List(entries) = json else {
        faults.add(path, "must be a list");
        return None;
    };
    if entries.is_empty() || entries.len() > MAX {
        faults.add(path, format!("must have 1 to {MAX} entries"));
        return None;
    }
    let mut places: Vec<T> = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        let at = format!("{path}[{index}]");
        let Json::Text(text) = entry else {
            faults.add(at, "must be a text");
            continue;
        };
        match parse(text) {
            Ok(place) if places.contains(&place) => faults.add(at, "is there twice"),
            Ok(place) => places.push(place),
            Err(problem) => faults.add(at, problem),
        }
    }
    (places.len() == entries.len()).then_some(places)
}
