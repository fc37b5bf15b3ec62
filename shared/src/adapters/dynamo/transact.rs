//! Transactions, run until they have come to something, and the writes that they are made of.

use std::time::Duration;

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::{
    AttributeValue, CancellationReason, ConditionCheck, Delete, Put, ReturnValuesOnConditionCheckFailure,
    TransactWriteItem, Update,
};
use futures_util::future::BoxFuture;

use super::items::Item;
use super::keys::Key;
use super::{Dynamo, failure, is_passing};
use crate::Failure;

/// What the wait before a repeat starts from.
const BACK_OFF: Duration = Duration::from_millis(20);

/// What a transaction came to, when it came to something.
pub(super) enum Transacted {
    /// Every write was done.
    Done,
    /// None was done: a condition failed. One reason a write, in their order.
    Cancelled(Vec<CancellationReason>),
}

/// On what a write depends.
pub(super) struct Condition {
    expression: &'static str,
    names: Vec<(&'static str, &'static str)>,
    values: Vec<(&'static str, AttributeValue)>,
}

impl Condition {
    /// A condition in DynamoDB's own words.
    pub fn new(expression: &'static str) -> Self {
        Self { expression, names: Vec::new(), values: Vec::new() }
    }

    /// That there is no such item.
    pub fn absent() -> Self {
        Self::new("attribute_not_exists(pk)")
    }

    /// Says what a `#name` of the expression stands for.
    pub fn name(mut self, name: &'static str, attribute: &'static str) -> Self {
        self.names.push((name, attribute));
        self
    }

    /// Says what a `:value` of the expression stands for.
    pub fn text(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.values.push((name, AttributeValue::S(value.into())));
        self
    }

    /// The same for a number.
    pub fn number(mut self, name: &'static str, value: u64) -> Self {
        self.values.push((name, AttributeValue::N(value.to_string())));
        self
    }
}

/// Gives a builder the condition; a failed one answers the item that was there.
macro_rules! on {
    ($builder:expr, $condition:expr) => {{
        let Condition { expression, names, values } = $condition;
        let mut builder = $builder.condition_expression(expression);
        builder = builder.return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
        for (name, attribute) in names {
            builder = builder.expression_attribute_names(name, attribute);
        }
        for (name, value) in values {
            builder = builder.expression_attribute_values(name, value);
        }
        builder
    }};
}

fn incomplete(error: impl std::error::Error + Send + Sync + 'static) -> Failure {
    Failure::internal_because("write of a transaction", error)
}

impl Dynamo {
    /// Puts an item.
    pub(super) fn put(&self, item: Item) -> Result<TransactWriteItem, Failure> {
        let put = Put::builder().table_name(&self.table).set_item(Some(item)).build().map_err(incomplete)?;
        Ok(TransactWriteItem::builder().put(put).build())
    }

    /// Puts an item on a condition.
    pub(super) fn put_if(&self, item: Item, condition: Condition) -> Result<TransactWriteItem, Failure> {
        let put = on!(Put::builder().table_name(&self.table).set_item(Some(item)), condition);
        Ok(TransactWriteItem::builder().put(put.build().map_err(incomplete)?).build())
    }

    /// Writes nothing, and lets the transaction depend on an item.
    pub(super) fn check(&self, key: &Key, condition: Condition) -> Result<TransactWriteItem, Failure> {
        let check = ConditionCheck::builder().table_name(&self.table).set_key(Some(key.attributes()));
        let check = on!(check, condition).build().map_err(incomplete)?;
        Ok(TransactWriteItem::builder().condition_check(check).build())
    }

    /// Deletes an item.
    pub(super) fn delete(&self, key: &Key) -> Result<TransactWriteItem, Failure> {
        let delete = Delete::builder().table_name(&self.table).set_key(Some(key.attributes()));
        Ok(TransactWriteItem::builder().delete(delete.build().map_err(incomplete)?).build())
    }

    /// Deletes an item on a condition.
    pub(super) fn delete_if(&self, key: &Key, condition: Condition) -> Result<TransactWriteItem, Failure> {
        let delete = on!(Delete::builder().table_name(&self.table).set_key(Some(key.attributes())), condition);
        Ok(TransactWriteItem::builder().delete(delete.build().map_err(incomplete)?).build())
    }

