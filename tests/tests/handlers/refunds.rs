//! Refunds that are due: listed until they are settled, or withdrawn by a restore.

use std::collections::BTreeSet;

use holdfast_local::handlers::handlers;
use holdfast_tests::dynamo_front::Front;
use holdfast_tests::servers;
use holdfast_tests::sys::{Sys, paid};
use serde_json::{Value, json};

use crate::expect::{assert_invalid, assert_problem, assert_success, problem};
use crate::like::assert_like;
use crate::lists::{PATIENT, all, book, each, shared};
use crate::raw::{body, event, invoke_value};

/// A booking of a seat that was paid and cancelled.
async fn cancelled(sys: &Sys, show: &str, seat: &str, reference: &str) -> String {
    let booking = book(sys, show, seat, paid(reference)).await.text("bookingId").to_owned();
    let cancelled = sys.call("POST", &format!("/bookings/{booking}/cancel"), Value::Null).await.expect(200);
    assert_eq!(cancelled["refund"], json!({"reference": reference, "status": "due"}));
    booking
}

/// The record of the refund of such a booking.
fn record(show: &str, booking: &str, reference: &str, status: &str) -> Value {
    json!({
        "reference": reference, "bookingId": booking, "showId": show, "amount": "55000", "currency": "KRW",
        "reason": "cancelled", "holdFound": true, "createdAt": "<time>", "status": status,
    })
}

/// Whether the list has a refund of this booking.
async fn is_listed(sys: &Sys, booking: &str) -> bool {
    all(sys, "/refunds?", "refunds", 100).await.iter().any(|refund| refund["bookingId"] == booking)
}

#[tokio::test]
async fn every_refund_that_is_due_is_listed_once() {
    let sys = Sys::own(&[], &PATIENT).await;
    assert_success(&sys.get("/refunds").await, 200, json!({"refunds": []}));
    let show = sys.define(json!({})).await;
    let mut due = BTreeSet::new();
    for number in 1..=5 {
        due.insert(cancelled(&sys, &show, &format!("E{number}"), &format!("pay_{number}")).await);
    }
    // One of a confirm that was refused; and none of a booking that stands, and of one whose money is back already.
    let mut other_seats = paid("pay_6");
    other_seats["seats"] = json!(["E19"]);
    book(&sys, &show, "E6", other_seats).await.expect_problem(422, "hold_mismatch");
    book(&sys, &show, "E7", paid("pay_7")).await.expect(201);
    let back = book(&sys, &show, "E8", paid("pay_8")).await.text("bookingId").to_owned();
    sys.call("POST", &format!("/bookings/{back}/cancel"), json!({"refunded": true})).await.expect(200);

    for limit in [1, 4, 100] {
        let found = all(&sys, "/refunds?", "refunds", limit).await;
        let ids = each(&found, "bookingId");
        assert!(ids.is_superset(&due) && ids.len() == due.len() + 1, "limit {limit}: {found:?}");
        let refused = found.iter().find(|refund| refund["reference"] == "pay_6").unwrap();
        assert_eq!((&refused["reason"], &refused["status"]), (&json!("hold_mismatch"), &json!("due")));
    }
}

#[tokio::test]
async fn a_refund_is_settled_once_and_answered_again() {
    let sys = Sys::own(&[], &PATIENT).await;
    let show = sys.define(json!({})).await;
    let booking = cancelled(&sys, &show, "E1", "pay:1.a").await;
    let listed = sys.get("/refunds").await;
    assert_success(&listed, 200, json!({"refunds": [record(&show, &booking, "pay:1.a", "due")]}));

    // The gateway decodes what a client encoded.
    for path in ["pay:1.a", "pay%3A1%2Ea"] {
        for body in [Value::Null, json!({})] {
            let settled = sys.call("POST", &format!("/refunds/{path}/{booking}/settle"), body).await;
            assert_success(&settled, 200, record(&show, &booking, "pay:1.a", "settled"));
        }
    }
    assert_success(&sys.get("/refunds").await, 200, json!({"refunds": []}));
    let status = json!({"reference": "pay:1.a", "status": "settled"});
    assert_eq!(sys.get(&format!("/bookings/{booking}")).await.expect(200)["refund"], status);
    let listed = sys.get(&format!("/shows/{show}/bookings")).await.expect(200);
    assert_eq!(listed["bookings"][0]["refund"], status);
    // The money is back: the booking cannot be restored.
    let restored = sys.call("POST", &format!("/bookings/{booking}/restore"), Value::Null).await;
    assert_eq!(restored.expect_problem(409, "not_restorable")["reason"], "refunded");
}

#[tokio::test]
async fn a_restore_withdraws_the_refund_and_a_cancel_makes_it_due_again() {
    let sys = shared().await;
    let show = sys.define(json!({})).await;
    let booking = cancelled(&sys, &show, "E1", "pay_1").await;
    let settle = format!("/refunds/pay_1/{booking}/settle");
    assert!(is_listed(&sys, &booking).await);

    sys.call("POST", &format!("/bookings/{booking}/restore"), Value::Null).await.expect(200);
    assert!(!is_listed(&sys, &booking).await);
    assert_problem(&sys.call("POST", &settle, Value::Null).await, "refund_not_found", json!({}));
    assert_eq!(sys.get(&format!("/bookings/{booking}")).await.expect(200)["status"], "confirmed");

    sys.call("POST", &format!("/bookings/{booking}/cancel"), Value::Null).await.expect(200);
    assert!(is_listed(&sys, &booking).await);
    let settled = sys.call("POST", &settle, Value::Null).await;
    assert_success(&settled, 200, record(&show, &booking, "pay_1", "settled"));
    assert!(!is_listed(&sys, &booking).await);
}

