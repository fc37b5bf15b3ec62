//! What became of a token: the decision that DynamoDB keeps, taken once (design, section 4).

use super::{BookingId, Buyer, OrderId, Payment, Places, ShowId};

/// A refund that is due: for a payment that came with a confirm which was refused (INV-10).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refund {
    /// The payment's reference.
    pub reference: String,
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

/// How a token was decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Sold.
    Confirmed,
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
    /// Rises with each change of the decision; the first is 1.
    pub version: u64,
}

impl Booking {
    /// The refund that this booking's own payment is due, if it was refused.
    #[must_use]
    pub fn refund(&self) -> Option<Refund> {
        match (&self.decision, &self.payment) {
            (Decision::Refused(_), Some(payment)) => Some(Refund { reference: payment.reference.clone() }),
            (Decision::Refused(_), None) | (Decision::Confirmed, _) => None,
        }
    }
}
