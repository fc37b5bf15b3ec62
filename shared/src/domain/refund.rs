//! A payment that has to go back to the buyer. There is one permanent record for each payment reference and booking; while the
//! refund is due it is listed, too (design, section 4: "refund due").

use super::{BookingId, Payment, RefundId, ShowId};

/// Where a refund stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefundStatus {
    /// The money has to go back.
    Due,
    /// The money is back.
    Settled,
    /// The booking was restored: the payment pays for it again.
    Withdrawn,
}

impl RefundStatus {
    /// As the contract and the items spell it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            RefundStatus::Due => "due",
            RefundStatus::Settled => "settled",
            RefundStatus::Withdrawn => "withdrawn",
        }
    }

    /// The status of a stored text.
    #[must_use]
    pub fn parse(text: &str) -> Option<RefundStatus> {
        [RefundStatus::Due, RefundStatus::Settled, RefundStatus::Withdrawn]
            .into_iter()
            .find(|status| status.as_str() == text)
    }
}

/// The record of one refund.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefundRecord {
    /// Its id, a function of booking and payment reference.
    pub id: RefundId,
    /// What was paid.
    pub payment: Payment,
    /// The booking of the token that the payment came for.
    pub booking: BookingId,
    /// Its show.
    pub show: ShowId,
    /// A problem code of the contract, or `cancelled`.
    pub reason: String,
    /// Whether a hold was found for the confirm that brought the payment.
    pub hold_found: bool,
    /// When it became due, in ms since the epoch.
    pub created_at_ms: i64,
    /// Where it stands.
    pub status: RefundStatus,
}

/// A refund as it is listed: with the bookings that its payment still pays for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefundListed {
    /// The record.
    pub record: RefundRecord,
    /// Confirmed bookings, of any show, that the same reference pays for.
    pub standing: Vec<BookingId>,
}

impl RefundListed {
    /// Whether the money must stay where it is: no hold was found for the confirm that brought the payment, and a booking
    /// that stands was paid with it. It becomes due when none of these bookings stands any more.
    #[must_use]
    pub fn is_in_use(&self) -> bool {
        self.record.status == RefundStatus::Due && !self.record.hold_found && !self.standing.is_empty()
    }
}
