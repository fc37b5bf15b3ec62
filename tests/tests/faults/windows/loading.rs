//! Two loaders, one of them asleep for long: staging keys, and the lease that the last script checks.

use holdfast::adapters::redis::keys;
use holdfast::domain::ShowId;
use holdfast_tests::dynamo_front::Front;
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::servers;
use holdfast_tests::sys::{Sys, paid};
use redis::AsyncCommands;
use redis::aio::MultiplexedConnection;
use serde_json::json;

async fn epoch(redis: &mut MultiplexedConnection, show: &str) -> String {
    redis.hget(keys::show(&ShowId::parse(show).unwrap()), "epoch").await.unwrap()
}

#[tokio::test]
async fn a_loader_that_slept_is_refused_and_the_show_is_what_the_second_one_loaded() {
    let (redis, dynamo) = (servers::own_redis(&[]), servers::dynamo().await);
    let front = Front::start(&dynamo.endpoint()).await;
    let patience = [("REQUEST_BUDGET_MS", "4700"), ("DYNAMODB_RESPONSE_TIMEOUT_MS", "4700")];
    let sleeper = Sys::with(&redis.url(), &front.endpoint(), &patience);
    // It has a second and a half of the other one's turn to wait for.
    let quick = Sys::with(&redis.url(), &dynamo.endpoint(), &patience);
    let show = quick.define(json!({})).await;
    for (seat, reference) in [("E1", "pay_1"), ("E2", "pay_2")] {
        let token = quick.hold(&show, &[seat]).await.text("holdToken").to_owned();
        quick.confirm(&show, &token, paid(reference)).await.expect(201);
    }
    let units = quick.decrement(&show, "GA", 4).await.text("holdToken").to_owned();
    quick.confirm(&show, &units, paid("pay_3")).await.expect(201);
    let mut connection = quick.redis().await;
    let _: () = redis::cmd("FLUSHALL").query_async(&mut connection).await.unwrap();

    let gate = front.on("Query").always().hold_before();
    let (slept, loaded) = tokio::join!(sleeper.hold(&show, &["E3"]), async {
        gate.reached().await;
        quick.hold(&show, &["E3"]).await.expect(201);
        let loaded = epoch(&mut connection.clone(), &show).await;
        // Sold meanwhile: the sleeper must not load it away.
        let token = quick.hold(&show, &["E4"]).await.text("holdToken").to_owned();
        quick.confirm(&show, &token, paid("pay_4")).await.expect(201);
        gate.open();
        loaded
    });
    // Its request goes on, on what the other one loaded.
    slept.expect_problem(409, "seat_unavailable");
    assert_eq!(epoch(&mut connection, &show).await, loaded);
    for seat in ["E1", "E2", "E4"] {
        let taken = quick.hold(&show, &[seat]).await.expect_problem(409, "seat_unavailable");
        assert_eq!(taken["seats"], json!([{"seat": seat, "reason": "sold"}]));
    }
    assert_eq!(quick.get(&format!("/shows/{show}/stock/GA")).await.expect(200)["sold"], 4);
    let leases: Vec<String> = connection.keys(format!("load*{show}*")).await.unwrap();
    assert!(leases.iter().all(|key| *key != keys::load(&ShowId::parse(&show).unwrap())), "{leases:?}");
    assert_agreement(&quick, &show).await;
}
