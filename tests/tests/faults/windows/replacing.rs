//! PUT of a show against a hold of a removed seat: the closing script. And PUTs that overtake each other.

use holdfast::adapters::redis::keys;
use holdfast::domain::ShowId;
use holdfast_tests::invariants::assert_invariants;
use holdfast_tests::servers;
use holdfast_tests::sys::{Answer, Client, Sys};
use serde_json::{Value, json};

use crate::outages::{UNHURRIED, assert_unavailable};

fn rows(to: usize, capacity: usize) -> Value {
    json!({"name": "Hamlet", "sections": [{"id": "stalls", "rows": [{"id": "E", "from": 1, "to": to}]}],
        "zones": [{"id": "GA", "capacity": capacity}]})
}

async fn put(client: &Client, show: &str, to: usize, capacity: usize) -> Answer {
    client.call("PUT", &format!("/shows/{show}"), rows(to, capacity)).await
}

#[tokio::test]
async fn a_seat_that_is_held_is_not_removed_and_a_removed_one_is_not_held() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E20"]).await.text("holdToken").to_owned();
    let units = sys.decrement(&show, "GA", 3).await.text("holdToken").to_owned();
    let before = sys.hold_status(&show, &token).await.expect(200);
    let in_use = put(&sys, &show, 19, 10).await.expect_problem(409, "in_use");
    assert_eq!(in_use["places"], json!(["E20"]));
    put(&sys, &show, 20, 2).await.expect_problem(409, "in_use");
    // What was closed on the way is for sale again, and the hold is what it was.
    assert_eq!(sys.hold_status(&show, &token).await.expect(200)["expiresAt"], before["expiresAt"]);
    sys.hold(&show, &["E19"]).await.expect(201);
    sys.release(&show, &token).await.expect(204);
    sys.release(&show, &units).await.expect(204);
    put(&sys, &show, 19, 2).await.expect(200);
    let unknown = sys.hold(&show, &["E19", "E20"]).await.expect_problem(404, "unknown_seat");
    assert_eq!(unknown["seats"], json!(["E20"]));
    sys.decrement(&show, "GA", 3).await.expect_problem(409, "sold_out");
    assert_invariants(&sys, &show).await;
}

/// Between the closing and the record nobody gets the seat, and nobody is told that it never was.
#[tokio::test]
async fn a_hold_of_a_seat_that_is_being_removed_waits_for_the_end() {
    let vars = [("DYNAMODB_RESPONSE_TIMEOUT_MS", "4500"), ("REQUEST_BUDGET_MS", "4500")];
    let (sys, _proxy, front) = Sys::fragile(&vars).await;
    let show = sys.define(json!({})).await;
    sys.hold(&show, &["E1"]).await.expect(201);
    let hurried = Sys::with(&servers::redis().url(), &front.endpoint(), &[("REQUEST_BUDGET_MS", "300")]);
    let gate = front.on("TransactWriteItems").hold_before();
    let (replaced, held) = tokio::join!(put(&sys, &show, 19, 10), async {
        gate.reached().await;
        assert_unavailable(&hurried.hold(&show, &["E20"]).await);
        // What stays is sold meanwhile as if nothing happened.
        hurried.hold(&show, &["E2"]).await.expect(201);
        gate.open();
        sys.hold(&show, &["E20"]).await
    });
    replaced.expect(200);
    held.expect_problem(404, "unknown_seat");
    assert_invariants(&sys, &show).await;
}

/// A PUT that has written its version and is slow to tell Redis is overtaken by the next one: its seats are there too.
#[tokio::test]
async fn seats_of_a_definition_that_was_overtaken_are_for_sale() {
    let vars = [("REDIS_RESPONSE_TIMEOUT_MS", "4500"), ("REQUEST_BUDGET_MS", "4500")];
    let (slow, proxy, _front) = Sys::fragile(&vars).await;
    let quick = Sys::with(&servers::redis().url(), &servers::dynamo().await.endpoint(), &UNHURRIED);
    let show = quick.define(rows(10, 10)).await;
    quick.hold(&show, &["E1"]).await.expect(201);
    slow.hold(&show, &["E2"]).await.expect(201);
    let gate = proxy.hold(1, keys::seats(&ShowId::parse(&show).unwrap()));
    let (first, ()) = tokio::join!(put(&slow, &show, 12, 10), async {
        gate.reached().await;
        put(&quick, &show, 14, 12).await.expect(200);
        gate.open();
    });
    first.expect(200);
    for seat in ["E11", "E12", "E13", "E14"] {
        quick.hold(&show, &[seat]).await.expect(201);
    }
    quick.hold(&show, &["E15"]).await.expect_problem(404, "unknown_seat");
    assert_eq!(quick.get(&format!("/shows/{show}/stock/GA")).await.expect(200)["capacity"], 12);
    assert_invariants(&quick, &show).await;
}
