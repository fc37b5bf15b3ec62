//! A confirm that names its places, and one that comes late.

use holdfast_tests::loaded::issued_token;
use holdfast_tests::sys::{Sys, paid};
use serde_json::{Value, json};

use crate::confirm::{due, is_on_record};
use crate::expect::{assert_problem, assert_success};
use crate::hold::{held, replace};
use crate::life::until_state;

fn with_seats(mut body: Value, seats: &[&str]) -> Value {
    body["seats"] = json!(seats);
    body
}

#[tokio::test]
async fn other_places_without_a_payment_change_nothing() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E1", "E2"]).await.text("holdToken").to_owned();
    for other in [&["E1"][..], &["E1", "E3"], &["E1", "E2", "E3"]] {
        let refused = sys.confirm(&show, &token, with_seats(json!({}), other)).await;
        assert_problem(&refused, "hold_mismatch", json!({}));
    }
    let unit = json!({"zone": "GA", "units": ["GA-1"]});
    assert_problem(&sys.confirm(&show, &token, unit).await, "hold_mismatch", json!({}));
    assert_eq!(sys.hold_status(&show, &token).await.expect(200)["state"], "active");
    sys.confirm(&show, &token, with_seats(json!({}), &["E2", "E1"])).await.expect(201);
}

#[tokio::test]
async fn other_places_with_a_payment_are_final() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E1", "E2"]).await.text("holdToken").to_owned();
    let refused = sys.confirm(&show, &token, with_seats(paid("pay_1"), &["E1", "E3"])).await;
    assert_problem(&refused, "hold_mismatch", due("pay_1"));
    assert!(is_on_record(&sys, "pay_1", &show, &token).await);
    // The right places come too late, and it is the refusal again.
    let repeated = sys.confirm(&show, &token, with_seats(paid("pay_1"), &["E1", "E2"])).await;
    assert_problem(&repeated, "hold_mismatch", due("pay_1"));
    assert_problem(&sys.confirm(&show, &token, Value::Null).await, "hold_mismatch", json!({}));
    // Another payment for it is due, too.
    assert_problem(&sys.confirm(&show, &token, paid("pay_2")).await, "hold_mismatch", due("pay_2"));
    assert!(is_on_record(&sys, "pay_2", &show, &token).await);

    assert_problem(&sys.extend(&show, &token, 60).await, "hold_lost", json!({}));
    assert_problem(&sys.release(&show, &token).await, "hold_lost", json!({}));
    assert_success(&sys.hold(&show, &["E1", "E2"]).await, 201, held(&show, &["E1", "E2"]));
}

#[tokio::test]
async fn a_refusal_can_be_read_like_a_booking() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E1", "E2"]).await.text("holdToken").to_owned();
    sys.confirm(&show, &token, with_seats(paid("pay_1"), &["E3"])).await.expect(422);
    let id = holdfast::domain::BookingId::of(
        &holdfast::domain::ShowId::parse(&show).unwrap(),
        holdfast::domain::HoldToken::from_stored(&token).unwrap(),
    );
    let mut wanted = json!({
        "bookingId": id.to_string(), "showId": show, "seats": ["E1", "E2"], "status": "refused",
        "code": "hold_mismatch", "payment": paid("pay_1")["payment"], "version": 1,
    });
    wanted["refund"] = due("pay_1")["refund"].clone();
    assert_success(&sys.get(&format!("/bookings/{id}")).await, 200, wanted);
}

/// A hold of `E1` that lapsed, in a show of this policy.
async fn lapsed(sys: &Sys, policy: &str) -> (String, String) {
    let show = sys.define(json!({"lateConfirm": policy, "hold": {"defaultTtlSeconds": 1}})).await;
    let token = sys.hold(&show, &["E1"]).await.text("holdToken").to_owned();
    until_state(sys, &show, &token, "expired").await;
    (show, token)
}

