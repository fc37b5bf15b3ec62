//! `POST .../holds`: who gets seats, and what the others are told.

use holdfast_tests::sys::Sys;
use serde_json::{Value, json};

use crate::expect::{assert_problem, assert_success};

/// The answer to a hold.
pub fn held(show: &str, seats: &[&str]) -> Value {
    json!({
        "holdToken": "<uuid>", "showId": show, "seats": seats, "state": "active", "expiresInMs": "<int>",
        "expiresAt": "<time>",
    })
}

#[tokio::test]
async fn a_hold_lasts_as_long_as_the_show_says_or_as_the_buyer_asks() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({"hold": {"defaultTtlSeconds": 77, "maxTtlSeconds": 100}})).await;
    let by_default = sys.hold(&show, &["E7", "E8"]).await;
    assert_success(&by_default, 201, held(&show, &["E7", "E8"]));
    assert_eq!(by_default.body["expiresInMs"], 77_000);
    let as_asked = sys.hold_for(&show, &["E9"], 100).await;
    assert_success(&as_asked, 201, held(&show, &["E9"]));
    assert_eq!(as_asked.body["expiresInMs"], 100_000);
    assert_ne!(by_default.text("holdToken"), as_asked.text("holdToken"));
}

#[tokio::test]
async fn each_seat_that_is_not_free_is_named_with_the_reason() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let sold = sys.hold(&show, &["E1"]).await.text("holdToken").to_owned();
    sys.confirm(&show, &sold, Value::Null).await.expect(201);
    sys.hold_for(&show, &["E3"], 60).await.expect(201);

    let refused = sys.hold(&show, &["E4", "E3", "E2", "E1"]).await;
    let frees_in_ms = refused.body["seats"][0]["freesInMs"].as_u64().unwrap();
    assert!((1..=60_000).contains(&frees_in_ms), "{frees_in_ms}");
    let seats = json!([
        {"seat": "E3", "reason": "held", "freesInMs": frees_in_ms},
        {"seat": "E1", "reason": "sold"},
    ]);
    assert_problem(&refused, "seat_unavailable", json!({"seats": seats}));
    // None was taken.
    assert_success(&sys.hold(&show, &["E4", "E2"]).await, 201, held(&show, &["E4", "E2"]));
}

#[tokio::test]
async fn seats_that_the_show_does_not_have_are_named() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let refused = sys.hold(&show, &["E1", "E21", "e1", "GA-1"]).await;
    assert_problem(&refused, "unknown_seat", json!({"seats": ["E21", "e1", "GA-1"]}));
    sys.hold(&show, &["E1"]).await.expect(201);
}

#[tokio::test]
async fn outside_the_sale_window_nothing_is_held() {
    let sys = Sys::shared().await;
    let (past, future) = ("2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z");
    let windows = [
        (json!({"opensAt": future}), json!({"opensAt": future})),
        (json!({"closesAt": past}), json!({"closesAt": past})),
        (json!({"opensAt": "2019-01-01T00:00:00Z", "closesAt": past}), Value::Null),
    ];
    for (sale, carries) in windows {
        let carries = if carries.is_null() { sale.clone() } else { carries };
        let show = sys.define(json!({"sale": sale})).await;
        assert_problem(&sys.hold(&show, &["E1"]).await, "not_on_sale", carries.clone());
        assert_problem(&sys.decrement(&show, "GA", 1).await, "not_on_sale", carries);
    }
    let open = sys.define(json!({"sale": {"opensAt": past, "closesAt": future}})).await;
    sys.hold(&open, &["E1"]).await.expect(201);
}

