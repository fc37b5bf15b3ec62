//! The shows that there are, page by page.

use super::paging::page;
use crate::domain::ShowEntry;
use crate::domain::page::{List, Page, PageWish};
use crate::{Failure, Stores};

/// Reads a page of the list of shows.
///
/// # Errors
/// When DynamoDB did not answer.
pub async fn list_shows(stores: &Stores, wish: &PageWish) -> Result<Page<ShowEntry>, Failure> {
    let read = |shard, after, limit| stores.record.list_shows(shard, after, limit);
    page(List::Shows.shards(), wish, |entry| entry.show.as_str(), read).await
}
