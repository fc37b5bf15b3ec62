//! What a reconcile finds in Redis.

use super::HoldToken;

/// What a reconcile has to know of a show before it compares.
#[derive(Clone, Debug)]
pub struct Survey {
    /// Names this loading.
    pub epoch: String,
    /// The version of the show.
    pub version: u64,
    /// Whether somebody is replacing it.
    pub replacement: Replacement,
    /// How many seats it has.
    pub seats: u64,
    /// Places of live holds, and tokens that are being confirmed.
    pub live: u64,
}

/// Whether a show is being replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replacement {
    /// It is not.
    None,
    /// It is.
    UnderWay,
    /// Whoever began it died.
    GivenUp,
}

/// A token that is being confirmed.
#[derive(Clone, Debug)]
pub struct PinnedToken {
    /// The token.
    pub token: HoldToken,
    /// How long ago it was pinned, in ms.
    pub age_ms: u64,
}

/// What Redis says of a place that is not simply for sale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlaceState {
    /// The show does not have it.
    Absent,
    /// Sold to a booking, as it is stored.
    Sold(String),
    /// Held by a token, as it is stored.
    Held(String),
}

/// A part of a listing.
#[derive(Clone, Debug)]
pub struct Scanned {
    /// Seats, or numbers of units.
    pub fields: Vec<String>,
    /// Where to go on; `None`: that was all.
    pub cursor: Option<String>,
}

/// What happened to places of a show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its id in the stream, `1764500000000-0`.
    pub id: String,
    /// `held`, `sold`, `expired`, ...
    pub what: String,
    /// The places, with spaces between.
    pub places: String,
    /// What else it says: name, value.
    pub details: Vec<(String, String)>,
}

/// Events of a show, in their order.
#[derive(Clone, Debug)]
pub struct Events {
    /// Names the loading that they belong to.
    pub epoch: String,
    /// How many the stream ever had.
    pub added: u64,
    /// How many it has.
    pub length: u64,
    /// Those that were asked for.
    pub events: Vec<Event>,
}

/// Some of the keys that a show has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundKeys {
    /// Those that a load makes, or whose names are not known here.
    pub of_the_show: Vec<String>,
    /// Those of its holds and bookings.
    pub of_holds: Vec<String>,
    /// Whether there is the list of tokens that are being confirmed among them.
    pub confirms: bool,
    /// Where to go on; `None`: that is all.
    pub cursor: Option<String>,
}
