//! What every kind of call answers while a store cannot.

use std::time::Duration;

use holdfast_tests::sys::{Answer, Client, paid};
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::Instant;

/// For tests in which no time is up: what a busy machine takes over a call is no part of the question.
pub const UNHURRIED: [(&str, &str); 1] = [("REQUEST_BUDGET_MS", "4500")];

/// The budget is two seconds. The rest is for a machine that is busy.
const BOUND: Duration = Duration::from_millis(2_900);

/// Fails the test unless the answer is the contract's 503.
#[track_caller]
pub fn assert_unavailable(answer: &Answer) {
    assert_eq!((answer.status, answer.code()), (503, "unavailable"), "{}", answer.body);
    assert_eq!(answer.header("content-type"), "application/problem+json");
    assert!(answer.header("retry-after").parse::<u64>().is_ok_and(|seconds| seconds > 0), "{:?}", answer.headers);
}

/// Waits for a call, and fails the test unless it is 503 within the budget.
pub async fn unavailable_in_time(call: impl Future<Output = Answer>) {
    let begun = Instant::now();
    let answer = call.await;
    assert!(begun.elapsed() < BOUND, "answered after {:?}", begun.elapsed());
    assert_unavailable(&answer);
}

/// Calls every route that asks Redis, all at once: each is 503 within the budget.
pub async fn every_call_is_unavailable(client: &Client, show: &str, token: &str) {
    let stock = format!("/shows/{show}/stock/GA");
    let mut calls = JoinSet::new();
    for call in 0..7 {
        let (client, show, token, stock) = (client.clone(), show.to_owned(), token.to_owned(), stock.clone());
        calls.spawn(unavailable_in_time(async move {
            match call {
                0 => client.hold(&show, &["E9"]).await,
                1 => client.hold_status(&show, &token).await,
                2 => client.extend(&show, &token, 600).await,
                3 => client.release(&show, &token).await,
                4 => client.confirm(&show, &token, paid("pay_1")).await,
                5 => client.decrement(&show, "GA", 1).await,
                _ => client.get(&stock).await,
            }
        }));
    }
    calls.join_all().await;
}

/// Every kind of call works, on a show in which `token` has `E1`.
pub async fn every_call_works(client: &Client, show: &str, token: &str) {
    assert_eq!(client.hold_status(show, token).await.expect(200)["state"], "active");
    client.extend(show, token, 600).await.expect(200);
    let other = client.hold(show, &["E2"]).await.text("holdToken").to_owned();
    client.release(show, &other).await.expect(204);
    client.confirm(show, token, paid("pay_1")).await.expect(201);
    let units = client.decrement(show, "GA", 2).await.expect(201);
    let left = client.get(&format!("/shows/{show}/stock/GA")).await.expect(200);
    assert_eq!(left["remaining"], units["remaining"]);
    assert_ne!(left["remaining"], json!(null));
}
