//! `POST .../confirm`: the booking, its repeats, and what becomes of a payment.

use holdfast::adapters::dynamo::keys;
use holdfast::domain::{BookingId, HoldToken, RefundId, ShowId};
use holdfast_tests::image::booking_of;
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::loaded::issued_token;
use holdfast_tests::servers::TABLE;
use holdfast_tests::sys::{Sys, paid};
use serde_json::{Value, json};

use crate::expect::{assert_problem, assert_success, in_version};

/// The refund that a refusal carries.
pub fn due(reference: &str) -> Value {
    json!({"refund": {"reference": reference, "status": "due"}})
}

/// Whether a refund is on record, by payment and token.
pub async fn is_on_record(sys: &Sys, reference: &str, show: &str, token: &str) -> bool {
    let booking = BookingId::of(&ShowId::parse(show).unwrap(), HoldToken::from_stored(token).unwrap());
    let key = keys::refund(RefundId::of(booking, reference)).attributes();
    let get = sys.dynamo().get_item().table_name(TABLE).set_key(Some(key)).consistent_read(true);
    get.send().await.unwrap().item.is_some()
}

async fn held(sys: &Sys, show: &str) -> String {
    sys.hold(show, &["E1", "E2"]).await.text("holdToken").to_owned()
}

/// A booking of `E1` and `E2`.
fn booked(show: &str, payment: Option<&str>) -> Value {
    let mut booking = json!({
        "bookingId": "<uuid>", "showId": show, "seats": ["E1", "E2"], "status": "confirmed", "confirmedAt": "<time>",
        "version": 1,
    });
    if let Some(reference) = payment {
        booking["payment"] = paid(reference)["payment"].clone();
    }
    booking
}

#[tokio::test]
async fn a_hold_becomes_a_booking() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let token = held(&sys, &show).await;
    let mut body = paid("pay_1");
    (body["orderId"], body["seats"]) = ("order 4711/a".into(), json!(["E2", "E1"]));
    let mut wanted = booked(&show, Some("pay_1"));
    wanted["orderId"] = "order 4711/a".into();
    let booking = sys.confirm(&show, &token, body).await;
    assert_success(&booking, 201, wanted);
    let id = booking.text("bookingId");
    assert_ne!(id, token);
    assert_success(&sys.get(&format!("/bookings/{id}")).await, 200, booking.body.clone());
    assert!(!is_on_record(&sys, "pay_1", &show, &token).await);
}

#[tokio::test]
async fn nothing_need_be_sent_with_a_confirm() {
    let sys = Sys::shared().await;
    for headers in [&[][..], &[("content-type", "application/json")], &[("content-type", "text/plain")]] {
        let show = sys.define(json!({})).await;
        let token = held(&sys, &show).await;
        let booking = sys.call_raw("POST", &format!("/shows/{show}/holds/{token}/confirm"), headers, "").await;
        assert_success(&booking, 201, booked(&show, None));
    }
}

#[tokio::test]
async fn money_is_kept_as_it_was_sent() {
    let sys = Sys::shared().await;
    let largest = "9".repeat(38);
    let kept = [
        json!({"reference": "a.B_c:d-9", "amount": "0.00", "currency": "KRW"}),
        json!({"reference": "r", "amount": largest, "currency": "EUR"}),
        json!({"reference": "r"}),
    ];
    for payment in kept {
        let show = sys.define(json!({})).await;
        let token = held(&sys, &show).await;
        let booking = sys.confirm(&show, &token, json!({"payment": payment})).await.expect(201);
        assert_eq!(booking["payment"], payment);
    }
}

#[tokio::test]
async fn a_repeat_with_the_same_payment_or_none_is_the_same_booking() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let token = held(&sys, &show).await;
    let booking = sys.confirm(&show, &token, paid("pay_1")).await.expect(201);
    for repeat in [paid("pay_1"), Value::Null, json!({}), json!({"seats": ["E2", "E1"]}), json!({"orderId": "other"})] {
        assert_success(&sys.confirm(&show, &token, repeat).await, 200, booking.clone());
    }
    assert!(!is_on_record(&sys, "pay_1", &show, &token).await);
}

#[tokio::test]
async fn a_second_payment_is_due_back() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let token = held(&sys, &show).await;
    let booking = sys.confirm(&show, &token, paid("pay_1")).await.expect(201);
    for _ in 0..2 {
        assert_problem(&sys.confirm(&show, &token, paid("pay_2")).await, "idempotency_mismatch", due("pay_2"));
        assert!(is_on_record(&sys, "pay_2", &show, &token).await);
    }
    assert!(!is_on_record(&sys, "pay_1", &show, &token).await);
    assert_success(&sys.confirm(&show, &token, Value::Null).await, 200, booking);
}

