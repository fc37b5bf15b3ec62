//! `POST /bookings/{bookingId}/cancel`: the places are for sale again, and what was paid is due back.

use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::sys::{Answer, Client, Sys, paid};
use serde_json::{Value, json};

use crate::confirm::{due, is_on_record};
use crate::expect::{assert_invalid, assert_invalid_fields, assert_problem, assert_success};

/// A booking of these seats: its token, and what was answered.
pub async fn booked(sys: &Client, show: &str, seats: &[&str], body: Value) -> (String, Value) {
    let token = sys.hold(show, seats).await.text("holdToken").to_owned();
    let booking = sys.confirm(show, &token, body).await.expect(201);
    (token, booking)
}

/// Cancels, or restores, the booking of this answer.
pub async fn post(sys: &Client, booking: &Value, action: &str, body: Value) -> Answer {
    sys.call("POST", &format!("/bookings/{}/{action}", id(booking)), body).await
}

pub fn id(booking: &Value) -> &str {
    booking["bookingId"].as_str().unwrap()
}

/// The booking, cancelled.
fn cancelled(booking: &Value, carries: Value) -> Value {
    let mut wanted = booking.clone();
    (wanted["status"], wanted["cancelledAt"], wanted["version"]) = ("cancelled".into(), "<time>".into(), 2.into());
    for (name, value) in carries.as_object().unwrap() {
        wanted[name] = value.clone();
    }
    wanted
}

/// Why a booking is not cancelled, or not restored.
pub fn not_restorable(id: &str, reason: &str, detail: &str) -> Value {
    json!({"detail": detail, "bookingId": id, "reason": reason})
}

#[tokio::test]
async fn a_paid_booking_frees_its_seats_and_the_refund_is_due() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let mut body = paid("pay_1");
    body["orderId"] = "order 4711".into();
    let (token, booking) = booked(&sys, &show, &["E1", "E2"], body).await;
    let answer = post(&sys, &booking, "cancel", json!({"reason": "Regen, überall"})).await;
    let mut wanted = due("pay_1");
    wanted["reason"] = "Regen, überall".into();
    assert_success(&answer, 200, cancelled(&booking, wanted));
    assert!(is_on_record(&sys, "pay_1", &show, &token).await);
    assert_success(&sys.get(&format!("/bookings/{}", id(&booking))).await, 200, answer.body);
    assert_agreement(&sys, &show).await;
    sys.hold(&show, &["E1", "E2"]).await.expect(201);
}

#[tokio::test]
async fn what_was_not_paid_or_is_refunded_is_not_due() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let cases = [
        (json!({}), Value::Null),
        (json!({}), json!({})),
        (json!({}), json!({"refunded": false, "reason": ""})),
        (paid("pay_1"), json!({"refunded": true})),
    ];
    for (confirm, body) in cases {
        let (token, booking) = booked(&sys, &show, &["E1"], confirm).await;
        let reason = body.get("reason").map_or(json!({}), |reason| json!({"reason": reason}));
        let answer = post(&sys, &booking, "cancel", body).await;
        assert_success(&answer, 200, cancelled(&booking, reason));
        assert!(!is_on_record(&sys, "pay_1", &show, &token).await);
        assert_success(&sys.get(&format!("/bookings/{}", id(&booking))).await, 200, answer.body);
    }
    assert_agreement(&sys, &show).await;
}

/// Whatever it says the second time; and nothing of the next owner's is touched.
#[tokio::test]
async fn a_repeat_is_answered_the_same_and_frees_nothing_twice() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let (_, booking) = booked(&sys, &show, &["E1", "E2"], paid("pay_1")).await;
    let first = post(&sys, &booking, "cancel", json!({"reason": "first"})).await.expect(200);
    let held = sys.hold(&show, &["E1"]).await.text("holdToken").to_owned();
    booked(&sys, &show, &["E2"], paid("pay_2")).await;
    for body in [json!({"reason": "first"}), Value::Null, json!({"reason": "second", "refunded": true})] {
        assert_success(&post(&sys, &booking, "cancel", body).await, 200, first.clone());
    }
    assert_eq!(sys.hold_status(&show, &held).await.expect(200)["state"], "active");
    sys.hold(&show, &["E2"]).await.expect_problem(409, "seat_unavailable");
    assert_agreement(&sys, &show).await;
}

