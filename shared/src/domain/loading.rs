//! What loading and replacing a show in Redis need.

use super::ZoneId;

/// A lease to load a show.
#[derive(Clone, Debug)]
pub struct LoadLease {
    /// Who has the turn.
    pub owner: String,
    /// What the staging keys are named after.
    pub name: String,
    /// How many steps were done before.
    pub step: u64,
}

/// Whether a loader may go on.
#[derive(Clone, Debug)]
pub enum Turn<T> {
    /// It may.
    Mine(T),
    /// Somebody else is loading.
    Theirs,
    /// The show is loaded.
    Loaded,
}

/// One chunk of a load.
#[derive(Clone, Debug)]
pub enum Chunk {
    /// Seats for sale.
    Seats(Vec<String>),
    /// Sold seats: seat, booking.
    SoldSeats(Vec<(String, String)>),
    /// Sold units of a zone: number, booking.
    SoldUnits(ZoneId, Vec<(String, String)>),
}

/// Whether places could be closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Close {
    /// They are gone.
    Closed,
    /// These are held or sold.
    InUse(Vec<String>),
    /// Somebody else is replacing the show.
    Busy,
}

/// A replacement of a show that takes places away. Only one at a time.
#[derive(Clone, Debug)]
pub struct Closing {
    /// The version that will not have the places.
    pub version: u64,
    /// Names this replacement.
    pub mark: String,
}

/// Whether a show left Redis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unloaded {
    /// It did.
    Done,
    /// Somebody holds something of it, it was loaded anew, or there are events that were not read.
    InUse,
}
