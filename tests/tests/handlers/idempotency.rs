//! `Idempotency-Key`: the same request is the same hold, as often as it is sent.

use holdfast_local::handlers::handlers;
use holdfast_tests::sys::{Answer, Client, Sys};
use serde_json::{Value, json};

use crate::expect::{assert_invalid, assert_problem, assert_success};
use crate::hold::held;
use crate::raw::{body, event, invoke_value};

/// What a caller without identity has to send at least.
const LONG: &str = "0123456789abcdef0123456789abcdef";

/// A request with a key, by this buyer; empty: by nobody.
pub async fn send(sys: &Client, path: &str, buyer: &str, key: &str, body: &Value) -> Answer {
    let mut headers = vec![("content-type", "application/json"), ("idempotency-key", key)];
    if !buyer.is_empty() {
        headers.push(("x-user-id", buyer));
    }
    sys.call_raw("POST", path, &headers, body.to_string()).await
}

pub fn holds(show: &str) -> String {
    format!("/shows/{show}/holds")
}

pub fn decrements(show: &str, zone: &str) -> String {
    format!("/shows/{show}/stock/{zone}/decrement")
}

pub fn mismatch() -> Value {
    json!({"detail": "This Idempotency-Key came before, with another body."})
}

/// That the answer is the first one, with what is left of it now.
#[track_caller]
pub fn assert_repeat(again: &Answer, first: &Answer, state: &str) {
    let mut wanted = first.body.clone();
    (wanted["state"], wanted["expiresInMs"]) = (state.into(), "<int>".into());
    if state != "active" {
        wanted["expiresAt"] = "<time>".into();
    }
    if first.body.get("remaining").is_some() {
        wanted["remaining"] = "<int>".into();
    }
    assert_success(again, 201, wanted);
    if state == "active" {
        assert!(again.body["expiresInMs"].as_u64() <= first.body["expiresInMs"].as_u64());
    }
}

/// That the answer refuses, because the hold of the first one has ended.
#[track_caller]
pub fn assert_ended(again: &Answer, first: &Answer, state: &str, booking: Option<&Value>) {
    let detail = "The hold of this Idempotency-Key has ended. Nothing was taken.";
    let mut carries = json!({"detail": detail, "holdToken": first.text("holdToken"), "state": state});
    if let Some(booking) = booking {
        carries["bookingId"] = booking.clone();
    }
    assert_problem(again, "hold_lost", carries);
}

#[tokio::test]
async fn the_same_key_and_body_is_the_same_hold() {
    let sys = Sys::shared().await;
    let asked = json!({"seats": ["E7", "E8"], "ttlSeconds": 300});
    let every_character: String = (' '..='~').collect();
    for (buyer, key) in [("ann", "k"), ("ann", every_character.trim()), ("", LONG)] {
        let show = sys.define(json!({})).await;
        let first = send(&sys, &holds(&show), buyer, key, &asked).await;
        assert_success(&first, 201, held(&show, &["E7", "E8"]));
        for _ in 0..2 {
            assert_repeat(&send(&sys, &holds(&show), buyer, key, &asked).await, &first, "active");
        }
        // However the JSON is written.
        let other_way = r#"{"ttlSeconds":300,  "seats":["E7","E8"]}"#;
        let headers = [("idempotency-key", key), ("x-user-id", buyer)];
        let headers = if buyer.is_empty() { &headers[..1] } else { &headers[..] };
        assert_repeat(&sys.call_raw("POST", &holds(&show), headers, other_way).await, &first, "active");
    }
}

#[tokio::test]
async fn the_same_key_and_body_takes_units_once() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let path = decrements(&show, "GA");
    let first = send(&sys, &path, "ann", "k", &json!({"quantity": 2})).await;
    assert_eq!((&first.body["units"], &first.body["remaining"]), (&json!(["GA-1", "GA-2"]), &json!(8)));
    sys.decrement(&show, "GA", 1).await.expect(201);
    let again = send(&sys, &path, "ann", "k", &json!({"quantity": 2})).await;
    assert_repeat(&again, &first, "active");
    assert_eq!(again.body["remaining"], 7, "what is left is told as it is now");
    let refused = send(&sys, &path, "ann", "k", &json!({"quantity": 3})).await;
    assert_problem(&refused, "idempotency_mismatch", mismatch());
    assert_eq!(sys.get(&format!("/shows/{show}/stock/GA")).await.expect(200)["held"], 3);
}

