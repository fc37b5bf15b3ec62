//! Calls with which a reconcile keeps its own state: how far events were drained, the audit items, the lease.

use std::time::Duration;

use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::operation::update_item::builders::UpdateItemFluentBuilder;
use aws_sdk_dynamodb::types::{AttributeValue, PutRequest, ReturnValue, WriteRequest};
use futures_util::future::BoxFuture;
use futures_util::{StreamExt, TryStreamExt, stream};
use jiff::Timestamp;

use super::items::{self, Item};
use super::keys::Key;
use super::{Dynamo, failure, keys};
use crate::Failure;
use crate::domain::{Drained, Event, ShowId};

/// Items of one batch: DynamoDB takes no more.
const BATCH: usize = 25;
/// Batches under way at once.
const BATCHES_AT_ONCE: usize = 8;
/// What the wait for items that a batch left over starts from.
const BACK_OFF: Duration = Duration::from_millis(20);

impl Dynamo {
    /// How far they were drained.
    pub async fn read_drained(&self, show: &ShowId) -> Result<Option<Drained>, Failure> {
        let item = self.get(&keys::drained(show)).await?;
        item.map(|item| items::read_drained(&item)).transpose()
    }

    /// Records it. Two runs at once may both: what they drain has the same keys.
    pub async fn write_drained(&self, show: &ShowId, drained: &Drained) -> Result<(), Failure> {
        let put = self.client.put_item().table_name(&self.table).set_item(Some(items::drained_item(show, drained)));
        let put: BoxFuture<'_, _> = Box::pin(self.within("put of an item", put.send()));
        put.await.map(|_| ())
    }
}

impl Dynamo {
    /// Keeps events, each under its epoch and id, so that a repeat writes the same again.
    pub async fn write_audit(&self, show: &ShowId, epoch: &str, events: &[Event]) -> Result<(), Failure> {
        let item = |event| items::audit_item(show, epoch, event, self.audit_days);
        let batches: Vec<Vec<Item>> = events.chunks(BATCH).map(|chunk| chunk.iter().map(item).collect()).collect();
        let batches = batches.into_iter().map(|batch| self.write_batch(batch));
        stream::iter(batches).buffer_unordered(BATCHES_AT_ONCE).try_collect().await
    }
}

impl Dynamo {
    /// Records that a reconcile found, or left, this version in order; does nothing if it is not the current one.
    pub async fn mark_clean(&self, show: &ShowId, version: u64) -> Result<(), Failure> {
        let update = self.update(&keys::show_entry(show)).update_expression("SET clean = :version");
        let update = update.condition_expression("version = :version");
        let update = update.expression_attribute_values(":version", AttributeValue::N(version.to_string()));
        self.try_update("update of a show's entry", update).await.map(|_| ())
    }
}

impl Dynamo {
    /// Takes the lease, or keeps it, for `lease_ms` from now; with `force` even if somebody else has it. Answers where the
    /// last run stopped (empty: it came to its end), or `None` if somebody else has it.
    pub async fn take_lease(&self, owner: &str, lease_ms: u64, force: bool) -> Result<Option<String>, Failure> {
        let now_ms = Timestamp::now().as_millisecond();
        let until_ms = now_ms.saturating_add_unsigned(lease_ms);
        let update = self
            .update(&keys::lease())
            .update_expression("SET #owner = :owner, #until = :until")
            .expression_attribute_names("#owner", "owner")
            .expression_attribute_names("#until", "until")
            .expression_attribute_values(":owner", AttributeValue::S(owner.to_owned()))
            .expression_attribute_values(":until", AttributeValue::N(until_ms.to_string()))
            .return_values(ReturnValue::AllNew);
        let update = if force {
            update
        } else {
            update
                .condition_expression("attribute_not_exists(#until) OR #until < :now OR #owner = :owner")
                .expression_attribute_values(":now", AttributeValue::N(now_ms.to_string()))
        };
        let taken = self.try_update("update of the lease", update).await?;
        Ok(taken.map(|item| items::stopped_at(&item)))
    }

    /// Gives the lease back, and records where the run stopped; does nothing if somebody else has it.
    pub async fn end_lease(&self, owner: &str, stopped_at: &str) -> Result<(), Failure> {
        let update = self
            .update(&keys::lease())
            .update_expression("SET #until = :ended, stopped = :stopped")
            .condition_expression("#owner = :owner")
            .expression_attribute_names("#owner", "owner")
            .expression_attribute_names("#until", "until")
            .expression_attribute_values(":owner", AttributeValue::S(owner.to_owned()))
            .expression_attribute_values(":ended", AttributeValue::N("0".to_owned()))
            .expression_attribute_values(":stopped", AttributeValue::S(stopped_at.to_owned()));
        self.try_update("update of the lease", update).await.map(|_| ())
    }
}

impl Dynamo {
    fn update(&self, key: &Key) -> UpdateItemFluentBuilder {
        self.client.update_item().table_name(&self.table).set_key(Some(key.attributes()))
    }

    /// Updates an item, and answers its attributes; `None`: the condition failed. Boxed like [`Dynamo::transact`].
    fn try_update<'a>(
        &'a self,
        what: &'a str,
        update: UpdateItemFluentBuilder,
    ) -> BoxFuture<'a, Result<Option<Item>, Failure>> {
        Box::pin(async move {
            let _wait = self.meter.wait();
            match tokio::time::timeout_at(self.deadline.instant(), update.send()).await {
                Ok(Ok(updated)) => Ok(Some(updated.attributes.unwrap_or_default())),
                Ok(Err(SdkError::ServiceError(error)))
                    if matches!(error.err(), UpdateItemError::ConditionalCheckFailedException(_)) =>
                {
                    Ok(None)
                }
                Ok(Err(error)) => Err(failure(what, error)),
                Err(_) => Err(Failure::unavailable(what)),
            }
        })
    }

    /// Puts up to 25 items, until none is left over. Boxed like [`Dynamo::transact`].
    fn write_batch(&self, items: Vec<Item>) -> BoxFuture<'_, Result<(), Failure>> {
        Box::pin(async move {
            let puts = items.into_iter().map(|item| PutRequest::builder().set_item(Some(item)).build());
            let puts = puts.map(|put| put.map(|put| WriteRequest::builder().put_request(put).build()));
            let puts = puts.collect::<Result<Vec<_>, _>>();
            let mut left = puts.map_err(|error| Failure::internal_because("put of a batch", error))?;
            for attempt in 0.. {
                let write = self.client.batch_write_item().request_items(&self.table, left);
                let written = self.within("write of a batch", write.send()).await?;
                left = written.unprocessed_items.and_then(|mut items| items.remove(&self.table)).unwrap_or_default();
                if left.is_empty() {
                    return Ok(());
                }
                if !self.deadline.back_off(attempt, BACK_OFF).await {
                    break;
                }
            }
            Err(Failure::unavailable("write of a batch"))
        })
    }
}
