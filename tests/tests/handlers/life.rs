//! The life of a hold after it was granted: GET, PATCH, DELETE.

use std::time::Duration;

use holdfast_tests::poll::until;
use holdfast_tests::sys::{Sys, paid};
use serde_json::{Value, json};

use crate::expect::{assert_problem, assert_success};
use crate::hold::held;
use crate::hold::never_issued;

/// A show whose holds lapse soon.
async fn hasty(sys: &Sys) -> String {
    sys.define(json!({"hold": {"defaultTtlSeconds": 1, "maxTtlSeconds": 2, "maxLifetimeSeconds": 3}})).await
}

/// Asks until the hold has this state.
pub async fn until_state(sys: &Sys, show: &str, token: &str, state: &str) -> Value {
    let asking = async {
        loop {
            let hold = sys.hold_status(show, token).await.expect(200);
            if hold["state"] == state {
                break hold;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), asking).await.unwrap_or_else(|_| panic!("it never is {state}"))
}

/// What GET answers of a hold in this state.
fn seen(show: &str, token: &str, seats: &[&str], state: &str, expires_in_ms: Value) -> Value {
    let mut hold = held(show, seats);
    (hold["holdToken"], hold["state"], hold["expiresInMs"]) = (token.into(), state.into(), expires_in_ms);
    hold
}

#[tokio::test]
async fn get_counts_down() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let granted = sys.hold_for(&show, &["E1", "E2"], 60).await;
    let token = granted.text("holdToken");
    let status = sys.hold_status(&show, token).await;
    assert_success(&status, 200, seen(&show, token, &["E1", "E2"], "active", "<int>".into()));
    assert!(status.body["expiresInMs"].as_u64().unwrap() <= 60_000);
    assert_eq!(status.body["expiresAt"], granted.body["expiresAt"]);
}

#[tokio::test]
async fn get_knows_how_a_hold_ended() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let token = |answer: holdfast_tests::sys::Answer| answer.text("holdToken").to_owned();

    let released = token(sys.hold(&show, &["E1"]).await);
    sys.release(&show, &released).await.expect(204);
    let status = sys.hold_status(&show, &released).await;
    assert_success(&status, 200, seen(&show, &released, &["E1"], "released", 0.into()));

    let confirmed = token(sys.hold(&show, &["E2"]).await);
    let booking = sys.confirm(&show, &confirmed, Value::Null).await;
    let mut wanted = seen(&show, &confirmed, &["E2"], "confirmed", 0.into());
    wanted["bookingId"] = booking.text("bookingId").into();
    assert_success(&sys.hold_status(&show, &confirmed).await, 200, wanted);

    let refused = token(sys.hold(&show, &["E3"]).await);
    let mut other_seats = paid("pay_1");
    other_seats["seats"] = json!(["E4"]);
    sys.confirm(&show, &refused, other_seats).await.expect_problem(422, "hold_mismatch");
    let status = sys.hold_status(&show, &refused).await;
    assert_success(&status, 200, seen(&show, &refused, &["E3"], "refused", 0.into()));

    let lapsed = token(sys.hold_for(&show, &["E5"], 1).await);
    until_state(&sys, &show, &lapsed, "expired").await;
    let status = sys.hold_status(&show, &lapsed).await;
    assert_success(&status, 200, seen(&show, &lapsed, &["E5"], "expired", 0.into()));
    sys.hold(&show, &["E1", "E3", "E5"]).await.expect(201);
}

#[tokio::test]
async fn a_hold_that_is_being_confirmed_is_neither_extended_nor_released() {
    let (sys, _proxy, front) = Sys::fragile(&[]).await;
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E1"]).await.text("holdToken").to_owned();
    let gate = front.on("TransactWriteItems").containing(&*show).hold_before();
    let confirming = tokio::spawn({
        let (client, show, token) = (holdfast_tests::sys::Client::clone(&sys), show.clone(), token.clone());
        async move { client.confirm(&show, &token, Value::Null).await }
    });
    gate.reached().await;
    let status = sys.hold_status(&show, &token).await;
    assert_success(&status, 200, seen(&show, &token, &["E1"], "confirming", "<int>".into()));
    assert_problem(&sys.extend(&show, &token, 60).await, "in_progress", json!({}));
    assert_problem(&sys.release(&show, &token).await, "in_progress", json!({}));
    gate.open();
    assert_eq!(confirming.await.unwrap().expect(201)["status"], "confirmed");
    until_state(&sys, &show, &token, "confirmed").await;
}

#[tokio::test]
async fn of_a_token_that_was_never_issued_nothing_is_known() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let token = uuid::Uuid::new_v4().to_string();
    assert_problem(&sys.hold_status(&show, &token).await, "hold_not_found", json!({}));
    assert_problem(&sys.extend(&show, &token, 60).await, "hold_lost", never_issued());
    assert_problem(&sys.release(&show, &token).await, "hold_lost", never_issued());
    // One that was issued, and of which Redis knows nothing.
    let token = holdfast_tests::loaded::issued_token(&show);
    assert_problem(&sys.hold_status(&show, &token).await, "hold_not_found", json!({}));
    assert_problem(&sys.extend(&show, &token, 60).await, "hold_lost", json!({}));
    assert_problem(&sys.release(&show, &token).await, "hold_lost", json!({}));
}

