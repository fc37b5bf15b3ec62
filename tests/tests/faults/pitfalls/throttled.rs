//! A DynamoDB that is throttled for five seconds, or mute, under buyers and under a reconcile.

use std::time::Duration;

use holdfast_tests::dynamo_front::Fault;
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::sys::{Client, Sys, paid};
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::outages::{assert_unavailable, unavailable_in_time};

const THROTTLED: Duration = Duration::from_secs(5);

/// Confirms again and again until the time is up: every answer is 503.
async fn insists(client: Client, show: String, token: String, until: Instant) -> usize {
    let mut asked = 0;
    while Instant::now() < until {
        assert_unavailable(&client.confirm(&show, &token, paid(&format!("pay_{token}"))).await);
        asked += 1;
    }
    asked
}

#[tokio::test]
async fn pitfall_59_throttled_for_five_seconds_holds_are_kept_and_the_backlog_clears() {
    let (sys, _proxy, front) = Sys::fragile(&[]).await;
    let show = sys.define(json!({})).await;
    let mut tokens = Vec::new();
    for at in 1..=6 {
        tokens.push(sys.hold(&show, &[&format!("E{at}")]).await.text("holdToken").to_owned());
    }
    front.on_any().always().before(Fault::throughput_exceeded());
    let until = Instant::now() + THROTTLED;
    let mut buyers = JoinSet::new();
    for (client, token) in sys.clients(tokens.len()).into_iter().zip(&tokens) {
        buyers.spawn(insists(client, show.clone(), token.clone(), until));
    }
    // Holds need no DynamoDB; and a reconcile repairs nothing that it could not read.
    let others = sys.hold(&show, &["E20"]).await.text("holdToken").to_owned();
    let report = sys.reconcile(json!({"showId": show})).await;
    assert_eq!((&report["complete"], &report["errors"][0]["code"]), (&json!(false), &json!("unavailable")), "{report}");
    sys.release(&show, &others).await.expect(204);
    let asked: usize = buyers.join_all().await.into_iter().sum();
    assert!(asked >= tokens.len(), "{asked} confirms in {THROTTLED:?}");
    for (at, token) in (1..).zip(&tokens) {
        assert_eq!(sys.hold_status(&show, token).await.expect(200)["state"], "confirming");
        sys.hold(&show, &[&format!("E{at}")]).await.expect_problem(409, "seat_unavailable");
    }

    front.clear();
    // Half of the buyers come again; the others gave up, and the reconcile clears what they left.
    for token in &tokens[..3] {
        sys.confirm(&show, token, paid(&format!("pay_{token}"))).await.expect(201);
    }
    let report = sys.reconcile(json!({"showId": show})).await;
    assert_eq!((&report["complete"], &report["shows"][0]["repairs"]["settled"]), (&json!(true), &json!(3)), "{report}");
    for token in &tokens {
        sys.confirm(&show, token, paid(&format!("pay_{token}"))).await.expect(200);
    }
    assert_agreement(&sys, &show).await;
}

/// Slow, mute, or resetting: 503 in time, a reconcile that says so in time, and the hold can still be used.
#[tokio::test]
async fn pitfall_61_a_dynamodb_that_does_not_answer_ends_no_hold_and_no_reconcile_late() {
    for fault in [Fault::Mute, Fault::Reset, Fault::Slow(Duration::from_secs(30))] {
        let (sys, _proxy, front) = Sys::fragile(&[]).await;
        let show = sys.define(json!({})).await;
        let token = sys.hold(&show, &["E7"]).await.text("holdToken").to_owned();
        front.on_any().always().before(fault);
        unavailable_in_time(sys.confirm(&show, &token, paid("pay_1"))).await;
        // A reconcile that has four seconds is never stopped by its time-out.
        let report = sys.reconcile_within(Duration::from_secs(4), json!({"showId": show})).await;
        assert_eq!(
            (&report["complete"], &report["errors"][0]["code"]),
            (&json!(false), &json!("unavailable")),
            "{report}"
        );
        front.clear();
        sys.confirm(&show, &token, paid("pay_1")).await.expect(201);
        assert_agreement(&sys, &show).await;
    }
}