#[tokio::test]
async fn units_go_back_to_their_zone() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let token = sys.decrement(&show, "GA", 3).await.text("holdToken").to_owned();
    let booking = sys.confirm(&show, &token, paid("pay_1")).await.expect(201);
    for _ in 0..2 {
        let answer = post(&sys, &booking, "cancel", Value::Null).await;
        assert_success(&answer, 200, cancelled(&booking, due("pay_1")));
        let count = json!({"zone": "GA", "capacity": 10, "remaining": 10, "held": 0, "sold": 0});
        assert_success(&sys.get(&format!("/shows/{show}/stock/GA")).await, 200, count);
    }
    assert_agreement(&sys, &show).await;
    sys.decrement(&show, "GA", 10).await.expect(201);
}

/// A duplicate that comes late names a version that is not current any more, and changes nothing.
#[tokio::test]
async fn a_version_that_is_not_current_is_a_conflict() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let (_, booking) = booked(&sys, &show, &["E1"], paid("pay_1")).await;
    let naming = |version: u64| json!({"version": version});
    let conflict = |version: u64| json!({"detail": "Another version is current.", "version": version});
    let ask = async |action: &str, version: u64| post(&sys, &booking, action, naming(version)).await;

    assert_problem(&ask("cancel", 2).await, "version_conflict", conflict(1));
    assert_problem(&ask("restore", 3).await, "version_conflict", conflict(1));
    let cancelled = ask("cancel", 1).await.expect(200);
    // A repeat names the version that it cancelled, or the one that it was answered.
    for version in [1, 2] {
        assert_success(&ask("cancel", version).await, 200, cancelled.clone());
    }
    assert_problem(&ask("cancel", 3).await, "version_conflict", conflict(2));
    assert_problem(&ask("restore", 1).await, "version_conflict", conflict(2));
    let restored = ask("restore", 2).await.expect(200);
    assert_success(&ask("restore", 2).await, 200, restored.clone());
    // The first cancel again, late.
    assert_problem(&ask("cancel", 1).await, "version_conflict", conflict(3));
    assert_success(&sys.get(&format!("/bookings/{}", id(&booking))).await, 200, restored);

    // A payment that came later made another version, and is no restore.
    let (token, unpaid) = booked(&sys, &show, &["E2"], Value::Null).await;
    sys.confirm(&show, &token, paid("pay_2")).await.expect(200);
    let late = post(&sys, &unpaid, "restore", naming(1)).await;
    assert_problem(&late, "version_conflict", conflict(2));
    assert_agreement(&sys, &show).await;
}

#[tokio::test]
async fn a_refused_booking_is_not_cancelled_and_not_restored() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E1"]).await.text("holdToken").to_owned();
    let mut body = paid("pay_1");
    body["seats"] = json!(["E2"]);
    sys.confirm(&show, &token, body).await.expect_problem(422, "hold_mismatch");
    let refused = json!({"bookingId": holdfast_tests::image::booking_of(&show, &token).to_string()});
    let before = sys.get(&format!("/bookings/{}", id(&refused))).await.expect(200);
    for action in ["cancel", "restore"] {
        let answer = post(&sys, &refused, action, json!({})).await;
        let detail = "The booking was refused: it never had a place.";
        assert_problem(&answer, "not_restorable", not_restorable(id(&refused), "refused", detail));
    }
    assert_success(&sys.get(&format!("/bookings/{}", id(&refused))).await, 200, before);
    assert_agreement(&sys, &show).await;
}

#[tokio::test]
async fn a_booking_that_is_not_there_is_not_found() {
    let sys = Sys::shared().await;
    for action in ["cancel", "restore"] {
        let nobody = json!({"bookingId": uuid::Uuid::new_v4().to_string()});
        assert_problem(&post(&sys, &nobody, action, Value::Null).await, "booking_not_found", json!({}));
        for wrong in ["7", "0D3C2B1A-0000-4000-8000-000000000001", "demo"] {
            let answer = post(&sys, &json!({"bookingId": wrong}), action, Value::Null).await;
            assert_invalid(&answer, &[("bookingId", "must be a UUID in lower case with hyphens")]);
        }
    }
}