    /// Updates an item on a condition; what `update` names is among the condition's names and values.
    pub(super) fn update_if(
        &self,
        key: &Key,
        update: &str,
        condition: Condition,
    ) -> Result<TransactWriteItem, Failure> {
        let builder = Update::builder().table_name(&self.table).set_key(Some(key.attributes()));
        let update = on!(builder.update_expression(update), condition);
        Ok(TransactWriteItem::builder().update(update.build().map_err(incomplete)?).build())
    }

    /// Runs a transaction until it has come to something: conflicts, throttling and transactions in progress are no
    /// decision, and are tried again within the deadline. The client request token is left to the SDK, which makes one a
    /// call: a token of ours would replay an old success after a cancel.
    ///
    /// Boxed, so that the SDK's futures are compiled once, here, and not in every function that awaits them.
    pub(super) fn transact<'a>(
        &'a self,
        what: &'a str,
        writes: Vec<TransactWriteItem>,
    ) -> BoxFuture<'a, Result<Transacted, Failure>> {
        Box::pin(self.run(what, writes))
    }

    /// The same for what is no decision of a hold: the contract's `in_progress` is about that, and this is just "try again".
    pub(super) async fn transact_later(
        &self,
        what: &str,
        writes: Vec<TransactWriteItem>,
    ) -> Result<Transacted, Failure> {
        self.transact(what, writes).await.map_err(|failure| match failure {
            Failure::Undecided => Failure::unavailable(format!("another write of the same {what} is under way")),
            other => other,
        })
    }

    async fn run(&self, what: &str, writes: Vec<TransactWriteItem>) -> Result<Transacted, Failure> {
        let what = format!("transaction of a {what}");
        let (mut attempt, mut undecided) = (0, false);
        let out_of_time = |undecided, failed| if undecided { Failure::Undecided } else { failed };
        loop {
            let call = self.client.transact_write_items().set_transact_items(Some(writes.clone())).send();
            let wait = self.meter.wait();
            let answer = tokio::time::timeout_at(self.deadline.instant(), call).await;
            drop(wait);
            let Ok(answer) = answer else { return Err(out_of_time(undecided, Failure::unavailable(what))) };
            let Err(error) = answer else { return Ok(Transacted::Done) };
            undecided = match cancellation(&error) {
                Some(reasons) if is_decided(reasons) => return Ok(Transacted::Cancelled(reasons.to_vec())),
                Some(reasons) => reasons.first().and_then(CancellationReason::code) == Some("TransactionConflict"),
                None => error.code() == Some("TransactionInProgressException"),
            };
            let failed = if cancellation(&error).is_some_and(|reasons| reasons.iter().all(is_later)) {
                Failure::Unavailable { what: what.clone(), source: Some(error.into()) }
            } else {
                failure(&what, error)
            };
            if !matches!(failed, Failure::Unavailable { .. }) {
                return Err(failed);
            }
            if !self.deadline.back_off(attempt, BACK_OFF).await {
                return Err(out_of_time(undecided, failed));
            }
            attempt += 1;
        }
    }
}

/// The reasons of a transaction that was cancelled.
fn cancellation(error: &SdkError<TransactWriteItemsError>) -> Option<&[CancellationReason]> {
    match error.as_service_error() {
        Some(TransactWriteItemsError::TransactionCanceledException(cancelled)) => {
            Some(cancelled.cancellation_reasons())
        }
        _ => None,
    }
}

/// Whether the condition of this write failed.
pub(super) fn is_refused(reason: &CancellationReason) -> bool {
    reason.code() == Some("ConditionalCheckFailed")
}

/// Whether a reason is none, or one that passes.
fn is_later(reason: &CancellationReason) -> bool {
    matches!(reason.code(), None | Some("None")) || is_refused(reason) || is_passing(reason.code())
}

/// Whether the reasons are a decision. The first one's is, whatever the others say. If the first is in conflict with
/// somebody, that may be our own earlier attempt about to land: no decision yet. Otherwise a refused write decides, unless a
/// reason says that we asked for something impossible.
fn is_decided(reasons: &[CancellationReason]) -> bool {
    match reasons.split_first() {
        Some((own, _)) if is_refused(own) => true,
        Some((own, others)) => {
            matches!(own.code(), None | Some("None")) && others.iter().any(is_refused) && others.iter().all(is_later)
        }
        None => false,
    }
}
