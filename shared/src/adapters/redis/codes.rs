//! The codes that scripts answer: one table for all of them. A code is never reused; one that is not here is an
//! internal error. The headers in `lua/` name them, and a test compares both.

/// What a script decided. `stock_decrement` answers what is left (`>= 0`) in place of [`Code::Ok`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i64)]
pub enum Code {
    /// Done, or done before by the same call.
    Ok = 0,
    /// The show is in Redis already.
    Loaded = 1,
    /// The zone has fewer units left than were asked for.
    SoldOut = -1,
    /// Redis does not know the show: it has to be loaded.
    NotLoaded = -2,
    /// The TTL is above the show's maximum.
    TtlTooLong = -3,
    /// The show has no such seat.
    UnknownPlace = -4,
    /// Outside the sale window.
    NotOnSale = -5,
    /// More places than one hold may have.
    LimitExceeded = -6,
    /// A seat is held or sold.
    Unavailable = -7,
    /// The token holds nothing.
    HoldLost = -8,
    /// The hold is being confirmed, or the show is being replaced by somebody else.
    InProgress = -9,
    /// The hold would live longer than the show allows.
    ExtendLimit = -10,
    /// The show has no such zone.
    UnknownZone = -11,
    /// The token's booking exists: it is the answer.
    Decided = -12,
    /// Somebody else is loading the show.
    Loading = -13,
    /// The lease of a loader belongs to somebody else by now.
    LeaseLost = -14,
    /// The place is absent while the show is being replaced.
    Closing = -15,
    /// A place that was to go is held or sold.
    InUse = -16,
    /// A newer version of the show is there.
    Stale = -17,
    /// The key came before, with another body.
    Mismatch = -18,
    /// Part of the work is done: call again.
    Again = -19,
    /// The show was loaded under another epoch than the tokens are derived from.
    OtherEpoch = -20,
    /// The hold has other places than the call names.
    OtherPlaces = -21,
}

impl Code {
    /// All of them, with the names that the headers in `lua/` use.
    pub const TABLE: [(Code, &'static str); 23] = [
        (Code::Ok, "OK"),
        (Code::Loaded, "LOADED"),
        (Code::SoldOut, "SOLD_OUT"),
        (Code::NotLoaded, "NOT_LOADED"),
        (Code::TtlTooLong, "TTL_TOO_LONG"),
        (Code::UnknownPlace, "UNKNOWN_PLACE"),
        (Code::NotOnSale, "NOT_ON_SALE"),
        (Code::LimitExceeded, "LIMIT_EXCEEDED"),
        (Code::Unavailable, "UNAVAILABLE"),
        (Code::HoldLost, "HOLD_LOST"),
        (Code::InProgress, "IN_PROGRESS"),
        (Code::ExtendLimit, "EXTEND_LIMIT"),
        (Code::UnknownZone, "UNKNOWN_ZONE"),
        (Code::Decided, "DECIDED"),
        (Code::Loading, "LOADING"),
        (Code::LeaseLost, "LEASE_LOST"),
        (Code::Closing, "CLOSING"),
        (Code::InUse, "IN_USE"),
        (Code::Stale, "STALE"),
        (Code::Mismatch, "MISMATCH"),
        (Code::Again, "AGAIN"),
        (Code::OtherEpoch, "OTHER_EPOCH"),
        (Code::OtherPlaces, "OTHER_PLACES"),
    ];

    /// The code of an integer that a script answered, or `None` for one that is not in the table.
    #[must_use]
    pub fn of(value: i64) -> Option<Code> {
        Code::TABLE.iter().map(|(code, _)| *code).find(|code| *code as i64 == value)
    }

    /// The name that the headers in `lua/` use.
    #[must_use]
    pub fn name(self) -> &'static str {
        Code::TABLE.iter().find(|(code, _)| *code == self).map_or("UNKNOWN", |(_, name)| name)
    }
}
