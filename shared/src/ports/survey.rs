//! The ports of Redis that a reconcile looks through, and its own tidying. What it changes else, it changes by mark, free and
//! pin.

use std::future::Future;

use super::Touched;
use crate::Failure;
use crate::domain::{CacheNode, HoldToken, Places, ShowId, ZoneId};

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

/// `lua/survey.lua`
pub trait SurveyShow {
    /// Tells what Redis has of a show.
    fn survey_show(&self, show: &ShowId) -> impl Future<Output = Touched<Survey>> + Send;
}

/// A token that is being confirmed.
#[derive(Clone, Debug)]
pub struct PinnedToken {
    /// The token.
    pub token: HoldToken,
    /// How long ago it was pinned, in ms.
    pub age_ms: u64,
}

/// `lua/pinned.lua`
pub trait ListPinned {
    /// The tokens that are being confirmed, `count` at most, from rank `first` on.
    fn list_pinned(
        &self,
        show: &ShowId,
        first: usize,
        count: usize,
    ) -> impl Future<Output = Touched<Vec<PinnedToken>>> + Send;
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

/// `lua/compare.lua`
pub trait ComparePlaces {
    /// Who has these places: an index into them, and what is said of that place.
    fn compare_places(
        &self,
        show: &ShowId,
        places: &Places,
    ) -> impl Future<Output = Touched<Vec<(usize, PlaceState)>>> + Send;
}

/// A part of a listing.
#[derive(Clone, Debug)]
pub struct Scanned {
    /// Seats, or numbers of units.
    pub fields: Vec<String>,
    /// Where to go on; `None`: that was all.
    pub cursor: Option<String>,
}

/// `lua/scan.lua`
pub trait ScanPlaces {
    /// The seats that Redis has, or the numbers of a zone's units that it has as sold, from a cursor on.
    fn scan_places(
        &self,
        show: &ShowId,
        sold_of: Option<&ZoneId>,
        cursor: Option<&str>,
    ) -> impl Future<Output = Touched<Scanned>> + Send;
}

/// `lua/expire.lua`
pub trait ExpireHolds {
    /// Tidies lapsed places away, of a zone or of the seats, and answers how many. A dry run only counts.
    fn expire_holds(
        &self,
        show: &ShowId,
        zone: Option<&ZoneId>,
        dry_run: bool,
    ) -> impl Future<Output = Touched<u64>> + Send;
}

/// `lua/recount.lua`
pub trait RecountUnits {
    /// Puts the units from `first` to `last` of a zone right, and answers how many were wrong. A dry run only counts.
    fn recount_units(
        &self,
        show: &ShowId,
        zone: &ZoneId,
        first: u32,
        last: u32,
        dry_run: bool,
    ) -> impl Future<Output = Touched<u64>> + Send;
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

/// `lua/read_events.lua`
pub trait ReadEvents {
    /// The events after the one with the id `after`, `count` at most.
    fn read_events(&self, show: &ShowId, after: &str, count: usize) -> impl Future<Output = Touched<Events>> + Send;
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

/// `SCAN`, `UNLINK`
pub trait ForgetShow {
    /// Some keys of a show, from a cursor on. All keys of the server are looked at.
    fn find_keys(&self, show: &ShowId, cursor: Option<&str>)
    -> impl Future<Output = Result<FoundKeys, Failure>> + Send;

    /// Takes these keys of the show away, all of them at once.
    fn drop_keys(&self, show: &ShowId, keys: &[String]) -> impl Future<Output = Result<(), Failure>> + Send;
}

/// `INFO`
pub trait InspectCache {
    /// What the primaries of the cache say of themselves.
    fn inspect_cache(&self) -> impl Future<Output = Result<Vec<CacheNode>, Failure>> + Send;
}
