//! Every change converges when it is sent again, also when Redis has lost everything in between.

use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::sys::{Answer, Sys, paid};
use serde_json::{Value, json};

use crate::cancel::{booked, id, post};
use crate::confirm::due;
use crate::expect::{assert_problem, assert_success, in_version};

/// A request has time to load the show again.
const PATIENT: [(&str, &str); 2] = [("REQUEST_BUDGET_MS", "4500"), ("DYNAMODB_RESPONSE_TIMEOUT_MS", "4500")];

async fn own() -> (Sys, String) {
    let sys = Sys::own(&[], &PATIENT).await;
    let show = sys.define(json!({})).await;
    (sys, show)
}

async fn flush(sys: &Sys) {
    let _: () = redis::cmd("FLUSHALL").query_async(&mut sys.redis().await).await.unwrap();
}

/// Sends it twice more, the last time to a Redis that has lost everything: the answer is the first one, `again`.
async fn converges(sys: &Sys, show: &str, again: (u16, &Value), send: impl AsyncFn() -> Answer) {
    for lost in [false, true] {
        if lost {
            flush(sys).await;
        }
        assert_success(&send().await, again.0, again.1.clone());
        assert_agreement(sys, show).await;
    }
}

#[tokio::test]
async fn confirm() {
    let (sys, show) = own().await;
    let (token, booking) = booked(&sys, &show, &["E1", "E2"], paid("pay_1")).await;
    converges(&sys, &show, (200, &booking), async || sys.confirm(&show, &token, paid("pay_1")).await).await;
    let units = sys.decrement(&show, "GA", 2).await.text("holdToken").to_owned();
    let booking = sys.confirm(&show, &units, paid("pay_2")).await.expect(201);
    converges(&sys, &show, (200, &booking), async || sys.confirm(&show, &units, paid("pay_2")).await).await;
    sys.hold(&show, &["E2"]).await.expect_problem(409, "seat_unavailable");
    assert_eq!(sys.get(&format!("/shows/{show}/stock/GA")).await.expect(200)["sold"], 2);
}

#[tokio::test]
async fn a_refused_confirm() {
    let (sys, show) = own().await;
    let token = sys.hold(&show, &["E1"]).await.text("holdToken").to_owned();
    let mut other = paid("pay_1");
    other["seats"] = json!(["E2"]);
    for lost in [false, false, true] {
        if lost {
            flush(&sys).await;
        }
        assert_problem(&sys.confirm(&show, &token, other.clone()).await, "hold_mismatch", due("pay_1"));
        assert_agreement(&sys, &show).await;
    }
    sys.hold(&show, &["E1", "E2"]).await.expect(201);
}

#[tokio::test]
async fn cancel_and_the_confirm_before_it() {
    let (sys, show) = own().await;
    let (token, booking) = booked(&sys, &show, &["E1"], paid("pay_1")).await;
    let cancelled = post(&sys, &booking, "cancel", json!({"reason": "rain"})).await.expect(200);
    let again = async || post(&sys, &booking, "cancel", json!({"reason": "rain"})).await;
    converges(&sys, &show, (200, &cancelled), again).await;
    let mut carries = due("pay_1");
    carries["bookingId"] = id(&booking).into();
    let mut with_seats = paid("pay_1");
    with_seats["seats"] = json!(["E1"]);
    for body in [paid("pay_1"), with_seats] {
        assert_problem(&sys.confirm(&show, &token, body).await, "already_cancelled", carries.clone());
    }
    assert_agreement(&sys, &show).await;
    sys.hold(&show, &["E1"]).await.expect(201);
}

#[tokio::test]
async fn restore_and_the_confirm_before_it() {
    let (sys, show) = own().await;
    let (token, booking) = booked(&sys, &show, &["E1"], paid("pay_1")).await;
    post(&sys, &booking, "cancel", Value::Null).await.expect(200);
    post(&sys, &booking, "restore", Value::Null).await.expect(200);
    let restored = in_version(&booking, 3);
    converges(&sys, &show, (200, &restored), async || post(&sys, &booking, "restore", Value::Null).await).await;
    converges(&sys, &show, (200, &restored), async || sys.confirm(&show, &token, paid("pay_1")).await).await;
    sys.hold(&show, &["E1"]).await.expect_problem(409, "seat_unavailable");
}

/// A cancel of which Redis never heard: the restore after it finds the places free all the same.
#[tokio::test]
async fn cancel_and_restore_after_a_loss_each() {
    let (sys, show) = own().await;
    let (_, booking) = booked(&sys, &show, &["E1", "E2"], paid("pay_1")).await;
    for version in [3, 5] {
        flush(&sys).await;
        assert_eq!(post(&sys, &booking, "cancel", Value::Null).await.expect(200)["status"], "cancelled");
        assert_agreement(&sys, &show).await;
        flush(&sys).await;
        let restored = in_version(&booking, version);
        assert_success(&post(&sys, &booking, "restore", Value::Null).await, 200, restored);
        assert_agreement(&sys, &show).await;
    }
}

#[tokio::test]
async fn settle() {
    let (sys, show) = own().await;
    let (_, booking) = booked(&sys, &show, &["E1"], paid("pay_1")).await;
    post(&sys, &booking, "cancel", Value::Null).await.expect(200);
    let settle = async || sys.settle(id(&booking), "pay_1").await;
    let settled = settle().await.expect(200);
    assert_eq!(settled["status"], "settled");
    converges(&sys, &show, (200, &settled), settle).await;
}

/// What it says is what is there: a layout sent again changes no seat and loses no sale.
#[tokio::test]
async fn a_show_that_is_put_again() {
    let (sys, show) = own().await;
    booked(&sys, &show, &["E1"], paid("pay_1")).await;
    let path = format!("/shows/{show}");
    let wider = json!({
        "name": "Hamlet", "sections": [{"id": "stalls", "rows": [{"id": "E", "from": 1, "to": 25}]}],
        "zones": [{"id": "GA", "capacity": 12}],
    });
    let first = sys.call("PUT", &path, wider.clone()).await.expect(200);
    for lost in [false, true] {
        if lost {
            flush(&sys).await;
        }
        let mut again = sys.call("PUT", &path, wider.clone()).await.expect(200);
        again["version"] = first["version"].clone();
        assert_eq!(again, first);
        assert_agreement(&sys, &show).await;
    }
    sys.hold(&show, &["E25"]).await.expect(201);
    sys.hold(&show, &["E1"]).await.expect_problem(409, "seat_unavailable");
    assert_eq!(sys.decrement(&show, "GA", 10).await.expect(201)["remaining"], 2);
}

/// Holds are what a loss of Redis loses: their owners are told, and nobody else's is touched.
#[tokio::test]
async fn release_and_extend() {
    let (sys, show) = own().await;
    let held = sys.hold(&show, &["E1"]).await.text("holdToken").to_owned();
    let units = sys.decrement(&show, "GA", 2).await.text("holdToken").to_owned();
    let (booked, booking) = booked(&sys, &show, &["E2"], Value::Null).await;
    flush(&sys).await;
    let next = sys.hold(&show, &["E1"]).await.text("holdToken").to_owned();
    let carries = json!({"bookingId": id(&booking)});
    for (token, carries) in [(&held, json!({})), (&units, json!({})), (&booked, carries)] {
        for _ in 0..2 {
            assert_problem(&sys.extend(&show, token, 60).await, "hold_lost", carries.clone());
            assert_problem(&sys.release(&show, token).await, "hold_lost", carries.clone());
        }
    }
    assert_eq!(sys.hold_status(&show, &next).await.expect(200)["state"], "active");
    assert_agreement(&sys, &show).await;
}
