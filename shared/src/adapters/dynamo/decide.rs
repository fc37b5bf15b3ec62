//! The decisions of a token, each one transaction: the booking first, then its places, then the refund (design, sections 4
//! and 5). What is there already is the answer.

use aws_sdk_dynamodb::types::{CancellationReason, TransactWriteItem};

use super::transact::{Condition, Transacted, is_refused};
use super::{Dynamo, items, keys};
use crate::Failure;
use crate::domain::{Booking, BookingId, Cancellation, Decision, Payment, Places, RefundId, RefundStatus, Verdict};

/// What a write of a decision is about. DynamoDB answers one reason a write, in their order.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Booking,
    Place,
    Refund,
    Entry,
}

pub(super) type Writes = Vec<(Part, TransactWriteItem)>;

impl Dynamo {
    /// The booking as it is now, read consistently.
    pub async fn read_booking(&self, id: BookingId) -> Result<Option<Booking>, Failure> {
        let item = self.get(&keys::booking(id)).await?;
        item.map(|item| items::read_booking(id, &item)).transpose()
    }
}

impl Dynamo {
    /// Takes a decision, if the one before is what it has to be. Version 1, if the token was not decided before: a
    /// confirmed booking with every place, if none is sold; a refused one with the refund that is due, if it carried a
    /// payment. Later versions: a cancelled one, of a confirmed one, gives every place back and makes the refund due
    /// unless it was made; a confirmed one, of a cancelled one, takes every place and withdraws the refund.
    pub async fn decide_booking(&self, booking: &Booking) -> Result<Verdict, Failure> {
        let standing = match booking.due_back() {
            // This very decision ends what the payment pays for here.
            Some(payment) => self.standing_bookings(&payment.reference, Some(booking.id)).await?,
            None => Vec::new(),
        };
        let writes = self.writes(booking, &standing)?;
        let (parts, writes): (Vec<Part>, Vec<TransactWriteItem>) = writes.into_iter().unzip();
        let transacted = match booking.version {
            1 => self.transact("booking", writes).await?,
            _ => self.transact_later("booking", writes).await?,
        };
        let reasons = match transacted {
            Transacted::Done => return Ok(Verdict::Written),
            Transacted::Cancelled(reasons) => reasons,
        };
        let mut refused = parts.into_iter().zip(reasons).filter(|(_, reason)| is_refused(reason)).peekable();
        // The booking's own reason comes before any other.
        if let Some((_, own)) = refused.next_if(|(part, _)| *part == Part::Booking) {
            return self.decided(booking.id, own).await;
        }
        let refused: Vec<(Part, CancellationReason)> = refused.collect();
        match booking.decision {
            Decision::Confirmed if refused.iter().any(|(part, _)| *part == Part::Refund) => {
                return Ok(Verdict::RefundSettled);
            }
            Decision::Confirmed => {}
            Decision::Cancelled(_) | Decision::Refused(_) => {
                return Err(Failure::internal("a booking does not have what its record says"));
            }
        }
        let taken = refused.into_iter().map(|(_, reason)| items::read_sold_place(&reason.item.unwrap_or_default()));
        let taken = taken.collect::<Result<Vec<_>, _>>()?;
        let own = booking.id.to_string();
        if taken.is_empty() || taken.iter().any(|place| place.booking == own) {
            // Never "sold" to oneself: our own transaction landed meanwhile, and its booking will be found.
            return Err(Failure::unavailable("a booking changed while it was decided"));
        }
        Ok(Verdict::Taken(taken))
    }
}

impl Dynamo {
    async fn decided(&self, id: BookingId, reason: CancellationReason) -> Result<Verdict, Failure> {
        let booking = match reason.item {
            Some(item) => Some(items::read_booking(id, &item)?),
            None => self.read_booking(id).await?,
        };
        let booking = booking.ok_or_else(|| Failure::unavailable("a booking that was there is gone"))?;
        Ok(Verdict::Decided(Box::new(booking)))
    }

    /// The writes of a decision: 100 at most, for 96 places. That is as many as DynamoDB takes.
    fn writes(&self, booking: &Booking, standing: &[BookingId]) -> Result<Writes, Failure> {
        let first = booking.version == 1;
        let mut writes = vec![(Part::Booking, self.put_if(items::booking_item(booking)?, previous(booking))?)];
        let places = booking.places.as_ref().map(Places::ids).unwrap_or_default();
        match &booking.decision {
            Decision::Confirmed => {
                for place in places {
                    let put = self.put_if(items::sold_place(booking, &place), Condition::absent())?;
                    writes.push((Part::Place, put));
                }
                // A restore: the payment pays for the places again.
                if let (false, Some(payment)) = (first, &booking.payment) {
                    writes.extend(self.withdrawal(booking.id, payment)?);
                }
            }
            Decision::Cancelled(_) => {
                for place in places {
                    let own = Condition::new("booking = :booking AND version = :version")
                        .text(":booking", booking.id.to_string())
                        .number(":version", booking.sold_version);
                    writes.push((Part::Place, self.delete_if(&keys::sold_place(&booking.show, &place), own)?));
                }
            }
            Decision::Refused(_) => {}
        }
        if let Some(payment) = booking.due_back() {
            let (reason, created_at_ms) = match &booking.decision {
                Decision::Refused(because) => (because.code(), booking.decided_at_ms),
                Decision::Cancelled(Cancellation { at_ms, .. }) => ("cancelled", *at_ms),
                Decision::Confirmed => ("", 0),
            };
            // One that was withdrawn by a restore becomes due again.
            let due = Condition::new("attribute_not_exists(pk) OR #status = :withdrawn")
                .name("#status", "status")
                .text(":withdrawn", RefundStatus::Withdrawn.as_str());
            let item = items::refund_item(booking, payment, standing, reason, created_at_ms);
            let id = RefundId::of(booking.id, &payment.reference);
            writes.push((Part::Refund, self.put_if(item, due)?));
            writes.push((Part::Entry, self.put(items::refund_entry(id))?));
        }
        if first {
            writes.push((Part::Entry, self.put(items::booking_entry(booking))?));
            for entry in items::reference_entry(booking).into_iter().chain(items::order_entry(booking)) {
                writes.push((Part::Entry, self.put(entry)?));
            }
        }
        Ok(writes)
    }

    /// The writes that make a refund not due, if it is due: the payment pays for the booking again.
    pub(super) fn withdrawal(&self, booking: BookingId, payment: &Payment) -> Result<Writes, Failure> {
        let due = Condition::new("#status = :due")
            .name("#status", "status")
            .text(":due", RefundStatus::Due.as_str())
            .text(":withdrawn", RefundStatus::Withdrawn.as_str());
        let id = RefundId::of(booking, &payment.reference);
        let record = self.update_if(&keys::refund(id), "SET #status = :withdrawn", due)?;
        let entry = self.delete(&keys::refund_entry(id))?;
        Ok(vec![(Part::Refund, record), (Part::Entry, entry)])
    }
}

/// What has to be on record for a decision to be taken: nothing before the first; a confirmed booking before a cancel, and
/// a cancelled one before a restore, in the version before.
fn previous(booking: &Booking) -> Condition {
    if booking.version == 1 {
        return Condition::absent();
    }
    let status = match booking.decision {
        Decision::Confirmed => "cancelled",
        Decision::Cancelled(_) | Decision::Refused(_) => "confirmed",
    };
    Condition::new("version = :previous AND #status = :status")
        .name("#status", "status")
        .text(":status", status)
        .number(":previous", booking.version - 1)
}