#[tokio::test]
async fn a_refund_that_never_was_is_not_found() {
    let sys = shared().await;
    let show = sys.define(json!({})).await;
    let booking = cancelled(&sys, &show, "E1", "pay_1").await;
    let other = uuid::Uuid::new_v4().to_string();
    for path in [format!("/refunds/pay_2/{booking}/settle"), format!("/refunds/pay_1/{other}/settle")] {
        assert_problem(&sys.call("POST", &path, Value::Null).await, "refund_not_found", json!({}));
    }
    assert!(is_listed(&sys, &booking).await);
}

/// An entry of the list is read before the refund itself, which may be settled in between.
#[tokio::test]
async fn a_refund_that_is_settled_meanwhile_is_left_out() {
    let (redis, dynamo) = (servers::own_redis(&[]), servers::own_dynamo().await);
    let front = Front::start(&dynamo.endpoint()).await;
    let sys = Sys::with(&redis.url(), &dynamo.endpoint(), &PATIENT);
    let listing = Sys::with(&redis.url(), &front.endpoint(), &PATIENT);
    let show = sys.define(json!({})).await;
    let (first, second) = (cancelled(&sys, &show, "E1", "pay_1").await, cancelled(&sys, &show, "E2", "pay_2").await);
    let gate = front.on("BatchGetItem").hold_before();
    let page = tokio::spawn(async move { listing.get("/refunds").await });
    gate.reached().await;
    sys.call("POST", &format!("/refunds/pay_1/{first}/settle"), Value::Null).await.expect(200);
    gate.open();
    assert_success(&page.await.unwrap(), 200, json!({"refunds": [record(&show, &second, "pay_2", "due")]}));
}

#[tokio::test]
async fn what_a_settle_is_asked_wrongly_is_told() {
    let (sys, _proxy, front) = Sys::fragile(&PATIENT).await;
    let settle = format!("/refunds/pay_1/{}/settle", uuid::Uuid::new_v4());
    let answer = sys.call("POST", "/refunds/pay%201/7/settle", json!({"status": "settled"})).await;
    let faults = [
        ("reference", "must be 1 to 128 of A-Z a-z 0-9 . _ : -"),
        ("bookingId", "must be a UUID in lower case with hyphens"),
        ("status", "is not a field of this request"),
    ];
    assert_invalid(&answer, &faults);
    let answer = sys.call("POST", &settle, json!([])).await;
    assert_invalid(&answer, &[("body", "must be a JSON object")]);
    assert_eq!(front.operations(), [""; 0]);
}

#[tokio::test]
async fn lists_and_settling_are_for_operators() {
    let sys = shared().await;
    let show = sys.define(json!({})).await;
    let booking = cancelled(&sys, &show, "E1", "pay_1").await;
    let settle = format!("/refunds/pay_1/{booking}/settle");
    let routes = [
        ("DefineShowFunction", "GET /shows", "/shows".to_owned(), json!({})),
        (
            "BookingsFunction",
            "GET /shows/{showId}/bookings",
            format!("/shows/{show}/bookings"),
            json!({"showId": show}),
        ),
        ("RefundsFunction", "GET /refunds", "/refunds".to_owned(), json!({})),
        (
            "RefundsFunction",
            "POST /refunds/{reference}/{bookingId}/settle",
            settle,
            json!({"reference": "pay_1", "bookingId": booking}),
        ),
        (
            "BookingsFunction",
            "POST /bookings/{bookingId}/restore",
            format!("/bookings/{booking}/restore"),
            json!({"bookingId": booking}),
        ),
    ];
    for (function, route, path, parameters) in routes {
        let method = route.split(' ').next().unwrap();
        let mut event = event(method, &path, route, parameters, None);
        event["requestContext"]["authorizer"] = json!({"jwt": {"claims": {"sub": "ann"}, "scopes": ["openid"]}});
        let answer = invoke_value(&handlers(sys.app())[function], &event).await;
        let request_id = answer["headers"]["x-request-id"].as_str().unwrap();
        let wanted = problem("forbidden", 403, "This is for operators.", request_id, json!({}));
        assert_like(&body(&answer), &wanted);
        // A request that is wrong is told so first, to everybody.
        let mut wrong = event.clone();
        wrong["rawQueryString"] = "limit=0".into();
        wrong["pathParameters"]["bookingId"] = "7".into();
        let answer = invoke_value(&handlers(sys.app())[function], &wrong).await;
        assert_eq!(body(&answer)["code"], "invalid_request", "{route}: {answer}");
    }
    // What was forbidden was not done.
    assert!(is_listed(&sys, &booking).await);
    assert_eq!(sys.get(&format!("/bookings/{booking}")).await.expect(200)["status"], "cancelled");
}
