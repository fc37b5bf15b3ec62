//! Every final refusal of a confirm that carried a payment has the refund on record before it is answered.

use holdfast::adapters::dynamo::keys;
use holdfast::domain::RefundId;
use holdfast_tests::dynamo_front::Fault;
use holdfast_tests::image::{booking_of, lose_hold};
use holdfast_tests::invariants::{assert_agreement, assert_invariants};
use holdfast_tests::servers::TABLE;
use holdfast_tests::sys::{Sys, paid};
use serde_json::json;

use super::outages::{UNHURRIED, assert_unavailable};

/// Whether a refund is on record as due.
pub async fn is_due(sys: &Sys, show: &str, token: &str, reference: &str) -> bool {
    let key = keys::refund(RefundId::of(booking_of(show, token), reference)).attributes();
    let get = sys.dynamo().get_item().table_name(TABLE).consistent_read(true).set_key(Some(key));
    get.send().await.unwrap().item.is_some_and(|item| item["status"].as_s().unwrap() == "due")
}

/// A hold of a seat that the record has as sold to somebody else.
async fn doomed_hold(sys: &Sys, show: &str) -> String {
    let owner = sys.hold(show, &["E7"]).await.text("holdToken").to_owned();
    sys.confirm(show, &owner, paid("pay_owner")).await.expect(201);
    lose_hold(&mut sys.redis().await, show, &owner, &["E7"]).await;
    sys.hold(show, &["E7"]).await.text("holdToken").to_owned()
}

#[tokio::test]
async fn a_refusal_whose_refund_cannot_be_written_is_no_answer_yet() {
    let (sys, _proxy, front) = Sys::fragile(&[]).await;
    let show = sys.define(json!({})).await;
    let token = doomed_hold(&sys, &show).await;
    // The guard's refusal passes; the transaction that puts it on record does not.
    front.on("TransactWriteItems").skip(1).always().before(Fault::throttling());
    assert_unavailable(&sys.confirm(&show, &token, paid("pay_1")).await);
    assert!(!is_due(&sys, &show, &token, "pay_1").await);
    front.clear();
    let refused = sys.confirm(&show, &token, paid("pay_1")).await.expect_problem(409, "seat_already_sold");
    assert_eq!(refused["refund"], json!({"reference": "pay_1", "status": "due"}));
    assert!(is_due(&sys, &show, &token, "pay_1").await);
    assert_agreement(&sys, &show).await;
}

/// It was written, and the answer of the record is lost.
#[tokio::test]
async fn a_refusal_whose_record_is_not_answered_is_the_same_refusal() {
    let (sys, _proxy, front) = Sys::fragile(&UNHURRIED).await;
    let show = sys.define(json!({})).await;
    let token = doomed_hold(&sys, &show).await;
    front.on("TransactWriteItems").skip(1).after(Fault::Reset);
    for _ in 0..2 {
        let refused = sys.confirm(&show, &token, paid("pay_1")).await.expect_problem(409, "seat_already_sold");
        assert_eq!(refused["seats"], json!(["E7"]));
        assert_eq!(refused["refund"], json!({"reference": "pay_1", "status": "due"}));
    }
    assert_eq!(front.strikes_left(), 0);
    assert!(is_due(&sys, &show, &token, "pay_1").await);
    assert_agreement(&sys, &show).await;
}

/// A second payment for a booked token: it is due back, and only it.
#[tokio::test]
async fn another_payment_is_due_back_before_it_is_refused() {
    let (sys, _proxy, front) = Sys::fragile(&[]).await;
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E7"]).await.text("holdToken").to_owned();
    sys.confirm(&show, &token, paid("pay_1")).await.expect(201);
    front.on("TransactWriteItems").always().before(Fault::throttling());
    assert_unavailable(&sys.confirm(&show, &token, paid("pay_2")).await);
    assert!(!is_due(&sys, &show, &token, "pay_2").await);
    front.clear();
    for fault in [None, Some(Fault::Reset)] {
        if let Some(fault) = fault {
            front.on("TransactWriteItems").after(fault);
        }
        let refused = sys.confirm(&show, &token, paid("pay_2")).await.expect_problem(422, "idempotency_mismatch");
        assert_eq!(refused["refund"], json!({"reference": "pay_2", "status": "due"}));
        assert!(is_due(&sys, &show, &token, "pay_2").await);
    }
    assert!(!is_due(&sys, &show, &token, "pay_1").await);
    assert_invariants(&sys, &show).await;
}
