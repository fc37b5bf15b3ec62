//! The ports of Redis that put a show in, change it, and take it out.

use std::future::Future;

use super::Touched;
use crate::Failure;
use crate::domain::show::Zone;
use crate::domain::{Show, ShowId, ZoneId};

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

/// `lua/load_*.lua`
pub trait LoadShow {
    /// Asks for the lease.
    fn begin_load(&self, show: &ShowId, version: u64) -> impl Future<Output = Result<Turn<LoadLease>, Failure>> + Send;
    /// Puts a chunk, after which `step` steps are done.
    fn put_chunk(
        &self,
        show: &ShowId,
        lease: &LoadLease,
        step: u64,
        chunk: &Chunk,
    ) -> impl Future<Output = Result<Turn<()>, Failure>> + Send;
    /// Moves everything into place.
    fn finish_load(&self, show: &Show, lease: &LoadLease) -> impl Future<Output = Result<Turn<()>, Failure>> + Send;
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

/// `lua/close_*.lua`, `lua/apply_*.lua`
pub trait ReplaceShow {
    /// Takes seats out, all or none.
    fn close_seats(
        &self,
        show: &ShowId,
        closing: &Closing,
        seats: &[String],
    ) -> impl Future<Output = Touched<Close>> + Send;
    /// Lowers a zone to the capacity given.
    fn close_zone(&self, show: &ShowId, closing: &Closing, zone: &Zone) -> impl Future<Output = Touched<Close>> + Send;
    /// Adds seats to Redis, gives it the policy and the zones of a version, and ends `closing`. Does nothing when a newer
    /// version is there.
    fn apply_show(
        &self,
        show: &Show,
        seats: &[String],
        closing: Option<&Closing>,
    ) -> impl Future<Output = Touched<()>> + Send;
}

/// Whether a show left Redis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unloaded {
    /// It did.
    Done,
    /// Somebody holds something of it, it was loaded anew, or there are events that were not read.
    InUse,
}

/// `lua/unload.lua`
pub trait UnloadShow {
    /// Takes a show out, if nobody holds anything of it and `last` is its last event.
    fn unload_show(&self, show: &Show, epoch: &str, last: &str) -> impl Future<Output = Touched<Unloaded>> + Send;
}
