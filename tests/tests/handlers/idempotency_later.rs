//! `Idempotency-Key`, later: what a repeat is told when the hold, or the show, is not what it was.

use holdfast_tests::sys::{Sys, paid};
use serde_json::{Value, json};

use crate::expect::assert_problem;
use crate::hold::replace;
use crate::idempotency::{assert_ended, assert_repeat, decrements, holds, mismatch, send};
use crate::life::until_state;

/// It was refused, and may be asked again.
#[tokio::test]
async fn a_refusal_is_not_kept() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let rival = sys.hold(&show, &["E7"]).await.text("holdToken").to_owned();
    let all = sys.decrement(&show, "GA", 10).await.text("holdToken").to_owned();
    let (seat, units) = (json!({"seats": ["E7"]}), json!({"quantity": 1}));
    for _ in 0..2 {
        send(&sys, &holds(&show), "ann", "k", &seat).await.expect_problem(409, "seat_unavailable");
        send(&sys, &decrements(&show, "GA"), "ann", "k", &units).await.expect_problem(409, "sold_out");
    }
    // Nor is what it asked for.
    send(&sys, &holds(&show), "ann", "k", &json!({"seats": ["E7", "E8"]}))
        .await
        .expect_problem(409, "seat_unavailable");
    for token in [rival, all] {
        sys.release(&show, &token).await.expect(204);
    }
    send(&sys, &holds(&show), "ann", "k", &seat).await.expect(201);
    send(&sys, &decrements(&show, "GA"), "ann", "k", &units).await.expect(201);
}

/// Nothing is taken again, and no buyer is sent to pay for a hold that has ended.
#[tokio::test]
async fn a_repeat_of_a_hold_that_has_ended_is_refused_and_takes_nothing() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    for (path, asked) in [
        (holds(&show), json!({"seats": ["E1"], "ttlSeconds": 1})),
        (decrements(&show, "GA"), json!({"quantity": 10, "ttlSeconds": 1})),
    ] {
        let again = async |key: &str| send(&sys, &path, "ann", key, &asked).await;
        let first = again("lapses").await;
        until_state(&sys, &show, first.text("holdToken"), "expired").await;
        assert_ended(&again("lapses").await, &first, "expired", None);
        // Another key is another hold: nothing was taken.
        let second = again("released").await;
        sys.release(&show, second.text("holdToken")).await.expect(204);
        assert_ended(&again("released").await, &second, "released", None);
        let third = again("confirmed").await;
        let booking = sys.confirm(&show, third.text("holdToken"), paid("pay_1")).await.expect(201);
        assert_ended(&again("confirmed").await, &third, "confirmed", Some(&booking["bookingId"]));
    }
}

/// A known repeat comes right after what is wrong with the request itself.
#[tokio::test]
async fn a_repeat_is_answered_though_the_show_has_changed_since() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let asked = json!({"seats": ["E7", "E8"], "ttlSeconds": 300});
    let first = send(&sys, &holds(&show), "ann", "k", &asked).await;
    let closed = json!({
        "sale": {"closesAt": "2020-01-01T00:00:00Z"}, "limits": {"maxPlacesPerHold": 1}, "hold": {"maxTtlSeconds": 60},
    });
    replace(&sys, &show, closed).await.expect(200);
    assert_repeat(&send(&sys, &holds(&show), "ann", "k", &asked).await, &first, "active");
    let refused = send(&sys, &holds(&show), "ann", "k", &json!({"seats": ["E9"]})).await;
    assert_problem(&refused, "idempotency_mismatch", mismatch());
    send(&sys, &holds(&show), "ann", "l", &asked).await.expect_problem(400, "invalid_request");
    send(&sys, &holds(&show), "ann", "l", &json!({"seats": ["E9"]})).await.expect_problem(403, "not_on_sale");
}

/// Redis has lost everything: a key stands for another token from then on, and never for one that was decided.
#[tokio::test]
async fn after_a_loss_of_redis_a_key_never_names_a_token_that_was_decided() {
    let sys = Sys::own(&[], &[]).await;
    let show = sys.define(json!({})).await;
    let (seat, units) = (json!({"seats": ["E1"]}), json!({"quantity": 2}));
    for (path, asked) in [(holds(&show), seat), (decrements(&show, "GA"), units)] {
        let first = send(&sys, &path, "ann", "k", &asked).await;
        let _: () = redis::cmd("FLUSHALL").query_async(&mut sys.redis().await).await.unwrap();
        let mut named = json!({});
        for name in ["seats", "zone", "units"] {
            if let Some(value) = first.body.get(name) {
                named[name] = value.clone();
            }
        }
        sys.confirm(&show, first.text("holdToken"), named).await.expect(201);
        let again = send(&sys, &path, "ann", "k", &asked).await;
        if path.ends_with("holds") {
            again.expect_problem(409, "seat_unavailable");
        } else {
            assert_eq!((again.status, &again.body["units"]), (201, &json!(["GA-3", "GA-4"])));
            assert_ne!(again.text("holdToken"), first.text("holdToken"));
            assert_repeat(&send(&sys, &path, "ann", "k", &asked).await, &again, "active");
        }
    }
}

/// Every other change converges by itself: there the header says nothing, right or wrong.
#[tokio::test]
async fn elsewhere_the_header_has_no_effect() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E1"]).await.text("holdToken").to_owned();
    let too_long = "k".repeat(129);
    for key in ["k", "", &too_long] {
        let call = async |method: &str, path: String, body: Value| {
            let headers = [("content-type", "application/json"), ("idempotency-key", key)];
            let body = if body.is_null() { String::new() } else { body.to_string() };
            sys.call_raw(method, &path, &headers, body).await
        };
        let hold = format!("/shows/{show}/holds/{token}");
        call("GET", hold.clone(), Value::Null).await.expect(200);
        call("PATCH", hold.clone(), json!({"ttlSeconds": 400})).await.expect(200);
        call("PATCH", hold.clone(), json!({"ttlSeconds": 500})).await.expect(200);
        let released = sys.hold(&show, &["E2"]).await.text("holdToken").to_owned();
        call("DELETE", format!("/shows/{show}/holds/{released}"), Value::Null).await.expect(204);
        call("GET", format!("/shows/{show}/stock/GA"), Value::Null).await.expect(200);
        let booked = sys.hold(&show, &["E3"]).await.text("holdToken").to_owned();
        let confirm = format!("/shows/{show}/holds/{booked}/confirm");
        let id = call("POST", confirm, paid("pay_1")).await.text("bookingId").to_owned();
        for action in ["cancel", "restore", "cancel"] {
            call("POST", format!("/bookings/{id}/{action}"), Value::Null).await.expect(200);
        }
        call(
            "PUT",
            format!("/shows/{show}x{}", key.len()),
            json!({"name": "Hamlet", "zones": [{"id": "GA", "capacity": 1}]}),
        )
        .await
        .expect(201);
    }
}
