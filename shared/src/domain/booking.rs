//! What became of a token: the decision that DynamoDB keeps, taken once (design, section 4).

use super::{BookingId, Buyer, OrderId, Payment, Places, RefundStatus, ShowId};

/// What a caller is told of the refund of a payment (INV-10).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refund {
    /// The payment's reference.
    pub reference: String,
    /// Whether the money is back.
    pub status: RefundStatus,
}

impl Refund {
    /// A refund that is due.
    #[must_use]
    pub fn due(payment: &Payment) -> Refund {
        Refund { reference: payment.reference.clone(), status: RefundStatus::Due }
    }
}

/// Why a confirm was refused for good. Stored, so that a repeat gets the same answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefusedBecause {
    /// There was no such show.
    ShowNotFound,
    /// The token held nothing any more.
    HoldLost,
    /// The seats of the confirm were not those of the hold.
    HoldMismatch,
    /// The guard refused: these places were sold to somebody else.
    AlreadySold(Vec<String>),
}

impl RefusedBecause {
    /// The problem code of the contract.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            RefusedBecause::ShowNotFound => "show_not_found",
            RefusedBecause::HoldLost => "hold_lost",
            RefusedBecause::HoldMismatch => "hold_mismatch",
            RefusedBecause::AlreadySold(_) => "seat_already_sold",
        }
    }
}

/// Why and how a booking was cancelled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cancellation {
    /// The caller's words.
    pub reason: Option<String>,
    /// Whether the caller had given the money back already; else a refund is due for what was paid.
    pub refunded: bool,
    /// When, in ms since the epoch.
    pub at_ms: i64,
}

/// How a token was decided. Only a confirmed one changes: to cancelled, and back by a restore.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Sold.
    Confirmed,
    /// Was sold, and is for sale again.
    Cancelled(Cancellation),
    /// Refused for good.
    Refused(RefusedBecause),
}

/// The permanent record of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Booking {
    /// Its id, a function of show and token.
    pub id: BookingId,
    /// The show.
    pub show: ShowId,
    /// What was decided.
    pub decision: Decision,
    /// The places; `None` when a refused confirm came without any and Redis knew none.
    pub places: Option<Places>,
    /// The units that were answered first, if others took their place since: a caller may still name those.
    pub first: Option<Places>,
    /// Who held them.
    pub buyer: Buyer,
    /// The payment that came with the confirm that decided.
    pub payment: Option<Payment>,
    /// The caller's own order.
    pub order: Option<OrderId>,
    /// When it was pinned, in ms since the epoch, by Redis' clock. Of a refusal without a pin: when it was written.
    pub decided_at_ms: i64,
    /// Whether a hold was found for the confirm that decided.
    pub hold_found: bool,
    /// Rises with each change; the first is 1.
    pub version: u64,
    /// The version in which its places were sold, which the record and Redis keep with each place.
    pub sold_version: u64,
}

impl Booking {
    /// The payment of this booking's own that has to go back, as the decision says: of a refused one, and of a cancelled
    /// one whose caller had not given it back already.
    #[must_use]
    pub fn due_back(&self) -> Option<&Payment> {
        match &self.decision {
            Decision::Refused(_) | Decision::Cancelled(Cancellation { refunded: false, .. }) => self.payment.as_ref(),
            Decision::Confirmed | Decision::Cancelled(_) => None,
        }
    }

    /// The refund that the decision itself brought about.
    #[must_use]
    pub fn refund(&self) -> Option<Refund> {
        self.due_back().map(Refund::due)
    }

    /// The next version of this booking, cancelled.
    #[must_use]
    pub fn cancelled(&self, cancellation: Cancellation) -> Booking {
        Booking { decision: Decision::Cancelled(cancellation), version: self.version + 1, ..self.clone() }
    }

    /// The next version of this cancelled booking, which takes its places again.
    #[must_use]
    pub fn restored(&self) -> Booking {
        let version = self.version + 1;
        Booking { decision: Decision::Confirmed, version, sold_version: version, ..self.clone() }
    }

    /// The next version of this booking, paid with the first payment that came after it was confirmed without one.
    #[must_use]
    pub fn paid_with(&self, payment: &Payment) -> Booking {
        Booking { payment: Some(payment.clone()), version: self.version + 1, ..self.clone() }
    }

    /// Whether this payment is the booking's own: repeats are matched by the reference.
    #[must_use]
    pub fn is_paid_with(&self, payment: &Payment) -> bool {
        self.payment.as_ref().is_some_and(|own| own.reference == payment.reference)
    }
}