#[tokio::test]
async fn extending_never_shortens() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let granted = sys.hold_for(&show, &["E1"], 60).await;
    let token = granted.text("holdToken");
    let shorter = sys.extend(&show, token, 30).await;
    assert_success(&shorter, 200, seen(&show, token, &["E1"], "active", "<int>".into()));
    assert_eq!(shorter.body["expiresAt"], granted.body["expiresAt"]);
    let longer = sys.extend(&show, token, 120).await;
    assert_success(&longer, 200, seen(&show, token, &["E1"], "active", 120_000.into()));
    assert!(longer.text("expiresAt") > granted.text("expiresAt"));
    // All of it moves: the lock of the seat, too.
    let refused = sys.hold(&show, &["E1"]).await;
    assert!(refused.body["seats"][0]["freesInMs"].as_u64().unwrap() > 60_000, "{}", refused.body);
}

#[tokio::test]
async fn released_places_are_free_at_once_and_a_second_release_is_as_good() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E1", "E2"]).await.text("holdToken").to_owned();
    for _ in 0..2 {
        assert_success(&sys.release(&show, &token).await, 204, Value::Null);
    }
    let next = sys.hold(&show, &["E1", "E2"]).await.text("holdToken").to_owned();
    // And it is harmless to the next owner.
    assert_success(&sys.release(&show, &token).await, 204, Value::Null);
    assert_eq!(sys.hold_status(&show, &next).await.expect(200)["state"], "active");
    assert_problem(&sys.extend(&show, &token, 60).await, "hold_lost", json!({}));
}

#[tokio::test]
async fn after_a_confirm_release_and_extend_name_the_booking() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E1"]).await.text("holdToken").to_owned();
    let booking = sys.confirm(&show, &token, Value::Null).await.text("bookingId").to_owned();
    assert_problem(&sys.release(&show, &token).await, "hold_lost", json!({"bookingId": booking}));
    assert_problem(&sys.extend(&show, &token, 60).await, "hold_lost", json!({"bookingId": booking}));
}

#[tokio::test]
async fn pitfall_7_a_lapsed_hold_is_not_revived() {
    let sys = Sys::shared().await;
    let show = hasty(&sys).await;
    let token = sys.hold(&show, &["E1"]).await.text("holdToken").to_owned();
    let before = until_state(&sys, &show, &token, "expired").await;
    assert_problem(&sys.extend(&show, &token, 2).await, "hold_lost", json!({}));
    assert_problem(&sys.release(&show, &token).await, "hold_lost", json!({}));
    // Nothing was created: it is as it was, and the seat is free.
    assert_eq!(sys.hold_status(&show, &token).await.expect(200), before);
    assert_success(&sys.hold(&show, &["E1"]).await, 201, held(&show, &["E1"]));
}

/// A unit has no key that lapses: here the deadline alone says that the hold is over.
#[tokio::test]
async fn pitfall_7_lapsed_units_are_not_revived() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({"hold": {"defaultTtlSeconds": 1}})).await;
    let token = sys.decrement(&show, "GA", 2).await.text("holdToken").to_owned();
    let before = until_state(&sys, &show, &token, "expired").await;
    assert_problem(&sys.extend(&show, &token, 60).await, "hold_lost", json!({}));
    assert_eq!(sys.hold_status(&show, &token).await.expect(200), before);
}

#[tokio::test]
async fn pitfall_7_extending_for_ever_stops_at_the_longest_life() {
    let sys = Sys::shared().await;
    let show = hasty(&sys).await;
    let granted = sys.hold(&show, &["E1"]).await;
    let token = granted.text("holdToken");
    let started_ms = deadline_ms(&granted.body) - 1_000;
    let (mut last, mut times) = (granted.body.clone(), 0);
    let refused = loop {
        let extended = sys.extend(&show, token, 2).await;
        if extended.status != 200 {
            break extended;
        }
        assert!(deadline_ms(&extended.body) <= started_ms + 3_000, "beyond its longest life: {}", extended.body);
        (last, times) = (extended.body, times + 1);
    };
    assert!(times > 0, "the first wish fits");
    assert_problem(&refused, "extend_limit", json!({"maxLifetimeSeconds": 3}));
    assert!(deadline_ms(&last) <= started_ms + 3_000, "{last} of {started_ms}");
    assert_eq!(sys.hold_status(&show, token).await.expect(200)["expiresAt"], last["expiresAt"], "nothing was changed");
    let ended = until_state(&sys, &show, token, "expired").await;
    assert_eq!(ended["expiresAt"], last["expiresAt"]);
    // For others the seat is free once its key is gone, a moment after.
    until("the seat is free", async || (sys.hold(&show, &["E1"]).await.status == 201).then_some(())).await;
}

fn deadline_ms(hold: &Value) -> i64 {
    hold["expiresAt"].as_str().unwrap().parse::<jiff::Timestamp>().unwrap().as_millisecond()
}
