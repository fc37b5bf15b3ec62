//! Calls that list: each reads one partition, or a part of it, consistently, from a sort key on.

use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::future::BoxFuture;

use super::items::Item;
use super::keys::{Key, PARTITION, SORT};
use super::{Dynamo, items, keys};
use crate::Failure;
use crate::domain::{BookingEntry, OrderId, RefundEntry, ShowEntry, ShowId};

impl Dynamo {
    /// The shows of a shard after the id `after`, `limit` at most; fewer: there are no more. Read consistently.
    pub async fn list_shows(&self, shard: u8, after: Option<&str>, limit: usize) -> Result<Vec<ShowEntry>, Failure> {
        let items = self.after(keys::shows_shard(shard), "", after, limit).await?;
        items.iter().map(items::read_show_entry).collect()
    }
}

impl Dynamo {
    /// The bookings of a shard after the key `after`, `limit` at most; fewer: there are no more. Read consistently.
    pub async fn list_bookings(
        &self,
        show: &ShowId,
        shard: u8,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<BookingEntry>, Failure> {
        let items = self.after(keys::bookings_shard(show, shard), "", after, limit).await?;
        items.iter().map(items::read_booking_entry).collect()
    }
}

impl Dynamo {
    /// The bookings that carried this payment reference, like [`Dynamo::list_bookings`].
    pub async fn find_by_reference(
        &self,
        show: &ShowId,
        reference: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<BookingEntry>, Failure> {
        let Key { partition, sort } = keys::bookings_of(show, reference);
        let items = self.after(partition, &sort, after, limit).await?;
        let entry = |item| {
            let entry = items::read_booking_entry(item)?;
            // All of them begin alike: what sorts them is the rest.
            Ok(BookingEntry { key: entry.booking.to_string(), ..entry })
        };
        items.iter().map(entry).collect()
    }
}

impl Dynamo {
    /// The bookings that came with this order, like [`Dynamo::list_bookings`].
    pub async fn find_by_order(
        &self,
        show: &ShowId,
        order: &OrderId,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<BookingEntry>, Failure> {
        let items = self.after(keys::order(show, order), "", after, limit).await?;
        items.iter().map(items::read_booking_entry).collect()
    }
}

impl Dynamo {
    /// The refunds of a shard after the key `after`, `limit` at most; fewer: there are no more. Read consistently.
    pub async fn list_refunds(
        &self,
        shard: u8,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<RefundEntry>, Failure> {
        let items = self.after(keys::refunds_shard(shard), "", after, limit).await?;
        items.iter().map(items::read_refund_entry).collect()
    }
}

impl Dynamo {
    /// The items of a partition whose sort keys begin with `prefix`, after the one that goes on with `after`, `limit` at
    /// most; fewer: there are no more. Boxed like [`Dynamo::transact`].
    pub(super) fn after<'a>(
        &'a self,
        partition: String,
        prefix: &'a str,
        after: Option<&'a str>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Item>, Failure>> {
        Box::pin(async move {
            let start = after.map(|after| Key { partition: partition.clone(), sort: format!("{prefix}{after}") });
            let (mut found, mut from) = (Vec::new(), start.map(|key| key.attributes()));
            loop {
                let most = i32::try_from(limit - found.len()).unwrap_or(i32::MAX);
                let query = self.client.query().table_name(&self.table).consistent_read(true).limit(most);
                let query = query.expression_attribute_names("#pk", PARTITION);
                let query = query.expression_attribute_values(":pk", AttributeValue::S(partition.clone()));
                let query = match prefix {
                    "" => query.key_condition_expression("#pk = :pk"),
                    prefix => query
                        .key_condition_expression("#pk = :pk AND begins_with(#sk, :prefix)")
                        .expression_attribute_names("#sk", SORT)
                        .expression_attribute_values(":prefix", AttributeValue::S(prefix.to_owned())),
                };
                let page = self.within("query of a list", query.set_exclusive_start_key(from).send()).await?;
                found.extend(page.items.unwrap_or_default());
                from = page.last_evaluated_key;
                if from.is_none() || found.len() >= limit {
                    return Ok(found);
                }
            }
        })
    }
}