#[tokio::test]
async fn pitfall_5_of_an_unknown_show_every_route_says_so() {
    let sys = Sys::shared().await;
    let show = holdfast_tests::servers::fresh_show_id();
    let token = holdfast_tests::loaded::issued_token(&show);
    let answers = [
        sys.get(&format!("/shows/{show}")).await,
        sys.hold(&show, &["E1"]).await,
        sys.hold_status(&show, &token).await,
        sys.extend(&show, &token, 60).await,
        sys.release(&show, &token).await,
        sys.confirm(&show, &token, Value::Null).await,
        sys.decrement(&show, "GA", 1).await,
        sys.get(&format!("/shows/{show}/stock/GA")).await,
    ];
    for answer in &answers {
        assert_problem(answer, "show_not_found", json!({}));
    }
}

#[tokio::test]
async fn pitfall_5_a_token_of_another_show_holds_nothing_here() {
    let sys = Sys::shared().await;
    let (here, there) = (sys.define(json!({})).await, sys.define(json!({})).await);
    let token = sys.hold(&there, &["E1"]).await.text("holdToken").to_owned();
    assert_problem(&sys.hold_status(&here, &token).await, "hold_not_found", json!({}));
    assert_problem(&sys.extend(&here, &token, 60).await, "hold_lost", never_issued());
    assert_problem(&sys.release(&here, &token).await, "hold_lost", never_issued());
    assert_problem(&sys.confirm(&here, &token, Value::Null).await, "hold_lost", never_issued());
    // It is what it was, where it belongs, and the seat here is free.
    assert_eq!(sys.hold_status(&there, &token).await.expect(200)["state"], "active");
    sys.hold(&here, &["E1"]).await.expect(201);
}

/// What a refusal says of a token that the deployment did not issue for the show.
pub fn never_issued() -> Value {
    json!({"detail": "The token was never issued for this show.", "reason": "never_issued"})
}

/// What a show of [`Client::define`](holdfast_tests::sys::Client::define) becomes when these fields change.
pub async fn replace(sys: &Sys, show: &str, changes: Value) -> holdfast_tests::sys::Answer {
    let path = format!("/shows/{show}");
    let mut body = sys.get(&path).await.expect(200);
    for (name, value) in changes.as_object().unwrap() {
        body[name] = value.clone();
    }
    sys.call("PUT", &path, body).await
}

#[tokio::test]
async fn pitfall_5_a_hold_taken_in_time_outlives_the_sale() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let token = sys.hold_for(&show, &["E1"], 60).await.text("holdToken").to_owned();
    let closed = json!({"closesAt": "2020-01-01T00:00:00Z"});
    replace(&sys, &show, json!({"sale": closed})).await.expect(200);

    assert_problem(&sys.hold(&show, &["E2"]).await, "not_on_sale", closed);
    assert_success(&sys.extend(&show, &token, 120).await, 200, held(&show, &["E1"]));
    let booking = sys.confirm(&show, &token, Value::Null).await.expect(201);
    assert_eq!(booking["status"], "confirmed");
}

#[tokio::test]
async fn pitfall_5_a_seat_that_was_removed_is_unknown() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    sys.hold(&show, &["E19"]).await.expect(201);
    let fewer = json!([{"id": "stalls", "rows": [{"id": "E", "from": 1, "to": 19}]}]);
    replace(&sys, &show, json!({"sections": fewer})).await.expect(200);
    let refused = sys.hold(&show, &["E18", "E20"]).await;
    assert_problem(&refused, "unknown_seat", json!({"seats": ["E20"]}));
}

#[tokio::test]
async fn pitfall_67_seats_of_another_show_are_unknown_here() {
    let sys = Sys::shared().await;
    let here = sys.define(json!({})).await;
    let other = json!([{"id": "balcony", "prefix": "B-", "rows": [{"id": "A", "from": 1, "to": 3}]}]);
    let there = sys.define(json!({"sections": other})).await;
    let refused = sys.hold(&here, &["E7", "B-A1"]).await;
    assert_problem(&refused, "unknown_seat", json!({"seats": ["B-A1"]}));
    assert_success(&sys.hold(&there, &["B-A1"]).await, 201, held(&there, &["B-A1"]));
    assert_success(&sys.hold(&here, &["E7"]).await, 201, held(&here, &["E7"]));
}