#[tokio::test]
async fn a_late_confirm_is_rescued_while_the_places_are_free() {
    let sys = Sys::shared().await;
    for body in [paid("pay_1"), Value::Null] {
        let (show, token) = lapsed(&sys, "rescue").await;
        let booking = sys.confirm(&show, &token, body.clone()).await.expect(201);
        assert_eq!((&booking["status"], &booking["seats"]), (&"confirmed".into(), &json!(["E1"])));
        assert_success(&sys.confirm(&show, &token, body).await, 200, booking);
        sys.hold(&show, &["E1"]).await.expect_problem(409, "seat_unavailable");
    }
}

#[tokio::test]
async fn a_late_confirm_is_rescued_after_the_sale_has_closed() {
    let sys = Sys::shared().await;
    let (show, token) = lapsed(&sys, "rescue").await;
    replace(&sys, &show, json!({"sale": {"closesAt": "2020-01-01T00:00:00Z"}})).await.expect(200);
    sys.confirm(&show, &token, paid("pay_1")).await.expect(201);
}

#[tokio::test]
async fn a_late_confirm_loses_to_the_next_owner() {
    let sys = Sys::shared().await;
    let (show, token) = lapsed(&sys, "rescue").await;
    let next = sys.hold(&show, &["E1"]).await.text("holdToken").to_owned();
    // Without a payment nothing is at stake, and it may come again.
    assert_problem(&sys.confirm(&show, &token, Value::Null).await, "hold_lost", json!({}));
    assert_problem(&sys.confirm(&show, &token, paid("pay_1")).await, "hold_lost", due("pay_1"));
    assert!(is_on_record(&sys, "pay_1", &show, &token).await);
    // The seat is free again, and the refusal stands.
    sys.release(&show, &next).await.expect(204);
    assert_problem(&sys.confirm(&show, &token, paid("pay_1")).await, "hold_lost", due("pay_1"));
    sys.hold(&show, &["E1"]).await.expect(201);
}

#[tokio::test]
async fn a_show_may_refuse_late_confirms() {
    let sys = Sys::shared().await;
    let (show, token) = lapsed(&sys, "refuse").await;
    assert_problem(&sys.confirm(&show, &token, Value::Null).await, "hold_lost", json!({}));
    assert_problem(&sys.confirm(&show, &token, paid("pay_1")).await, "hold_lost", due("pay_1"));
    assert_eq!(sys.hold_status(&show, &token).await.expect(200)["state"], "refused");
    sys.hold(&show, &["E1"]).await.expect(201);
}

#[tokio::test]
async fn a_released_hold_is_not_rescued() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E1"]).await.text("holdToken").to_owned();
    sys.release(&show, &token).await.expect(204);
    assert_problem(&sys.confirm(&show, &token, Value::Null).await, "hold_lost", json!({}));
    assert_problem(&sys.confirm(&show, &token, paid("pay_1")).await, "hold_lost", due("pay_1"));
    sys.hold(&show, &["E1"]).await.expect(201);
}

#[tokio::test]
async fn a_token_that_redis_has_lost_is_judged_like_a_new_hold() {
    let sys = Sys::shared().await;
    let open = sys.define(json!({"limits": {"maxPlacesPerHold": 2}})).await;
    let booking = sys.confirm(&open, &issued_token(&open), with_seats(paid("pay_1"), &["E1", "E2"])).await.expect(201);
    assert_eq!(booking["seats"], json!(["E1", "E2"]));
    for (place, seats) in [("sold", &["E2", "E3"][..]), ("limit", &["E4", "E5", "E6"]), ("unknown", &["E4", "E99"])] {
        let (token, payment) = (issued_token(&open), format!("pay_{place}"));
        let refused = sys.confirm(&open, &token, with_seats(paid(&payment), seats)).await;
        assert_problem(&refused, "hold_lost", due(&payment));
    }
    let closed = sys.define(json!({"sale": {"opensAt": "2999-01-01T00:00:00Z"}})).await;
    let refused = sys.confirm(&closed, &issued_token(&closed), with_seats(paid("pay_1"), &["E1"])).await;
    assert_problem(&refused, "hold_lost", due("pay_1"));
}
