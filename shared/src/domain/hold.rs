//! A hold: a temporary, exclusive claim on a set of places.

use super::payment::Payments;
use super::{BookingId, Buyer, HoldToken, Places};

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

impl HoldState {
    const ALL: [HoldState; 6] = [
        HoldState::Active,
        HoldState::Confirming,
        HoldState::Confirmed,
        HoldState::Refused,
        HoldState::Released,
        HoldState::Expired,
    ];

    /// As the contract and Redis spell it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            HoldState::Active => "active",
            HoldState::Confirming => "confirming",
            HoldState::Confirmed => "confirmed",
            HoldState::Refused => "refused",
            HoldState::Released => "released",
            HoldState::Expired => "expired",
        }
    }

    /// The state of a stored text.
    #[must_use]
    pub fn parse(text: &str) -> Option<HoldState> {
        HoldState::ALL.into_iter().find(|state| state.as_str() == text)
    }

    /// Whether the hold has its places.
    #[must_use]
    pub fn is_live(self) -> bool {
        match self {
            HoldState::Active | HoldState::Confirming => true,
            HoldState::Confirmed | HoldState::Refused | HoldState::Released | HoldState::Expired => false,
        }
    }
}

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
