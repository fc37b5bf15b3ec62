//! The ports of Redis, the arbiter of holds: one a script, or a family of scripts.

use std::future::Future;

use super::{Decision, Touched};
use crate::Failure;
use crate::domain::show::Zone;
use crate::domain::{BookingId, Buyer, HoldToken, OrderId, Payment, Places, SeatId, Show, ShowId, ZoneId};

/// How long a hold lasts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// What is left, in ms.
    pub expires_in_ms: u64,
    /// When it ends, in ms since the epoch, by Redis' clock.
    pub deadline_ms: i64,
}

/// The state of a hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HoldState {
    /// It has its places.
    Active,
    /// Its booking is being written.
    Confirming,
    /// It was sold.
    Confirmed,
    /// Its confirm was refused.
    Refused,
    /// Its owner gave it back.
    Released,
    /// It lapsed.
    Expired,
}

/// What Redis knows of a token.
#[derive(Clone, Debug)]
pub struct HoldRecord {
    /// Its state, by Redis' clock.
    pub state: HoldState,
    /// What is left of it; 0 unless it is live.
    pub lease: Lease,
    /// Its places.
    pub places: Places,
    /// Its booking, once decided.
    pub booking: Option<BookingId>,
}

impl HoldRecord {
    /// The booking, if the token was confirmed: a refused one holds nothing that could be shown.
    #[must_use]
    pub fn confirmed_booking(&self) -> Option<BookingId> {
        self.booking.filter(|_| self.state == HoldState::Confirmed)
    }
}

/// A hold as it was answered to its owner.
#[derive(Clone, Debug)]
pub struct Held {
    /// What is left of it.
    pub lease: Lease,
    /// `Active`, or what became of it when the call was a repeat.
    pub state: HoldState,
}

/// Units as they were answered to their holder.
#[derive(Clone, Debug)]
pub struct UnitsHeld {
    /// The hold.
    pub held: Held,
    /// Its units.
    pub units: Places,
    /// What is left in the zone.
    pub remaining: u64,
}

/// A zone, counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZoneCount {
    /// How many units it has.
    pub capacity: u64,
    /// Units of live holds.
    pub held: u64,
    /// Units sold.
    pub sold: u64,
}

/// What a pin needs to know besides the places.
#[derive(Clone, Debug, Default)]
pub struct Claim {
    /// The payment that came with the confirm.
    pub payment: Option<Payment>,
    /// The caller's order.
    pub order: Option<OrderId>,
    /// Who asks.
    pub buyer: Buyer,
}

/// What a pin says.
#[derive(Clone, Debug)]
pub enum Pin {
    /// The places are fixed. The claim and the instant are those of the first pin.
    Pinned {
        /// When, in ms since the epoch.
        confirmed_at_ms: i64,
        /// Payment, order and buyer.
        claim: Claim,
    },
    /// The booking exists.
    Decided,
    /// The token does not have all of its places, and they could not be taken again.
    Lost {
        /// The claim of an earlier pin, if there was one: a decision of the token may be on its way.
        pinned: Option<Claim>,
    },
}

/// `lua/hold.lua`
pub trait HoldSeats {
    /// Takes all seats, or none. `ttl_ms` of `None` is the show's default. Harmless when repeated with the same token.
    fn hold_seats(
        &self,
        show: &ShowId,
        token: HoldToken,
        seats: &[SeatId],
        ttl_ms: Option<u64>,
        buyer: &Buyer,
    ) -> impl Future<Output = Touched<Decision<Held>>> + Send;
}

/// `lua/stock_decrement.lua`
pub trait TakeUnits {
    /// Takes so many units of a zone, or none. Harmless when repeated with the same token.
    fn take_units(
        &self,
        show: &ShowId,
        token: HoldToken,
        zone: &ZoneId,
        quantity: u64,
        ttl_ms: Option<u64>,
        buyer: &Buyer,
    ) -> impl Future<Output = Touched<Decision<UnitsHeld>>> + Send;
}

/// `lua/stock_status.lua`
pub trait CountZone {
    /// Counts a zone; `None`: the show has no such zone.
    fn count_zone(&self, show: &ShowId, zone: &ZoneId) -> impl Future<Output = Touched<Option<ZoneCount>>> + Send;
}

/// `lua/hold_status.lua`
pub trait FindHold {
    /// What Redis knows of a token; `None`: nothing.
    fn find_hold(&self, show: &ShowId, token: HoldToken) -> impl Future<Output = Touched<Option<HoldRecord>>> + Send;
}

/// `lua/extend.lua`
pub trait ExtendHold {
    /// Moves the deadline to at least `ttl_ms` from now. A repeat moves it no further than the wish does.
    fn extend_hold(
        &self,
        show: &ShowId,
        token: HoldToken,
        places: &Places,
        ttl_ms: u64,
    ) -> impl Future<Output = Touched<Decision<Lease>>> + Send;
}

/// `lua/release.lua`
pub trait ReleaseHold {
    /// Gives all places back.
    fn release_hold(
        &self,
        show: &ShowId,
        token: HoldToken,
        places: &Places,
    ) -> impl Future<Output = Touched<Decision<()>>> + Send;
}

/// `lua/pin.lua`
pub trait PinHold {
    /// Fixes a hold, or takes the places of a lapsed one again.
    fn pin_hold(
        &self,
        show: &ShowId,
        token: HoldToken,
        places: &Places,
        claim: &Claim,
    ) -> impl Future<Output = Touched<Pin>> + Send;
}

/// What a mark tells Redis.
#[derive(Clone, Debug)]
pub struct Sold<'a> {
    /// The booking that has the places.
    pub buyer: BookingId,
    /// Its version.
    pub version: u64,
    /// The sold ones, then the rest of the hold, which goes back for sale.
    pub places: &'a Places,
    /// How many are sold.
    pub count: usize,
}

/// `lua/mark.lua`
pub trait MarkSold {
    /// Marks places as sold and ends the hold of `token`, as `Confirmed` when the buyer is its own booking, else as
    /// `Refused`.
    fn mark_sold(&self, show: &ShowId, token: HoldToken, sold: Sold<'_>) -> impl Future<Output = Touched<()>> + Send;
}

/// `lua/free.lua`
pub trait FreePlaces {
    /// Ends the hold of a refused token and gives its places back.
    fn free_places(
        &self,
        show: &ShowId,
        token: HoldToken,
        version: u64,
        places: &Places,
    ) -> impl Future<Output = Touched<()>> + Send;
}

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
