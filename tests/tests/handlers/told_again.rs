//! What a repeat is told of what happened since: the booking of a hold, and where a refund stands.

use holdfast::domain::{BookingId, RefundId};
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::loaded::issued_token;
use holdfast_tests::sys::{Sys, paid};
use serde_json::{Value, json};

use crate::cancel::{booked, id, post};
use crate::confirm::due;
use crate::expect::{assert_problem, assert_success};
use crate::idempotency::{assert_ended, decrements, holds, send};

fn settled(reference: &str) -> Value {
    json!({"refund": {"reference": reference, "status": "settled"}})
}

async fn settle(sys: &Sys, reference: &str, booking: &str) {
    let refund = RefundId::of(BookingId::parse(booking).unwrap(), reference);
    sys.call("POST", &format!("/refunds/{refund}/settle"), Value::Null).await.expect(200);
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
        let again = send(&sys, &path, "ann", "k", &asked).await;
        assert_ended(&again, &first, "confirmed", Some(&booking["bookingId"]));
        // A refused one has no booking that could be shown.
        let second = send(&sys, &path, "bob", "k", &others).await;
        let mut mismatch = paid("pay_2");
        mismatch["seats"] = json!(["E19"]);
        sys.confirm(&show, second.text("holdToken"), mismatch).await.expect_problem(422, "hold_mismatch");
        assert_ended(&send(&sys, &path, "bob", "k", &others).await, &second, "refused", None);
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
    let lost = issued_token(&show);
    // It pays for nothing else.
    let payment = format!("pay_{lost}");
    for _ in 0..2 {
        assert_problem(&sys.confirm(&show, &lost, paid(&payment)).await, "hold_lost", due(&payment));
    }
    let booking = holdfast_tests::image::booking_of(&show, &lost).to_string();
    settle(&sys, &payment, &booking).await;
    assert_problem(&sys.confirm(&show, &lost, paid(&payment)).await, "hold_lost", settled(&payment));
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

/// The refund of an earlier cancel was withdrawn by the restore, and the caller of the later cancel has paid back: nothing is
/// due (a withdrawn record hides nothing).
#[tokio::test]
async fn a_payment_that_the_caller_of_a_later_cancel_paid_back_is_settled() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let (token, booking) = booked(&sys, &show, &["E1"], paid("pay_1")).await;
    for (action, body) in [("cancel", json!({})), ("restore", json!({})), ("cancel", json!({"refunded": true}))] {
        post(&sys, &booking, action, body).await.expect(200);
    }
    for body in [paid("pay_1"), json!({"payment": {"reference": "pay_1"}})] {
        let refused = sys.confirm(&show, &token, body).await.expect_problem(409, "already_cancelled");
        assert_eq!(refused["refund"], settled("pay_1")["refund"]);
    }
    let booking = sys.get(&format!("/bookings/{}", id(&booking))).await.expect(200);
    assert_eq!((&booking["status"], booking.get("refund")), (&json!("cancelled"), None));
    assert_agreement(&sys, &show).await;
}
