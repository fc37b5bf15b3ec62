//! Calls about payments that are not, or not yet, what their booking was decided with: each becomes the booking's own, or a
//! refund.

use aws_sdk_dynamodb::types::TransactWriteItem;

use super::transact::{Condition, Transacted, is_refused};
use super::{Dynamo, items, keys};
use crate::Failure;
use crate::domain::{Adoption, Booking, Decision, Payment, RefundId, RefundRecord, RefundStatus};

impl Dynamo {
    /// Makes a payment the own of a confirmed booking that has none, if the booking is as it was read. A refund of the payment
    /// that is due for this booking is withdrawn.
    pub async fn adopt_payment(&self, booking: &Booking, payment: &Payment) -> Result<Adoption, Failure> {
        let paid = booking.paid_with(payment);
        let unpaid = Condition::new("version = :version AND attribute_not_exists(payment)");
        let unpaid = unpaid.number(":version", booking.version);
        let mut writes = vec![self.put_if(items::booking_item(&paid)?, unpaid)?];
        let id = RefundId::of(booking.id, &payment.reference);
        // It may have come before, when the booking was cancelled.
        match self.read_refund(id).await?.map(|refund| refund.status) {
            Some(RefundStatus::Settled) => return Ok(Adoption::Refunded),
            Some(RefundStatus::Due) => {
                writes.extend(self.withdrawal(booking.id, payment)?.into_iter().map(|(_, write)| write));
            }
            None | Some(RefundStatus::Withdrawn) => {
                let not_due = Condition::new("attribute_not_exists(pk) OR #status = :withdrawn")
                    .name("#status", "status")
                    .text(":withdrawn", RefundStatus::Withdrawn.as_str());
                writes.push(self.check(&keys::refund(id), not_due)?);
            }
        }
        if let Some(entry) = items::reference_entry(&paid) {
            writes.push(self.put(entry)?);
        }
        match self.transact_later("booking", writes).await? {
            Transacted::Done => Ok(Adoption::Adopted(Box::new(paid))),
            Transacted::Cancelled(_) => Ok(Adoption::BookingChanged),
        }
    }
}

impl Dynamo {
    /// Records that a payment which came for a decided token is due back; once, by reference and booking. Answers whether the
    /// booking is still as it was read; if not, nothing was recorded.
    pub async fn record_refund(&self, booking: &Booking, payment: &Payment) -> Result<bool, Failure> {
        let reason = match &booking.decision {
            Decision::Confirmed => "idempotency_mismatch",
            Decision::Cancelled(_) => "already_cancelled",
            Decision::Refused(because) => because.code(),
        };
        let now_ms = jiff::Timestamp::now().as_millisecond();
        let standing = self.standing_bookings(&payment.reference, None).await?;
        let record = items::refund_item(booking, payment, &standing, reason, now_ms);
        let id = RefundId::of(booking.id, &payment.reference);
        let unchanged = Condition::new("version = :version").number(":version", booking.version);
        let writes: Vec<TransactWriteItem> = vec![
            self.check(&keys::booking(booking.id), unchanged)?,
            self.put_if(record, Condition::absent())?,
            self.put(items::refund_entry(id))?,
        ];
        Ok(match self.transact_later("refund", writes).await? {
            Transacted::Done => true,
            // Otherwise it is on record already.
            Transacted::Cancelled(reasons) => !reasons.first().is_some_and(is_refused),
        })
    }
}

impl Dynamo {
    /// The refund as it is now, read consistently.
    pub async fn read_refund(&self, id: RefundId) -> Result<Option<RefundRecord>, Failure> {
        let item = self.get(&keys::refund(id)).await?;
        item.map(|item| items::read_refund(&item)).transpose()
    }
}

impl Dynamo {
    /// Records that the money is back, if the refund is due.
    pub async fn settle_refund(&self, id: RefundId) -> Result<(), Failure> {
        let due = Condition::new("#status = :due")
            .name("#status", "status")
            .text(":due", RefundStatus::Due.as_str())
            .text(":settled", RefundStatus::Settled.as_str());
        let writes = vec![
            self.update_if(&keys::refund(id), "SET #status = :settled", due)?,
            self.delete(&keys::refund_entry(id))?,
        ];
        match self.transact_later("refund", writes).await? {
            // Cancelled: it is not due, and the record says what it is.
            Transacted::Done | Transacted::Cancelled(_) => Ok(()),
        }
    }
}
