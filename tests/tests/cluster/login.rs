//! Many requests of one process at the moment when its login is due: one of them logs in.

use std::net::SocketAddr;
use std::time::Duration;

use holdfast_local::redis_server::RedisServer;
use holdfast_tests::poll::until;
use holdfast_tests::proxy::{Mode, Proxy};
use holdfast_tests::sys::{Client, Sys};
use holdfast_tests::{raw, servers};
use redis::aio::MultiplexedConnection;
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::iam::{USER, VARS, logins, only_from_now_on};

const AT_ONCE: usize = 50;

/// How far away the server is: all of them are there before the first one's login is answered.
const FAR: Duration = Duration::from_millis(100);
const PATIENT: [(&str, &str); 3] =
    [("REQUEST_BUDGET_MS", "9000"), ("REDIS_RESPONSE_TIMEOUT_MS", "4000"), ("REDIS_CONNECT_TIMEOUT_MS", "2000")];

/// So many times does a request try to connect, and some of them may come late.
const TRIES: u64 = 2 * 4;

/// Fifty at once, again and again, until there were so many logins: no more of them than were due meanwhile. Answers how many
/// of them were refused.
async fn fifty_log_in_as_one(redis: &MultiplexedConnection, client: &Client, show: &str, logins_wanted: u64) -> u64 {
    let (before, begun) = (logins(&mut redis.clone()).await, Instant::now());
    until("logins are due", || async {
        let mut calls = JoinSet::new();
        for _ in 0..AT_ONCE {
            let (client, path) = (client.clone(), format!("/shows/{show}/stock/GA"));
            calls.spawn(async move { client.get(&path).await.expect(200) });
        }
        calls.join_all().await;
        // Each second one is.
        let due = 1 + begun.elapsed().as_secs();
        let after = logins(&mut redis.clone()).await;
        let (tried, refused) = (after.0 - before.0, after.1 - before.1);
        assert!(tried <= due, "{tried} logins, and {due} were due");
        (tried >= logins_wanted).then_some(refused)
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_fifty_requests_at_once_one_logs_in_anew_whether_it_is_refused_or_not() {
    let server = RedisServer::start(None, &[]).unwrap();
    let mut redis = raw::redis(&server.url()).await;
    only_from_now_on(&mut redis).await;
    let proxy = Proxy::redis(SocketAddr::from(([127, 0, 0, 1], server.port()))).await;
    let sys = Sys::with(&proxy.url(), &servers::dynamo().await.endpoint(), &[&VARS[..], &PATIENT[..]].concat());
    let show = sys.define(json!({})).await;
    sys.get(&format!("/shows/{show}/stock/GA")).await.expect(200);
    proxy.set(Mode::Delay(FAR));
    assert_eq!(fifty_log_in_as_one(&redis, &sys, &show, 1).await, 0);

    let () = redis::cmd("ACL").arg(&["SETUSER", USER, "resetpass"]).query_async(&mut redis).await.unwrap();
    assert!(fifty_log_in_as_one(&redis, &sys, &show, 4).await >= 4);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_requests_at_once_share_the_refusal_of_a_first_login() {
    let server = RedisServer::start(None, &[]).unwrap();
    let mut redis = raw::redis(&server.url()).await;
    let proxy = Proxy::redis(SocketAddr::from(([127, 0, 0, 1], server.port()))).await;
    let sys = Sys::with(&proxy.url(), &servers::dynamo().await.endpoint(), &[&VARS[..], &PATIENT[..]].concat());
    proxy.set(Mode::Delay(FAR));
    let mut calls = JoinSet::new();
    for _ in 0..AT_ONCE {
        let client = Client::clone(&sys);
        calls.spawn(async move { client.get("/shows/none/stock/GA").await.expect_problem(503, "unavailable") });
    }
    calls.join_all().await;
    let (tried, refused) = logins(&mut redis).await;
    assert!((1..=TRIES).contains(&refused), "{refused} of {tried} logins were refused");
}
