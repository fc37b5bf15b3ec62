//! What a confirm pins, and what it tells Redis of its end.

use super::payment::Payments;
use super::{BookingId, Buyer, OrderId, Places};

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
