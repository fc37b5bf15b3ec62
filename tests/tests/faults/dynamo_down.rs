//! A DynamoDB that refuses, says nothing, or breaks every connection: 503, and the hold waits for better times.

use holdfast_tests::dynamo_front::{Fault, Reason};
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::sys::{Client, Sys, paid};
use serde_json::json;
use tokio::task::JoinSet;

use super::outages::unavailable_in_time;

const TRANSACTION: &str = "TransactWriteItems";

/// Confirms five holds against a fault that stays: each is 503 in time, kept, and sold once the fault is over.
async fn outlived(fault: Fault) {
    let (sys, _proxy, front) = Sys::fragile(&[]).await;
    let show = sys.define(json!({})).await;
    let mut holds = Vec::new();
    for at in 1..=5 {
        holds.push((sys.hold(&show, &[&format!("E{at}")]).await.text("holdToken").to_owned(), format!("pay_{at}")));
    }
    front.on(TRANSACTION).always().before(fault);
    let confirm = |client: Client, show: String, token: String, reference: String| async move {
        client.confirm(&show, &token, paid(&reference)).await
    };
    let mut calls = JoinSet::new();
    for (token, reference) in holds.clone() {
        calls.spawn(unavailable_in_time(confirm(sys.clone(), show.clone(), token, reference)));
    }
    calls.join_all().await;
    for (at, (token, _)) in holds.iter().enumerate() {
        assert_eq!(sys.hold_status(&show, token).await.expect(200)["state"], "confirming");
        sys.hold(&show, &[&format!("E{}", at + 1)]).await.expect_problem(409, "seat_unavailable");
    }
    front.clear();
    for (token, reference) in holds {
        sys.confirm(&show, &token, paid(&reference)).await.expect(201);
    }
    assert_agreement(&sys, &show).await;
}

#[tokio::test]
async fn pitfall_59_throttled_confirms_are_503_and_the_backlog_clears() {
    outlived(Fault::throttling()).await;
}

#[tokio::test]
async fn pitfall_59_throttled_places_are_503_and_the_backlog_clears() {
    outlived(Fault::cancelled(&[Reason::none(), Reason::throughput_exceeded()])).await;
}

#[tokio::test]
async fn pitfall_61_a_mute_dynamodb_is_503_and_the_hold_can_still_be_used() {
    outlived(Fault::Mute).await;
}

#[tokio::test]
async fn pitfall_61_a_resetting_dynamodb_is_503_and_the_hold_can_still_be_used() {
    outlived(Fault::Reset).await;
}

/// Two confirms of one token; the first one's transaction is under way when the time of the second is up.
#[tokio::test]
async fn a_confirm_that_cannot_wait_for_the_other_one_is_in_progress() {
    let vars = [("REQUEST_BUDGET_MS", "4500"), ("DYNAMODB_RESPONSE_TIMEOUT_MS", "4500")];
    let (sys, proxy, front) = Sys::fragile(&vars).await;
    let hurried = Sys::with(&proxy.url(), &front.endpoint(), &[("REQUEST_BUDGET_MS", "500")]);
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E7"]).await.text("holdToken").to_owned();
    let gate = front.on(TRANSACTION).hold_before();
    let (first, ()) = tokio::join!(sys.confirm(&show, &token, paid("pay_1")), async {
        gate.reached().await;
        front.on(TRANSACTION).always().before(Fault::cancelled(&[Reason::conflict(), Reason::conflict()]));
        let second = hurried.confirm(&show, &token, paid("pay_1")).await;
        assert!(!second.header("retry-after").is_empty());
        let problem = second.expect_problem(409, "in_progress");
        assert_eq!(problem["refund"], json!(null), "nothing is decided");
        front.clear();
        gate.open();
    });
    first.expect(201);
    hurried.confirm(&show, &token, paid("pay_1")).await.expect(200);
    assert_agreement(&sys, &show).await;
}
