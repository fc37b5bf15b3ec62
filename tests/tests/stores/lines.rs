//! Lines to Redis that break, or lead nowhere.

use std::time::{Duration, Instant};

use holdfast::Failure;
use holdfast::domain::HoldState;
use holdfast_tests::loaded::{self, redis_port};
use holdfast_tests::proxy::{After, Blackhole, Lose, Mode, Proxy};
use holdfast_tests::servers::{own_redis, redis};

use crate::arbiter::{Arbiter, BUDGET};

/// The server closes what is idle; the next call finds out, and works.
#[tokio::test]
async fn pitfall_16_a_connection_that_was_closed_while_idle() {
    let server = own_redis(&[]);
    let arbiter = Arbiter::open(&server.url(), &server.url()).await;
    for id in ["E1", "E2", "E3"] {
        arbiter.hold(loaded::any_token(), id).await.unwrap();
        arbiter.command(&["CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"]).await;
    }
    arbiter.hold(loaded::any_token(), "E4").await.unwrap();
    assert_eq!(arbiter.events().await.len(), 4);
}

/// The line breaks in mid-call, before the request or after the work: granted, and done once.
#[tokio::test]
async fn pitfall_16_a_connection_that_is_cut_in_mid_call() {
    let proxy = Proxy::redis(redis().addr()).await;
    let arbiter = Arbiter::open(&redis().url(), &proxy.url()).await;
    let breaks = [
        (Lose::Request, After::Cut),
        (Lose::Reply, After::Cut),
        (Lose::Request, After::Mute),
        (Lose::Reply, After::Mute),
    ];
    for ((lose, after), id) in breaks.into_iter().zip(["E1", "E2", "E3", "E4"]) {
        let token = loaded::any_token();
        proxy.lose(lose, 1, token.to_string(), after);
        let held = arbiter.hold(token, id).await.unwrap();
        assert_eq!(held.state, HoldState::Active, "{lose:?} {after:?}");
        assert_eq!(proxy.rules_left(), 0);
    }
    assert_eq!(arbiter.events().await.len(), 4);
}

#[tokio::test]
async fn pitfall_19_a_lost_reply_takes_the_stock_down_once() {
    let proxy = Proxy::redis(redis().addr()).await;
    let arbiter = Arbiter::open(&redis().url(), &proxy.url()).await;
    let token = loaded::any_token();
    for _ in 0..2 {
        proxy.drop_reply(1, token.to_string());
    }
    let taken = arbiter.take(token, 2).await.unwrap();
    assert_eq!((taken.remaining, proxy.rules_left()), (3, 0));
    assert_eq!(arbiter.events().await, [("held".to_owned(), "GA-1 GA-2".to_owned())]);
}

/// Every reply is lost: what happened is not known, and the answer says so. It may have happened, and it did.
#[tokio::test]
async fn pitfall_17_a_line_without_answers_is_unavailable_in_time_and_recovers() {
    let proxy = Proxy::redis(redis().addr()).await;
    let arbiter = Arbiter::open(&redis().url(), &proxy.url()).await;
    let (done, not_done) = (loaded::any_token(), loaded::any_token());
    arbiter.hold(loaded::any_token(), "E3").await.unwrap();
    proxy.set(Mode::DropReplies);
    arbiter.assert_unavailable(done, "E1").await;
    proxy.set(Mode::Swallow);
    arbiter.assert_unavailable(not_done, "E2").await;
    proxy.set(Mode::Cut);
    arbiter.assert_unavailable(not_done, "E2").await;
    proxy.set(Mode::Pass);
    arbiter.recovers(done, "E1").await;
    arbiter.recovers(not_done, "E2").await;
    assert_eq!(arbiter.events().await.len(), 3);
}

#[tokio::test]
async fn pitfall_17_an_address_that_swallows_packets() {
    let hole = Blackhole::start().await;
    let port = redis_port(&format!("redis://{}", hole.addr())).by(holdfast::Deadline::after(BUDGET));
    let begun = Instant::now();
    let show = holdfast_tests::loaded::small_show(1, 1);
    let answer = port.find_hold(&show.show_id, loaded::any_token()).await;
    assert!(matches!(answer, Err(Failure::Unavailable { .. })), "{answer:?}");
    assert!(begun.elapsed() < BUDGET + Duration::from_millis(500), "{:?}", begun.elapsed());
}

/// The process is frozen: the kernel still accepts connections for it.
#[tokio::test]
async fn pitfall_17_a_stopped_server() {
    let server = own_redis(&[]);
    let arbiter = Arbiter::open(&server.url(), &server.url()).await;
    arbiter.hold(loaded::any_token(), "E1").await.unwrap();
    server.signal("STOP");
    arbiter.assert_unavailable(loaded::any_token(), "E2").await;
    server.signal("CONT");
    arbiter.recovers(loaded::any_token(), "E3").await;
}

#[tokio::test]
async fn pitfall_17_a_server_that_is_gone() {
    let mut server = own_redis(&[]);
    let arbiter = Arbiter::open(&server.url(), &server.url()).await;
    arbiter.hold(loaded::any_token(), "E1").await.unwrap();
    server.kill();
    arbiter.assert_unavailable(loaded::any_token(), "E2").await;
}
