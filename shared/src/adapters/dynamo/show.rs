//! Calls that keep and read shows, and list what they have sold.

use aws_sdk_dynamodb::operation::query::QueryOutput;
use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::future::BoxFuture;

use super::keys::{PARTITION, SORT};
use super::transact::{Condition, Transacted};
use super::{Dynamo, items, keys};
use crate::Failure;
use crate::domain::{Show, ShowId, SoldPlace};

impl Dynamo {
    /// The show as it is now, read consistently.
    pub async fn read_show(&self, show: &ShowId) -> Result<Option<Show>, Failure> {
        let item = self.get(&keys::show(show)).await?;
        item.map(|item| items::read_show(&item)).transpose()
    }
}

impl Dynamo {
    /// Writes the next version, if `show.version - 1` is the current one (0: there is none). Answers whether it did.
    pub async fn write_show(&self, show: &Show) -> Result<bool, Failure> {
        let previous = match show.version {
            1 => Condition::absent(),
            version => Condition::new("version = :current").number(":current", version - 1),
        };
        let puts = vec![self.put_if(items::show_item(show)?, previous)?, self.put(items::show_entry(show))?];
        match self.transact_later("show", puts).await? {
            Transacted::Done => Ok(true),
            // Our own write, whose answer was lost, is ours.
            Transacted::Cancelled(_) => {
                let stored = self.read_show(&show.show_id).await?;
                Ok(stored.is_some_and(|stored| stored == *show))
            }
        }
    }
}

impl Dynamo {
    /// The sold places of one shard of a show, read consistently.
    pub async fn list_sold(&self, show: &ShowId, shard: u8) -> Result<Vec<SoldPlace>, Failure> {
        let mut places = Vec::new();
        let mut from = None;
        loop {
            let page = self.page(keys::sold_shard(show, shard), from).await?;
            for item in page.items() {
                places.push(items::read_sold_place(item)?);
            }
            from = page.last_evaluated_key;
            if from.is_none() {
                return Ok(places);
            }
        }
    }
}

impl Dynamo {
    /// An item, read consistently. Boxed like [`Dynamo::transact`].
    pub(super) fn get(&self, key: &keys::Key) -> BoxFuture<'_, Result<Option<items::Item>, Failure>> {
        let get = self.client.get_item().table_name(&self.table).consistent_read(true).set_key(Some(key.attributes()));
        Box::pin(async move { Ok(self.within("get of an item", get.send()).await?.item) })
    }

    /// One page of a partition of sold places, read consistently. Boxed like [`Dynamo::transact`].
    fn page(&self, partition: String, from: Option<items::Item>) -> BoxFuture<'_, Result<QueryOutput, Failure>> {
        let query = self
            .client
            .query()
            .table_name(&self.table)
            .consistent_read(true)
            .key_condition_expression("#pk = :pk")
            .expression_attribute_names("#pk", PARTITION)
            .expression_attribute_names("#sk", SORT)
            .expression_attribute_names("#format", "format")
            .expression_attribute_values(":pk", AttributeValue::S(partition))
            .projection_expression("#pk, #sk, #format, booking, version")
            .set_exclusive_start_key(from);
        Box::pin(self.within("query of sold places", query.send()))
    }
}