#[tokio::test]
async fn what_is_wrong_with_a_body_is_told_and_nothing_is_cancelled() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let (_, booking) = booked(&sys, &show, &["E1"], paid("pay_1")).await;
    let long = "ü".repeat(501);
    for (body, faults) in [
        (json!({"reason": long}), &[("reason", "must have at most 500 characters")][..]),
        (json!({"reason": 7}), &[("reason", "must be a text")]),
        (json!({"refunded": "yes"}), &[("refunded", "must be true or false")]),
        (json!({"refunded": 1}), &[("refunded", "must be true or false")]),
        (json!({"amount": "5"}), &[("amount", "is not a field of this request")]),
        (json!([]), &[("body", "must be a JSON object")]),
        (json!("rain"), &[("body", "must be a JSON object")]),
    ] {
        assert_invalid(&post(&sys, &booking, "cancel", body).await, faults);
    }
    for (body, field) in [("{", "body"), (" ", "body"), (r#"{"refunded": true, "refunded": false}"#, "refunded")] {
        let path = format!("/bookings/{}/cancel", id(&booking));
        let answer = sys.call_raw("POST", &path, &[("content-type", "application/json")], body).await;
        assert_invalid_fields(&answer, &[field]);
    }
    for body in [json!({"reason": "rain"}), json!({"seats": ["E1"]})] {
        let (field, _) = body.as_object().unwrap().iter().next().unwrap();
        let answer = post(&sys, &booking, "restore", body.clone()).await;
        assert_invalid(&answer, &[(field, "is not a field of this request")]);
    }
    assert_success(&sys.get(&format!("/bookings/{}", id(&booking))).await, 200, booking.clone());
    post(&sys, &booking, "cancel", json!({"reason": "ü".repeat(500)})).await.expect(200);
}

#[tokio::test]
async fn the_token_of_a_cancelled_booking_is_told_so() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let (token, booking) = booked(&sys, &show, &["E1"], paid("pay_1")).await;
    post(&sys, &booking, "cancel", Value::Null).await.expect(200);
    let carries = |mut refund: Value| {
        refund["bookingId"] = id(&booking).into();
        refund
    };
    for _ in 0..2 {
        let again = sys.confirm(&show, &token, paid("pay_1")).await;
        assert_problem(&again, "already_cancelled", carries(due("pay_1")));
        // Another payment is due back, too.
        let other = sys.confirm(&show, &token, paid("pay_2")).await;
        assert_problem(&other, "already_cancelled", carries(due("pay_2")));
    }
    assert!(is_on_record(&sys, "pay_2", &show, &token).await);
    assert_problem(&sys.confirm(&show, &token, Value::Null).await, "already_cancelled", carries(json!({})));
    // What became of the token is its booking; what became of that, the booking tells.
    let status = json!({
        "holdToken": token, "showId": show, "seats": ["E1"], "state": "confirmed", "expiresInMs": 0,
        "expiresAt": "<time>", "bookingId": id(&booking),
    });
    assert_success(&sys.hold_status(&show, &token).await, 200, status);
    let lost = json!({"bookingId": id(&booking)});
    assert_problem(&sys.extend(&show, &token, 60).await, "hold_lost", lost.clone());
    assert_problem(&sys.release(&show, &token).await, "hold_lost", lost);
    sys.hold(&show, &["E1"]).await.expect(201);
    assert_agreement(&sys, &show).await;
}

/// Whoever cancelled gave the money back: that is what a repeated confirm is told.
#[tokio::test]
async fn a_payment_that_went_back_before_is_settled() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let (token, booking) = booked(&sys, &show, &["E1"], paid("pay_1")).await;
    post(&sys, &booking, "cancel", json!({"refunded": true})).await.expect(200);
    let carries = json!({"bookingId": id(&booking), "refund": {"reference": "pay_1", "status": "settled"}});
    assert_problem(&sys.confirm(&show, &token, paid("pay_1")).await, "already_cancelled", carries);
    assert!(!is_on_record(&sys, "pay_1", &show, &token).await);
    assert_agreement(&sys, &show).await;
}
