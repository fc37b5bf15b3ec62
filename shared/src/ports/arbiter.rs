//! The ports of Redis, the arbiter of holds: one a script, or a family of scripts.

use std::future::Future;

use super::{Decision, Touched};
use crate::domain::payment::Payments;
use crate::domain::{BookingId, Buyer, HoldState, HoldToken, OrderId, Places, Request, SeatId, ShowId, ZoneId};

/// How long a hold lasts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// What is left, in ms.
    pub expires_in_ms: u64,
    /// When it ends, in ms since the epoch, by Redis' clock.
    pub deadline_ms: i64,
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
    /// The units that were answered first, if others took their place since.
    pub first: Option<Places>,
    /// The booking that it restores.
    pub restores: Option<BookingId>,
    /// Who holds them.
    pub buyer: Buyer,
    /// The payments that its confirms have brought and that are not known to be on record.
    pub payments: Payments,
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
    /// Its token: the one that was asked for, or the one that the same request had before.
    pub token: HoldToken,
    /// Its places.
    pub places: Places,
    /// What is left of it.
    pub lease: Lease,
    /// `Active`, or `Confirming` when the call was a repeat.
    pub state: HoldState,
}

/// Units as they were answered to their holder.
#[derive(Clone, Debug)]
pub struct UnitsHeld {
    /// The hold.
    pub held: Held,
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claim {
    /// The payments that came with the confirms of the token: of a call its own, of an answer all of them.
    pub payments: Payments,
    /// The caller's order.
    pub order: Option<OrderId>,
    /// Who asks.
    pub buyer: Buyer,
}

/// What a pin says.
#[derive(Clone, Debug)]
pub enum Pin {
    /// The places are fixed.
    Pinned(Pinned),
    /// The booking exists.
    Decided,
    /// The token holds other places than the call names: read the hold again.
    OtherPlaces,
    /// The token does not have all of its places, and they could not be taken again.
    Lost {
        /// The claim of an earlier pin, if there was one: a decision of the token may be on its way.
        pinned: Option<Claim>,
        /// Those that are gone, as far as they were looked at.
        gone: Vec<String>,
    },
}

/// Places that are fixed for a token.
#[derive(Clone, Debug)]
pub struct Pinned {
    /// When it was pinned first, in ms since the epoch.
    pub confirmed_at_ms: i64,
    /// Order and buyer of the first pin, and the payments of all of them.
    pub claim: Claim,
    /// The places: the token's own, but for units that were gone.
    pub places: Places,
    /// The units that were answered first, if others took their place.
    pub first: Option<Places>,
}

/// `lua/hold.lua`
pub trait HoldSeats {
    /// Takes all seats, or none. `ttl_ms` of `None` is the show's default. Harmless when repeated with the same token.
    fn hold_seats(
        &self,
        show: &ShowId,
        request: &Request,
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
        request: &Request,
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
    /// Fixes a hold, or takes the places of a lapsed one again. With `restores`, takes the places of that booking, whatever
    /// the sale window and the limits say.
    fn pin_hold(
        &self,
        show: &ShowId,
        token: HoldToken,
        places: &Places,
        claim: &Claim,
        restores: Option<BookingId>,
    ) -> impl Future<Output = Touched<Pin>> + Send;
}

/// How a hold ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Its places are sold to this booking of its own.
    Confirmed(BookingId),
    /// This booking of its own is its refusal.
    Refused(BookingId),
    /// It lost its places, as if it had lapsed: a confirm may still take them again.
    Lost,
    /// It does not end: other units take the place of those that are gone.
    GoesOn,
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
    /// How the hold of the token ends.
    pub ending: Ending,
    /// The payments of the token that are on record now. A token with others stays listed as being confirmed.
    pub recorded: &'a Payments,
}

/// What came of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marked {
    /// How many places became sold.
    pub places: u64,
    /// Whether the hold ended.
    pub ended: bool,
}

/// `lua/mark.lua`
pub trait MarkSold {
    /// Marks places as sold, and ends the hold of `token`.
    fn mark_sold(
        &self,
        show: &ShowId,
        token: HoldToken,
        sold: Sold<'_>,
    ) -> impl Future<Output = Touched<Marked>> + Send;
}

/// What a free tells Redis.
#[derive(Clone, Debug)]
pub struct Freed<'a> {
    /// The booking that does not have the places any more, or never had.
    pub booking: BookingId,
    /// Its version; 0: there is no such booking.
    pub version: u64,
    /// The places.
    pub places: &'a Places,
    /// How the hold of the token ends, if it has one.
    pub ending: Ending,
    /// The payments of the token that are on record now, as in [`Sold`].
    pub recorded: &'a Payments,
}

/// `lua/free.lua`
pub trait FreePlaces {
    /// Gives places back for sale, and ends the hold of `token`. Answers how many it freed.
    fn free_places(
        &self,
        show: &ShowId,
        token: HoldToken,
        freed: Freed<'_>,
    ) -> impl Future<Output = Touched<u64>> + Send;
}
