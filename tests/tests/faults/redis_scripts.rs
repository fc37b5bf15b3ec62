//! A Redis that has forgotten the scripts, or is another one than before.

use holdfast::adapters::redis::keys;
use holdfast::domain::ShowId;
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::poll::until;
use holdfast_tests::sys::{Answer, Sys, paid};
use holdfast_tests::{raw, servers};
use redis::AsyncCommands;
use redis::aio::MultiplexedConnection;
use serde_json::{Value, json};

use super::outages::{UNHURRIED, every_call_works};
use super::redis_replies::events;
use super::switch::Switch;

async fn command(redis: &mut MultiplexedConnection, words: &[&str]) -> String {
    let value: redis::Value = redis::cmd(words[0]).arg(&words[1..]).query_async(redis).await.unwrap();
    redis::from_redis_value(value).unwrap_or_default()
}

/// Each call finds an empty cache of scripts. It works, and each change is one event.
#[tokio::test]
async fn pitfall_14_after_script_flush_each_kind_of_call_works_and_is_applied_once() {
    let sys = Sys::own(&[], &UNHURRIED).await;
    let show = sys.define(json!({})).await;
    let mut redis = sys.redis().await;
    sys.hold(&show, &["E20"]).await.expect(201);
    let seats = sys.hold(&show, &["E1", "E2"]).await.text("holdToken").to_owned();
    let given_back = sys.hold(&show, &["E3"]).await.text("holdToken").to_owned();
    let (path, stock) = (format!("/shows/{show}"), format!("/shows/{show}/stock/GA"));
    let smaller = json!({"name": "Hamlet", "zones": [{"id": "GA", "capacity": 8}],
        "sections": [{"id": "stalls", "rows": [{"id": "E", "from": 1, "to": 21}]}]});
    let without = json!({"name": "Hamlet", "zones": [{"id": "GA", "capacity": 8}],
        "sections": [{"id": "stalls", "rows": [{"id": "E", "from": 1, "to": 20}]}]});
    for (call, changes) in [
        ("hold", 1),
        ("status", 0),
        ("extend", 1),
        ("decrement", 1),
        ("count", 0),
        ("release", 1),
        ("confirm", 2),
        ("replace", 0),
        ("remove", 0),
    ] {
        let before = events(&sys, &show).await;
        command(&mut redis, &["SCRIPT", "FLUSH"]).await;
        let answer: Answer = match call {
            "hold" => sys.hold(&show, &["E4"]).await,
            "status" => sys.hold_status(&show, &seats).await,
            "extend" => sys.extend(&show, &seats, 600).await,
            "decrement" => sys.decrement(&show, "GA", 2).await,
            "count" => sys.get(&stock).await,
            "release" => sys.release(&show, &given_back).await,
            "confirm" => sys.confirm(&show, &seats, paid("pay_1")).await,
            "replace" => sys.call("PUT", &path, smaller.clone()).await,
            _ => sys.call("PUT", &path, without.clone()).await,
        };
        assert!(answer.status < 300, "{call}: {} {}", answer.status, answer.body);
        assert_eq!(events(&sys, &show).await - before, changes, "{call}");
    }
    let wanted = json!({"zone": "GA", "capacity": 8, "remaining": 6, "held": 2, "sold": 0});
    assert_eq!(sys.get(&stock).await.expect(200), wanted);
    assert_agreement(&sys, &show).await;
}

/// The old primary goes on as a read-only replica: connections to it stay open, and refuse every write.
#[tokio::test]
async fn pitfall_14_after_a_replica_was_promoted_each_kind_of_call_works_in_the_same_process() {
    let primary = servers::own_redis(&[]);
    let port = primary.addr().port().to_string();
    let replica = servers::own_redis(&["--replicaof", "127.0.0.1", &port]);
    let mut old = raw::redis(&primary.url()).await;
    command(&mut old, &["CONFIG", "SET", "repl-diskless-sync-delay", "0"]).await;
    let switch = Switch::to(primary.addr()).await;
    let sys = Sys::with(&switch.redis_url(), &servers::dynamo().await.endpoint(), &UNHURRIED);
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E1"]).await.text("holdToken").to_owned();

    let mut new = raw::redis(&replica.url()).await;
    let record = keys::hold(&ShowId::parse(&show).unwrap(), holdfast::domain::HoldToken::from_stored(&token).unwrap());
    until("the replica has the hold", || {
        let (mut new, record) = (new.clone(), record.clone());
        async move { new.exists::<_, bool>(record).await.unwrap().then_some(()) }
    })
    .await;
    command(&mut new, &["REPLICAOF", "NO", "ONE"]).await;
    // Nobody listens there: what matters is that the old primary is a replica now.
    command(&mut old, &["REPLICAOF", "127.0.0.1", "1"]).await;
    switch.lead_to(replica.addr());

    let held: Value = sys.hold(&show, &["E5"]).await.expect(201);
    sys.hold(&show, &["E5"]).await.expect_problem(409, "seat_unavailable");
    sys.release(&show, held["holdToken"].as_str().unwrap()).await.expect(204);
    every_call_works(&sys, &show, &token).await;
    assert_agreement(&sys, &show).await;
}
