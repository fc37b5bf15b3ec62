//! Connections to Redis that died while nobody looked, in mid-call, or that lead to nobody.

use holdfast::adapters::redis::keys;
use holdfast::domain::{ShowId, ZoneId};
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::poll::until;
use holdfast_tests::proxy::{Blackhole, Mode, Proxy};
use holdfast_tests::sys::{Sys, paid};
use holdfast_tests::{raw, servers};
use redis::aio::MultiplexedConnection;
use serde_json::json;

use super::outages::{UNHURRIED, every_call_is_unavailable, every_call_works, unavailable_in_time};
use super::switch::Switch;

async fn clients(redis: &mut MultiplexedConnection) -> usize {
    let list: String = redis::cmd("CLIENT").arg(&["LIST", "TYPE", "normal"]).query_async(redis).await.unwrap();
    // MONITOR stays: no time-out is meant for it.
    list.lines().filter(|line| !line.contains("cmd=monitor")).count()
}

async fn kill_clients(redis: &mut MultiplexedConnection) {
    let kill = &["KILL", "TYPE", "normal", "SKIPME", "yes"];
    let _: i64 = redis::cmd("CLIENT").arg(kill).query_async(redis).await.unwrap();
}

#[tokio::test]
async fn pitfall_16_after_the_server_closed_idle_connections_the_next_call_works() {
    let sys = Sys::own(&["--timeout", "1"], &[]).await;
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E1"]).await.text("holdToken").to_owned();
    let redis = sys.redis().await;
    until("only the connection that asks is left", || {
        let mut redis = redis.clone();
        async move { (clients(&mut redis).await == 1).then_some(()) }
    })
    .await;
    sys.hold(&show, &["E9"]).await.expect(201);
    every_call_works(&sys, &show, &token).await;
    assert_agreement(&sys, &show).await;
}

#[tokio::test]
async fn pitfall_16_after_client_kill_each_kind_of_call_works() {
    let sys = Sys::own(&[], &UNHURRIED).await;
    let show = sys.define(json!({})).await;
    let mut redis = sys.redis().await;
    let token = sys.hold(&show, &["E1"]).await.text("holdToken").to_owned();
    kill_clients(&mut redis).await;
    sys.hold(&show, &["E2"]).await.expect(201);
    kill_clients(&mut redis).await;
    sys.extend(&show, &token, 600).await.expect(200);
    kill_clients(&mut redis).await;
    assert_eq!(sys.decrement(&show, "GA", 1).await.expect(201)["remaining"], 9);
    kill_clients(&mut redis).await;
    sys.confirm(&show, &token, paid("pay_1")).await.expect(201);
    assert_agreement(&sys, &show).await;
}

/// The request is on its way when its connection dies: it is sent again, in the same call.
#[tokio::test]
async fn pitfall_16_client_kill_in_mid_call() {
    let redis = servers::own_redis(&[]);
    let proxy = Proxy::redis(redis.addr()).await;
    let sys = Sys::with(&proxy.url(), &servers::dynamo().await.endpoint(), &UNHURRIED);
    let show = sys.define(json!({})).await;
    sys.hold(&show, &["E1"]).await.expect(201);
    let gate = proxy.hold(1, keys::stock(&ShowId::parse(&show).unwrap(), &ZoneId::parse("GA").unwrap()));
    let (answer, ()) = tokio::join!(sys.decrement(&show, "GA", 2), async {
        gate.reached().await;
        kill_clients(&mut raw::redis(&redis.url()).await).await;
        gate.open();
    });
    assert_eq!(answer.expect(201)["remaining"], 8);
    assert_eq!(sys.decrement(&show, "GA", 1).await.expect(201)["remaining"], 7);
    assert_agreement(&sys, &show).await;
}

#[tokio::test]
async fn pitfall_17_an_address_that_swallows_packets() {
    let redis = servers::own_redis(&[]);
    let dynamo = servers::dynamo().await;
    let near = Sys::with(&redis.url(), &dynamo.endpoint(), &[]);
    let show = near.define(json!({})).await;
    let token = near.hold(&show, &["E1"]).await.text("holdToken").to_owned();
    let hole = Blackhole::start().await;
    let addr = hole.addr();
    let sys = Sys::with(&format!("redis://{addr}"), &dynamo.endpoint(), &[]);
    every_call_is_unavailable(&sys, &show, &token).await;
    drop(hole);
    let _way = Switch::at(addr, redis.addr()).await;
    every_call_works(&sys, &show, &token).await;
    assert_agreement(&near, &show).await;
}

#[tokio::test]
async fn pitfall_17_a_server_that_accepts_and_never_answers() {
    let (sys, proxy, _front) = Sys::fragile(&[]).await;
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E1"]).await.text("holdToken").to_owned();
    proxy.set(Mode::Swallow);
    every_call_is_unavailable(&sys, &show, &token).await;
    // A process that has never reached it fares no worse.
    let fresh = sys.clients(1).remove(0);
    unavailable_in_time(fresh.hold(&show, &["E9"])).await;
    proxy.set(Mode::Pass);
    every_call_works(&sys, &show, &token).await;
    fresh.hold(&show, &["E9"]).await.expect(201);
    assert_agreement(&sys, &show).await;
}

#[tokio::test]
async fn pitfall_17_a_stopped_server() {
    let mut sys = Sys::own(&[], &[]).await;
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E1"]).await.text("holdToken").to_owned();
    sys.own_redis().signal("STOP");
    // The frozen server reads what was sent once it thaws. So: only calls that change nothing that is asked for below.
    for _ in 0..2 {
        unavailable_in_time(sys.hold_status(&show, &token)).await;
        unavailable_in_time(sys.hold(&show, &["E9"])).await;
    }
    sys.own_redis().signal("CONT");
    every_call_works(&sys, &show, &token).await;
    assert_agreement(&sys, &show).await;
}

/// A dead DynamoDB is no reason to stop holding; only what needs the record is 503.
#[tokio::test]
async fn pitfall_17_a_dynamodb_that_swallows_packets() {
    let (redis, dynamo) = (servers::redis(), servers::dynamo().await);
    let near = Sys::with(&redis.url(), &dynamo.endpoint(), &[]);
    let show = near.define(json!({})).await;
    let token = near.hold(&show, &["E1"]).await.text("holdToken").to_owned();
    let hole = Blackhole::start().await;
    let addr = hole.addr();
    let sys = Sys::with(&redis.url(), &format!("http://{addr}"), &[]);
    sys.hold(&show, &["E2"]).await.expect(201);
    unavailable_in_time(sys.confirm(&show, &token, paid("pay_1"))).await;
    unavailable_in_time(sys.get(&format!("/shows/{show}"))).await;
    unavailable_in_time(sys.call(
        "PUT",
        &format!("/shows/{show}"),
        json!({"name": "x", "zones": [{"id": "GA", "capacity": 9}]}),
    ))
    .await;
    drop(hole);
    let target = dynamo.endpoint().trim_start_matches("http://").parse().unwrap();
    let _way = Switch::at(addr, target).await;
    sys.confirm(&show, &token, paid("pay_1")).await.expect(201);
    assert_agreement(&near, &show).await;
}
