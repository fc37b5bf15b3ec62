//! A refund is due once, by reference and booking.

use std::time::Duration;

use holdfast::Failure;
use holdfast::adapters::dynamo::keys;
use holdfast::domain::{RefundId, RefusedBecause};
use holdfast_tests::dynamo_front::Fault;

use crate::record::{Record, payment};

#[tokio::test]
async fn a_refund_is_recorded_once() {
    let record = Record::open().await;
    let booking = record.sold(&["E1"]).await;
    let second = payment("pay_2");
    record.store().record_refund(&booking, &second).await.unwrap();
    let key = keys::refund(RefundId::of(booking.id, "pay_2"));
    let first = record.item(&key).await.unwrap();
    assert_eq!(first["reason"].as_s().unwrap(), "idempotency_mismatch");
    record.store().record_refund(&booking, &second).await.unwrap();
    assert_eq!(record.item(&key).await.unwrap(), first, "the instant is that of the first");
    // Of another payment, and of another booking, it is another one.
    record.store().record_refund(&booking, &payment("pay_3")).await.unwrap();
    assert!(record.item(&keys::refund(RefundId::of(booking.id, "pay_3"))).await.is_some());
    assert_eq!(record.item(&keys::refund(RefundId::of(booking.id, "pay_1"))).await, None);
}

/// The refusal has its refund already, and keeps its reason.
#[tokio::test]
async fn the_refund_of_a_refusal_stays_as_it_is() {
    let record = Record::open().await;
    let refused = record.refusal(RefusedBecause::HoldMismatch);
    record.store().decide_booking(&refused).await.unwrap();
    let before = record.item(&keys::refund(RefundId::of(refused.id, "pay_1"))).await.unwrap();
    record.store().record_refund(&refused, &payment("pay_1")).await.unwrap();
    assert_eq!(record.item(&keys::refund(RefundId::of(refused.id, "pay_1"))).await.unwrap(), before);
}

#[tokio::test]
async fn a_lost_reply_is_a_success_and_a_store_that_is_away_is_not() {
    let record = Record::open().await;
    let booking = record.sold(&["E1"]).await;
    record.front.on("TransactWriteItems").times(2).after(Fault::Reset);
    record.store().record_refund(&booking, &payment("pay_2")).await.unwrap();
    assert!(record.item(&keys::refund(RefundId::of(booking.id, "pay_2"))).await.is_some());
    record.front.on("TransactWriteItems").always().before(Fault::throttling());
    let away = record.within(Duration::from_millis(500)).record_refund(&booking, &payment("pay_3")).await.unwrap_err();
    assert!(matches!(away, Failure::Unavailable { .. }), "{away:?}");
    record.front.clear();
    record.front.on("TransactWriteItems").before(Fault::validation("no"));
    let fault = record.store().record_refund(&booking, &payment("pay_3")).await.unwrap_err();
    assert!(matches!(fault, Failure::Internal { .. }), "{fault:?}");
}