/// The first payment that a repeat brings is the booking's own, and is given back with it.
#[tokio::test]
async fn a_payment_for_a_booking_that_had_none_becomes_its_own() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let token = held(&sys, &show).await;
    let unpaid = sys.confirm(&show, &token, Value::Null).await.expect(201);
    let mut wanted = in_version(&unpaid, 2);
    wanted["payment"] = paid("INV/2025/0001#2")["payment"].clone();
    for _ in 0..2 {
        assert_success(&sys.confirm(&show, &token, paid("INV/2025/0001#2")).await, 200, wanted.clone());
    }
    assert_success(&sys.confirm(&show, &token, Value::Null).await, 200, wanted.clone());
    // The next one is not.
    assert_problem(&sys.confirm(&show, &token, paid("pay_2")).await, "idempotency_mismatch", due("pay_2"));
    let id = wanted["bookingId"].as_str().unwrap();
    assert_success(&sys.get(&format!("/bookings/{id}")).await, 200, wanted.clone());
    let listed = sys.get(&format!("/shows/{show}/bookings?reference=INV/2025/0001%232")).await;
    assert_success(&listed, 200, json!({"bookings": [wanted.clone()]}));
    let prefix = sys.get(&format!("/shows/{show}/bookings?reference=INV/2025/0001")).await;
    assert_success(&prefix, 200, json!({"bookings": []}));
    assert_agreement(&sys, &show).await;
    let cancelled = sys.call("POST", &format!("/bookings/{id}/cancel"), Value::Null).await.expect(200);
    assert_eq!((&cancelled["version"], &cancelled["refund"]), (&json!(3), &due("INV/2025/0001#2")["refund"]));
    assert_agreement(&sys, &show).await;
    let restored = sys.call("POST", &format!("/bookings/{id}/restore"), Value::Null).await;
    assert_success(&restored, 200, in_version(&wanted, 4));
    assert_agreement(&sys, &show).await;
}

/// A payment that was due back for a booking which is restored since: it pays for it after all.
#[tokio::test]
async fn a_payment_that_was_due_back_becomes_the_own_of_a_booking_that_was_restored() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    for (settles, seat) in [(false, "E1"), (true, "E2")] {
        let token = sys.hold(&show, &[seat]).await.text("holdToken").to_owned();
        let booking = sys.confirm(&show, &token, Value::Null).await.expect(201);
        let path = format!("/bookings/{}", booking["bookingId"].as_str().unwrap());
        sys.call("POST", &format!("{path}/cancel"), Value::Null).await.expect(200);
        let refused = sys.confirm(&show, &token, paid("pay_1")).await.expect_problem(409, "already_cancelled");
        assert_eq!(refused["refund"], due("pay_1")["refund"]);
        if settles {
            let id = RefundId::of(booking_of(&show, &token), "pay_1");
            sys.call("POST", &format!("/refunds/{id}/settle"), Value::Null).await.expect(200);
        }
        sys.call("POST", &format!("{path}/restore"), Value::Null).await.expect(200);
        let confirmed = sys.confirm(&show, &token, paid("pay_1")).await;
        if settles {
            let refund = json!({"refund": {"reference": "pay_1", "status": "settled"}});
            assert_problem(&confirmed, "idempotency_mismatch", refund);
        } else {
            let mut wanted = in_version(&booking, 4);
            wanted["payment"] = paid("pay_1")["payment"].clone();
            assert_success(&confirmed, 200, wanted);
        }
        assert_agreement(&sys, &show).await;
    }
}

/// Amounts are compared as numbers, and what the repeat leaves out matches.
#[tokio::test]
async fn the_same_payment_of_another_amount_is_a_mismatch_and_not_due_back() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let token = held(&sys, &show).await;
    let booking = sys.confirm(&show, &token, paid("pay_1")).await.expect(201);
    let (mut more, mut dollars) = (paid("pay_1"), paid("pay_1"));
    (more["payment"]["amount"], dollars["payment"]["currency"]) = ("55001".into(), "USD".into());
    for other in [more, dollars] {
        assert_problem(&sys.confirm(&show, &token, other).await, "idempotency_mismatch", json!({}));
    }
    assert!(!is_on_record(&sys, "pay_1", &show, &token).await);
    let mut decimal = paid("pay_1");
    decimal["payment"]["amount"] = "55000.00".into();
    for same in [paid("pay_1"), decimal, json!({"payment": {"reference": "pay_1"}})] {
        assert_success(&sys.confirm(&show, &token, same).await, 200, booking.clone());
    }
}

/// What Redis has lost, or never had, holds nothing; its payment is due back, because the token was issued.
#[tokio::test]
async fn an_issued_token_that_holds_nothing_has_its_payment_due_back() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let token = issued_token(&show);
    assert_problem(&sys.confirm(&show, &token, Value::Null).await, "hold_lost", json!({}));
    for _ in 0..2 {
        assert_problem(&sys.confirm(&show, &token, paid("pay_1")).await, "hold_lost", due("pay_1"));
        assert!(is_on_record(&sys, "pay_1", &show, &token).await);
    }
    assert_agreement(&sys, &show).await;
}

#[tokio::test]
async fn a_booking_that_is_not_there_is_not_found() {
    let sys = Sys::shared().await;
    let path = format!("/bookings/{}", uuid::Uuid::new_v4());
    assert_problem(&sys.get(&path).await, "booking_not_found", json!({}));
}
