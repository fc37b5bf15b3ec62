//! The money of a refund is back.

use super::Outcome;
use super::list_refunds::with_standing;
use crate::domain::refund::RefundListed;
use crate::domain::{RefundId, RefundStatus, Refusal};
use crate::{Failure, Stores};

/// Records that the money of a refund is back. A second time answers what the first one did. A refund that was withdrawn
/// because its booking was restored, or whose payment still pays for a booking, is not due: the money must stay.
///
/// # Errors
/// When DynamoDB did not answer; a repeat finds out what happened.
pub async fn settle_refund(stores: &Stores, id: RefundId) -> Outcome<RefundListed> {
    let Some(record) = stores.record.read_refund(id).await? else { return Ok(Err(Refusal::RefundNotFound)) };
    let refund = with_standing(stores, record).await?;
    if refund.is_in_use() {
        return Ok(Err(Refusal::RefundInUse { standing: refund.standing }));
    }
    match refund.record.status {
        RefundStatus::Settled => return Ok(Ok(refund)),
        RefundStatus::Withdrawn => return Ok(Err(Refusal::RefundNotFound)),
        RefundStatus::Due => stores.record.settle_refund(id).await?,
    }
    // Withdrawn meanwhile, or settled by another call.
    let Some(record) = stores.record.read_refund(id).await? else { return Ok(Err(Refusal::RefundNotFound)) };
    match record.status {
        RefundStatus::Settled => Ok(Ok(RefundListed { record, ..refund })),
        RefundStatus::Withdrawn => Ok(Err(Refusal::RefundNotFound)),
        RefundStatus::Due => Err(Failure::unavailable("a refund changed while it was settled")),
    }
}
