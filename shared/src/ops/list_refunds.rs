//! The refunds that are due, page by page.

use super::paging::page;
use crate::Failure;
use crate::domain::page::{List, Page, PageWish};
use crate::domain::{BookingId, RefundRecord, RefundStatus};
use crate::ports::{ListRefunds, ReadRefunds};

/// Reads a page of the list of refunds that are due. One that was settled or withdrawn since its entry was read is left
/// out, so a page may have fewer than were asked for.
///
/// # Errors
/// When DynamoDB did not answer.
pub async fn list_refunds(
    stores: &(impl ListRefunds + ReadRefunds),
    wish: &PageWish,
) -> Result<Page<RefundRecord>, Failure> {
    let read = |shard, after, limit| stores.list_refunds(shard, after, limit);
    let Page { entries, next } = page(List::Refunds.shards(), wish, |entry| entry.key.as_str(), read).await?;
    let refunds: Vec<(&str, BookingId)> =
        entries.iter().map(|entry| (entry.reference.as_str(), entry.booking)).collect();
    let mut due = stores.read_refunds(&refunds).await?;
    due.retain(|refund| refund.status == RefundStatus::Due);
    Ok(Page { entries: due, next })
}
