//! The ports of refunds.

use super::transact::{Condition, Transacted};
use super::{Dynamo, items, keys};
use crate::Failure;
use crate::domain::{Booking, BookingId, Decision, Payment, RefundRecord, RefundStatus};
use crate::ports::{ReadRefund, RecordRefund, SettleRefund};

impl RecordRefund for Dynamo {
    async fn record_refund(&self, booking: &Booking, payment: &Payment) -> Result<(), Failure> {
        let reason = match &booking.decision {
            Decision::Confirmed => "idempotency_mismatch",
            Decision::Cancelled(_) => "already_cancelled",
            Decision::Refused(because) => because.code(),
        };
        let now_ms = jiff::Timestamp::now().as_millisecond();
        let record = items::refund_item(booking, payment, reason, now_ms);
        let writes = vec![
            self.put_if(record, Condition::absent())?,
            self.put(items::refund_entry(&payment.reference, booking.id))?,
        ];
        match self.transact_later("refund", writes).await? {
            // Cancelled: it is on record already.
            Transacted::Done | Transacted::Cancelled(_) => Ok(()),
        }
    }
}

impl ReadRefund for Dynamo {
    async fn read_refund(&self, reference: &str, booking: BookingId) -> Result<Option<RefundRecord>, Failure> {
        let item = self.get(&keys::refund(reference, booking)).await?;
        item.map(|item| items::read_refund(&item)).transpose()
    }
}

impl SettleRefund for Dynamo {
    async fn settle_refund(&self, reference: &str, booking: BookingId) -> Result<(), Failure> {
        let due = Condition::new("#status = :due")
            .name("#status", "status")
            .text(":due", RefundStatus::Due.as_str())
            .text(":settled", RefundStatus::Settled.as_str());
        let writes = vec![
            self.update_if(&keys::refund(reference, booking), "SET #status = :settled", due)?,
            self.delete(&keys::refund_entry(reference, booking))?,
        ];
        match self.transact_later("refund", writes).await? {
            // Cancelled: it is not due, and the record says what it is.
            Transacted::Done | Transacted::Cancelled(_) => Ok(()),
        }
    }
}
