//! The proxy loses what it is told to lose, and nothing else.

use std::time::Duration;

use holdfast_tests::proxy::{After, Blackhole, Lose, Mode, Proxy};
use holdfast_tests::raw;
use holdfast_tests::servers::{fresh_show_id, redis};
use redis::aio::MultiplexedConnection;

/// Long enough to tell "never" from "at once" on this machine.
const NEVER: Duration = Duration::from_millis(300);

fn key() -> String {
    format!("n:{{show:{}}}", fresh_show_id())
}

async fn incr(connection: &mut MultiplexedConnection, key: &str) -> redis::RedisResult<i64> {
    redis::cmd("INCR").arg(key).query_async(connection).await
}

async fn value(key: &str) -> Option<i64> {
    redis::cmd("GET").arg(key).query_async(&mut raw::redis(&redis().url()).await).await.unwrap()
}

#[tokio::test]
async fn the_reply_that_is_meant_is_lost_and_the_work_is_done() {
    let proxy = Proxy::redis(redis().addr()).await;
    let (lost, other) = (key(), key());
    proxy.drop_reply(2, &lost);
    let mut connection = raw::redis(&proxy.url()).await;
    let (mut a, mut b, mut c) = (connection.clone(), connection.clone(), connection.clone());
    let (first, between, second) = tokio::join!(incr(&mut a, &lost), incr(&mut b, &other), incr(&mut c, &lost));
    assert_eq!((first.unwrap(), between.unwrap()), (1, 1));
    assert!(second.is_err());
    assert_eq!(value(&lost).await, Some(2));
    assert_eq!(proxy.rules_left(), 0);
    assert!(incr(&mut connection, &other).await.is_err(), "the connection was cut");
    assert_eq!(proxy.connections(), 1);
}

#[tokio::test]
async fn a_lost_request_does_nothing() {
    let proxy = Proxy::redis(redis().addr()).await;
    let key = key();
    proxy.lose(Lose::Request, 1, &key, After::Cut);
    assert!(incr(&mut raw::redis(&proxy.url()).await, &key).await.is_err());
    assert_eq!(value(&key).await, None);
}

#[tokio::test]
async fn a_mute_connection_stays_open_and_answers_nothing() {
    let proxy = Proxy::redis(redis().addr()).await;
    let key = key();
    proxy.lose(Lose::Reply, 1, &key, After::Mute);
    let mut connection = raw::redis(&proxy.url()).await;
    assert!(tokio::time::timeout(NEVER, incr(&mut connection, &key)).await.is_err());
    assert_eq!(value(&key).await, Some(1));
}

#[tokio::test]
async fn a_gate_holds_a_request_until_it_is_opened() {
    let proxy = Proxy::redis(redis().addr()).await;
    let key = key();
    let gate = proxy.hold(1, &key);
    let mut connection = raw::redis(&proxy.url()).await;
    let (held, ()) = tokio::join!(incr(&mut connection, &key), async {
        gate.reached().await;
        assert_eq!(value(&key).await, None);
        gate.open();
    });
    assert_eq!(held.unwrap(), 1);
}

#[tokio::test]
async fn modes_change_what_an_open_connection_meets() {
    let proxy = Proxy::redis(redis().addr()).await;
    let key = key();
    let mut connection = raw::redis(&proxy.url()).await;
    proxy.set(Mode::Swallow);
    assert!(tokio::time::timeout(NEVER, incr(&mut connection, &key)).await.is_err());
    assert_eq!(value(&key).await, None);
    proxy.set(Mode::DropReplies);
    assert!(tokio::time::timeout(NEVER, incr(&mut connection, &key)).await.is_err());
    assert_eq!(value(&key).await, Some(1));
    proxy.cut_now();
    assert!(incr(&mut connection, &key).await.is_err());
    assert_eq!(incr(&mut raw::redis(&proxy.url()).await, &key).await.unwrap(), 2);
    proxy.set(Mode::Cut);
    let refused = redis::Client::open(proxy.url()).unwrap().get_multiplexed_async_connection().await;
    assert!(refused.is_err());
}

#[tokio::test]
async fn a_black_hole_neither_accepts_nor_refuses() {
    let hole = Blackhole::start().await;
    let connecting = tokio::net::TcpStream::connect(hole.addr());
    assert!(tokio::time::timeout(NEVER, connecting).await.is_err());
}
