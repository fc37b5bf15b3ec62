//! What the system says no to. A refusal is an answer and no error: what could not be done at all is a
//! [`Failure`](crate::Failure). `http::problem` gives each its status and words.

use super::{BookingId, HoldState, HoldToken, Refund};

/// Why one seat could not be held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatTaken {
    /// The seat.
    pub seat: String,
    /// When a held one frees at the latest, in ms from now; `None`: it is sold.
    pub frees_in_ms: Option<u64>,
}

/// Why a booking cannot be restored, or cancelled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotRestorable {
    /// It was refused: it never had a place.
    Refused,
    /// The money is back.
    Refunded,
    /// These places are held or sold, or the show does not have them any more.
    Gone(Vec<String>),
}

/// A decided no, by the code of the contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The TTL is above the show's maximum, in ms: `invalid_request`.
    TtlTooLong {
        /// The maximum.
        max_ttl_ms: u64,
    },
    /// `show_not_found`
    ShowNotFound,
    /// `zone_not_found`
    ZoneNotFound,
    /// `hold_not_found`
    HoldNotFound,
    /// `booking_not_found`
    BookingNotFound,
    /// `refund_not_found`
    RefundNotFound,
    /// `refund_not_found`: the payment still pays for these bookings, so the refund is not due.
    RefundInUse {
        /// The bookings that stand.
        standing: Vec<BookingId>,
    },
    /// `unknown_seat`
    UnknownSeat {
        /// The ones that the show does not have.
        seats: Vec<String>,
    },
    /// `not_on_sale`; both in ms since the epoch, absent where the show has no such bound.
    NotOnSale {
        /// When the sale opens.
        opens_at_ms: Option<i64>,
        /// When it closes.
        closes_at_ms: Option<i64>,
    },
    /// `seat_unavailable`
    SeatUnavailable {
        /// The seats that were held or sold.
        seats: Vec<SeatTaken>,
    },
    /// `sold_out`
    SoldOut {
        /// What is left.
        remaining: u64,
    },
    /// `limit_exceeded`
    LimitExceeded {
        /// Most places of a hold.
        limit: u64,
        /// What was asked for.
        current: u64,
    },
    /// `extend_limit`
    ExtendLimit {
        /// The longest life of a hold, in seconds.
        max_lifetime_s: u64,
    },
    /// `in_progress`
    InProgress,
    /// `in_use`
    InUse {
        /// The places that are held or sold.
        places: Vec<String>,
    },
    /// `hold_lost`
    HoldLost {
        /// The booking, if the token was confirmed.
        booking: Option<BookingId>,
    },
    /// `hold_lost`: this deployment did not issue the token for this show.
    NeverIssued,
    /// `hold_lost`: the hold of a request that came again under its key has ended. Nothing was taken.
    HoldEnded {
        /// Its token.
        token: HoldToken,
        /// How it ended.
        state: HoldState,
        /// The booking, if it was confirmed.
        booking: Option<BookingId>,
    },
    /// `forbidden`: what was paid is a seller's to cancel.
    Forbidden,
    /// `version_conflict`
    VersionConflict {
        /// The version that is current.
        version: u64,
    },
    /// `seat_already_sold`
    SeatAlreadySold {
        /// The seats or units that the guard refused.
        places: Vec<String>,
        /// Whether these are units.
        units: bool,
    },
    /// `hold_mismatch`
    HoldMismatch {
        /// The booking, if the token was confirmed all the same.
        booking: Option<BookingId>,
    },
    /// `idempotency_mismatch`: the token was confirmed with another payment.
    PaymentMismatch,
    /// `idempotency_mismatch`: the key came before, with another body.
    KeyMismatch,
    /// `already_cancelled`
    AlreadyCancelled {
        /// The booking.
        booking: BookingId,
    },
    /// `not_restorable`
    NotRestorable {
        /// The booking.
        booking: BookingId,
        /// Why.
        because: NotRestorable,
    },
    /// Any of these, to a confirm that carried a payment: its refund is on record (INV-10).
    Refunded {
        /// What was refused.
        refusal: Box<Refusal>,
        /// The refund that is due.
        refund: Refund,
    },
}
