//! The money of a refund is back.

use super::Outcome;
use crate::Failure;
use crate::domain::{BookingId, RefundRecord, RefundStatus, Refusal};
use crate::ports::{ReadRefund, SettleRefund};

/// Records that the money of a refund is back. A second time answers what the first one did. A refund that was withdrawn,
/// because its booking was restored, is none: the money must stay.
///
/// # Errors
/// When DynamoDB did not answer; a repeat finds out what happened.
pub async fn settle_refund(
    stores: &(impl SettleRefund + ReadRefund),
    reference: &str,
    booking: BookingId,
) -> Outcome<RefundRecord> {
    stores.settle_refund(reference, booking).await?;
    let Some(refund) = stores.read_refund(reference, booking).await? else { return Ok(Err(Refusal::RefundNotFound)) };
    match refund.status {
        RefundStatus::Settled => Ok(Ok(refund)),
        RefundStatus::Withdrawn => Ok(Err(Refusal::RefundNotFound)),
        // Withdrawn when it was to be settled, and due again since.
        RefundStatus::Due => Err(Failure::unavailable("a refund changed while it was settled")),
    }
}
