//! What a repeat is told of what happened since: the booking of a hold, and where a refund stands.

use holdfast_tests::sys::{Sys, paid};
use serde_json::{Value, json};

use crate::cancel::{booked, id, post};
use crate::confirm::due;
use crate::expect::{assert_problem, assert_success};
use crate::idempotency::{decrements, holds, send};

fn settled(reference: &str) -> Value {
    json!({"refund": {"reference": reference, "status": "settled"}})
}

async fn settle(sys: &Sys, reference: &str, booking: &str) {
    sys.call("POST", &format!("/refunds/{reference}/{booking}/settle"), Value::Null).await.expect(200);
}

#[tokio::test]
async fn a_key_that_comes_again_after_the_confirm_is_told_the_booking() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    for (path, asked, others) in [
        (holds(&show), json!({"seats": ["E1"]}), json!({"seats": ["E2"]})),
        (decrements(&show, "GA"), json!({"quantity": 2}), json!({"quantity": 1})),
    ] {
        let first = send(&sys, &path, "ann", "k", &asked).await;
        assert_eq!(first.body.get("bookingId"), None);
        let booking = sys.confirm(&show, first.text("holdToken"), paid("pay_1")).await.expect(201);
        let again = send(&sys, &path, "ann", "k", &asked).await.expect(201);
        assert_eq!((&again["state"], &again["bookingId"]), (&json!("confirmed"), &booking["bookingId"]));
        // A refused one has no booking that could be shown.
        let second = send(&sys, &path, "bob", "k", &others).await;
        let mut mismatch = paid("pay_2");
        mismatch["seats"] = json!(["E19"]);
        sys.confirm(&show, second.text("holdToken"), mismatch).await.expect_problem(422, "hold_mismatch");
        let again = send(&sys, &path, "bob", "k", &others).await.expect(201);
        assert_eq!((&again["state"], again.get("bookingId")), (&json!("refused"), None));
    }
}

#[tokio::test]
async fn a_cancel_that_is_repeated_tells_that_the_money_is_back() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let (token, booking) = booked(&sys, &show, &["E1"], paid("pay_1")).await;
    let cancelled = post(&sys, &booking, "cancel", Value::Null).await.expect(200);
    assert_eq!(cancelled["refund"], due("pay_1")["refund"]);
    assert_success(&post(&sys, &booking, "cancel", Value::Null).await, 200, cancelled.clone());
    settle(&sys, "pay_1", id(&booking)).await;
    let mut wanted = cancelled;
    wanted["refund"] = settled("pay_1")["refund"].clone();
    assert_success(&post(&sys, &booking, "cancel", Value::Null).await, 200, wanted.clone());
    assert_success(&sys.get(&format!("/bookings/{}", id(&booking))).await, 200, wanted);
    // So does a confirm, of its own payment and of no other.
    let carrying = |mut refund: Value| {
        refund["bookingId"] = booking["bookingId"].clone();
        refund
    };
    assert_problem(&sys.confirm(&show, &token, paid("pay_1")).await, "already_cancelled", carrying(settled("pay_1")));
    for _ in 0..2 {
        assert_problem(&sys.confirm(&show, &token, paid("pay_2")).await, "already_cancelled", carrying(due("pay_2")));
    }
    settle(&sys, "pay_2", id(&booking)).await;
    assert_problem(&sys.confirm(&show, &token, paid("pay_2")).await, "already_cancelled", carrying(settled("pay_2")));
}

#[tokio::test]
async fn a_refused_confirm_that_is_repeated_tells_that_the_money_is_back() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let invented = uuid::Uuid::new_v4().to_string();
    for _ in 0..2 {
        assert_problem(&sys.confirm(&show, &invented, paid("pay_1")).await, "hold_lost", due("pay_1"));
    }
    let booking = holdfast_tests::image::booking_of(&show, &invented).to_string();
    settle(&sys, "pay_1", &booking).await;
    assert_problem(&sys.confirm(&show, &invented, paid("pay_1")).await, "hold_lost", settled("pay_1"));
}

/// A second payment for a booking that stands.
#[tokio::test]
async fn another_payment_that_went_back_is_told_to_be_back() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let (token, booking) = booked(&sys, &show, &["E1"], paid("pay_1")).await;
    for _ in 0..2 {
        let refused = sys.confirm(&show, &token, paid("pay_2")).await.expect_problem(422, "idempotency_mismatch");
        assert_eq!(refused["refund"], due("pay_2")["refund"]);
    }
    settle(&sys, "pay_2", id(&booking)).await;
    let refused = sys.confirm(&show, &token, paid("pay_2")).await.expect_problem(422, "idempotency_mismatch");
    assert_eq!(refused["refund"], settled("pay_2")["refund"]);
    // It is not made due again by that.
    let refunds = sys.get(&format!("/bookings/{}", id(&booking))).await.expect(200);
    assert_eq!((&refunds["status"], refunds.get("refund")), (&json!("confirmed"), None));
}