#[tokio::test]
async fn another_body_is_a_mismatch_and_takes_nothing() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let first = send(&sys, &holds(&show), "ann", "k", &json!({"seats": ["E7", "E8"]})).await;
    for other in [json!({"seats": ["E7"]}), json!({"seats": ["E9"]}), json!({"seats": ["E7", "E8"], "ttlSeconds": 60})]
    {
        let refused = send(&sys, &holds(&show), "ann", "k", &other).await;
        assert_problem(&refused, "idempotency_mismatch", mismatch());
    }
    assert_repeat(&send(&sys, &holds(&show), "ann", "k", &json!({"seats": ["E7", "E8"]})).await, &first, "active");
    sys.hold(&show, &["E9"]).await.expect(201);
    // A body that is wrong in itself is 400 first.
    send(&sys, &decrements(&show, "GA"), "ann", "k", &json!({"quantity": 1})).await.expect(201);
    for (path, mut other) in
        [(holds(&show), json!({"seats": ["E7"]})), (decrements(&show, "GA"), json!({"quantity": 1}))]
    {
        other["ttlSeconds"] = json!(901);
        send(&sys, &path, "ann", "k", &other).await.expect_problem(400, "invalid_request");
    }
}

/// A key is of one buyer, show, route and zone.
#[tokio::test]
async fn another_buyer_show_route_or_zone_is_another_request() {
    let sys = Sys::shared().await;
    let zones = json!({"zones": [{"id": "GA", "capacity": 10}, {"id": "VIP", "capacity": 10}]});
    let (show, other) = (sys.define(zones.clone()).await, sys.define(zones).await);
    let seat = |seat: &str| json!({"seats": [seat]});
    let two = json!({"quantity": 2});
    let answers = [
        send(&sys, &holds(&show), "ann", LONG, &seat("E1")).await,
        send(&sys, &holds(&show), "bob", LONG, &seat("E2")).await,
        send(&sys, &holds(&show), "", LONG, &seat("E3")).await,
        send(&sys, &holds(&other), "ann", LONG, &seat("E1")).await,
        send(&sys, &decrements(&show, "GA"), "ann", LONG, &two).await,
        send(&sys, &decrements(&show, "VIP"), "ann", LONG, &two).await,
        send(&sys, &decrements(&other, "GA"), "ann", LONG, &two).await,
    ];
    let tokens: std::collections::BTreeSet<_> = answers.iter().map(|answer| answer.text("holdToken")).collect();
    assert_eq!(tokens.len(), answers.len());
    assert!(answers.iter().all(|answer| answer.status == 201));
    // And none of them is the key.
    assert!(tokens.iter().all(|token| !LONG.contains(&token.replace('-', ""))));
}

#[tokio::test]
async fn what_is_no_key_is_told() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let (seats, units) = (json!({"seats": ["E1"]}), json!({"quantity": 1}));
    let printable = "must be 1 to 128 printable ASCII characters";
    let short = "must have at least 32 characters of a caller without identity";
    let (too_long, longest) = ("k".repeat(129), "k".repeat(128));
    let cases =
        [("ann", &*too_long, printable), ("", &too_long, printable), ("ann", "", printable), ("", &LONG[1..], short)];
    for (buyer, key, problem) in cases {
        for (path, body) in [(holds(&show), &seats), (decrements(&show, "GA"), &units)] {
            assert_invalid(&send(&sys, &path, buyer, key, body).await, &[("Idempotency-Key", problem)]);
        }
    }
    // Told together with what else is wrong.
    let both = send(&sys, &holds(&show), "ann", &too_long, &json!({"seats": ["E1"], "ttlSeconds": 0})).await;
    let fields: Vec<_> = both.body["errors"].as_array().unwrap().iter().map(|fault| fault["field"].clone()).collect();
    assert!(fields.contains(&json!("ttlSeconds")), "{both:?}");

    let path = holds(&show);
    for key in ["schlüssel", "tab\tkey", "ключ"] {
        let mut event =
            event("POST", &path, "POST /shows/{showId}/holds", json!({"showId": show}), Some(r#"{"seats": ["E1"]}"#));
        (event["headers"]["idempotency-key"], event["headers"]["x-user-id"]) = (key.into(), "ann".into());
        let answer = invoke_value(&handlers(sys.app())["HoldFunction"], &event).await;
        let errors = json!([{"field": "Idempotency-Key", "problem": printable}]);
        assert_eq!((&answer["statusCode"], &body(&answer)["errors"]), (&json!(400), &errors), "{key}: {answer}");
    }
    assert_eq!(sys.get(&format!("/shows/{show}/stock/GA")).await.expect(200)["held"], 0);
    send(&sys, &path, "ann", &longest, &seats).await.expect(201);
}
