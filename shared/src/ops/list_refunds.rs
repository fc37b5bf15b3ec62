//! The refunds that are due, page by page.

use futures_util::{StreamExt, TryStreamExt, stream};

use super::paging::page;
use crate::domain::page::{List, Page, PageWish};
use crate::domain::refund::RefundListed;
use crate::domain::{RefundId, RefundRecord, RefundStatus};
use crate::{Failure, Stores};

/// Payments whose bookings are looked up at once.
const AT_ONCE: usize = 16;

/// Reads a page of the list of refunds that are due, each with the bookings that its payment still pays for. One that was
/// settled or withdrawn since its entry was read is left out, so a page may have fewer than were asked for.
///
/// # Errors
/// When DynamoDB did not answer.
pub async fn list_refunds(stores: &Stores, wish: &PageWish) -> Result<Page<RefundListed>, Failure> {
    let read = |shard, after, limit| stores.record.list_refunds(shard, after, limit);
    let Page { entries, next } = page(List::Refunds.shards(), wish, |entry| entry.key.as_str(), read).await?;
    let ids: Vec<RefundId> = entries.iter().map(|entry| entry.refund).collect();
    let records = stores.record.read_refunds(&ids).await?.into_iter();
    let due = records.filter(|refund| refund.status == RefundStatus::Due).map(|refund| with_standing(stores, refund));
    Ok(Page { entries: stream::iter(due).buffered(AT_ONCE).try_collect().await?, next })
}

/// A refund, with the bookings that its payment pays for.
pub(super) async fn with_standing(stores: &Stores, record: RefundRecord) -> Result<RefundListed, Failure> {
    let standing = stores.record.standing_bookings(&record.payment.reference, None).await?;
    Ok(RefundListed { record, standing })
}
