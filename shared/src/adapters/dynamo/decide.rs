//! The decision of a token: one transaction of conditional puts, the booking first. What is there already is the answer.

use std::time::Duration;

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::{CancellationReason, Put, ReturnValuesOnConditionCheckFailure, TransactWriteItem};
use futures_util::future::BoxFuture;

use super::items::Item;
use super::{Dynamo, failure, is_passing, items, keys};
use crate::Failure;
use crate::domain::{Booking, BookingId, Decision, Payment, Places};
use crate::ports::{DecideBooking, ReadBooking, RecordRefund, Verdict};

/// What the wait before a repeat starts from.
const BACK_OFF: Duration = Duration::from_millis(20);

/// What a transaction came to, when it came to something.
pub(super) enum Transacted {
    /// Every put was done.
    Done,
    /// None was done: a condition failed. One reason a put, in their order.
    Cancelled(Vec<CancellationReason>),
}

impl Dynamo {
    /// Runs a transaction until it has come to something: conflicts, throttling and transactions in progress are no
    /// decision, and are tried again within the deadline. The client request token is left to the SDK, which makes one a
    /// call: a token of ours would replay an old success after a cancel.
    ///
    /// Boxed, so that the SDK's futures are compiled once, here, and not in every function that awaits them.
    pub(super) fn transact<'a>(
        &'a self,
        what: &'a str,
        puts: Vec<TransactWriteItem>,
    ) -> BoxFuture<'a, Result<Transacted, Failure>> {
        Box::pin(self.run(what, puts))
    }

    async fn run(&self, what: &str, puts: Vec<TransactWriteItem>) -> Result<Transacted, Failure> {
        let what = format!("transaction of a {what}");
        let (mut attempt, mut undecided) = (0, false);
        let out_of_time = |undecided, failed| if undecided { Failure::Undecided } else { failed };
        loop {
            let call = self.client.transact_write_items().set_transact_items(Some(puts.clone())).send();
            let answer = tokio::time::timeout_at(self.deadline.instant(), call).await;
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

    fn put(&self, item: Item) -> Result<TransactWriteItem, Failure> {
        let put = Put::builder()
            .table_name(&self.table)
            .set_item(Some(item))
            .condition_expression("attribute_not_exists(pk)")
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .build();
        let put = put.map_err(|error| Failure::internal_because("put of a transaction", error))?;
        Ok(TransactWriteItem::builder().put(put).build())
    }
}

impl ReadBooking for Dynamo {
    async fn read_booking(&self, id: BookingId) -> Result<Option<Booking>, Failure> {
        let item = self.get(&keys::booking(id)).await?;
        item.map(|item| items::read_booking(id, &item)).transpose()
    }
}

impl DecideBooking for Dynamo {
    async fn decide_booking(&self, booking: &Booking) -> Result<Verdict, Failure> {
        let mut puts = vec![self.put(items::booking_item(booking)?)?];
        match (&booking.decision, &booking.payment) {
            (Decision::Confirmed, _) => {
                for place in booking.places.as_ref().map(Places::ids).unwrap_or_default() {
                    puts.push(self.put(items::sold_place(booking, &place))?);
                }
            }
            (Decision::Refused(because), Some(payment)) => {
                puts.push(self.put(items::refund_item(booking, payment, because.code(), booking.decided_at_ms))?);
            }
            (Decision::Refused(_), None) => {}
        }
        let reasons = match self.transact("booking", puts).await? {
            Transacted::Done => return Ok(Verdict::Written),
            Transacted::Cancelled(reasons) => reasons,
        };
        // The booking's own reason comes before any place's.
        let mut reasons = reasons.into_iter();
        if let Some(own) = reasons.next().filter(is_refused) {
            let decided = match own.item {
                Some(item) => Some(items::read_booking(booking.id, &item)?),
                None => self.read_booking(booking.id).await?,
            };
            let decided = decided.ok_or_else(|| Failure::unavailable("a booking that was there is gone"))?;
            return Ok(Verdict::Decided(Box::new(decided)));
        }
        let taken = reasons.filter(is_refused).map(|reason| items::read_sold_place(&reason.item.unwrap_or_default()));
        let taken = taken.collect::<Result<Vec<_>, _>>()?;
        let own = booking.id.to_string();
        if taken.is_empty() || taken.iter().any(|place| place.booking == own) {
            // Never "sold" to oneself: our own transaction landed meanwhile, and its booking will be found.
            return Err(Failure::unavailable("a booking changed while it was decided"));
        }
        Ok(Verdict::Taken(taken))
    }
}

impl RecordRefund for Dynamo {
    async fn record_refund(&self, booking: &Booking, payment: &Payment) -> Result<(), Failure> {
        let reason = match &booking.decision {
            Decision::Confirmed => "idempotency_mismatch",
            Decision::Refused(because) => because.code(),
        };
        let now_ms = jiff::Timestamp::now().as_millisecond();
        self.put_if_absent(items::refund_item(booking, payment, reason, now_ms)).await
    }
}

impl Dynamo {
    /// Puts an item, unless it is there already. Boxed like [`Dynamo::transact`].
    fn put_if_absent(&self, item: Item) -> BoxFuture<'_, Result<(), Failure>> {
        let put = self.client.put_item().table_name(&self.table).set_item(Some(item));
        let put = put.condition_expression("attribute_not_exists(pk)");
        Box::pin(async move {
            match tokio::time::timeout_at(self.deadline.instant(), put.send()).await {
                Ok(Ok(_)) => Ok(()),
                // It is on record already.
                Ok(Err(SdkError::ServiceError(error)))
                    if matches!(error.err(), PutItemError::ConditionalCheckFailedException(_)) =>
                {
                    Ok(())
                }
                Ok(Err(error)) => Err(failure("put of an item", error)),
                Err(_) => Err(Failure::unavailable("put of an item")),
            }
        })
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

fn is_refused(reason: &CancellationReason) -> bool {
    reason.code() == Some("ConditionalCheckFailed")
}

/// Whether a reason is none, or one that passes.
fn is_later(reason: &CancellationReason) -> bool {
    matches!(reason.code(), None | Some("None")) || is_refused(reason) || is_passing(reason.code())
}

/// Whether the reasons are a decision. The first one's is, whatever the others say. If the first is in conflict with
/// somebody, that may be our own earlier attempt about to land: no decision yet. Otherwise a refused place decides, unless a
/// reason says that we asked for something impossible.
fn is_decided(reasons: &[CancellationReason]) -> bool {
    match reasons.split_first() {
        Some((own, _)) if is_refused(own) => true,
        Some((own, places)) => {
            matches!(own.code(), None | Some("None")) && places.iter().any(is_refused) && places.iter().all(is_later)
        }
        None => false,
    }
}
