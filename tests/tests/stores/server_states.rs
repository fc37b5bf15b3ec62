//! States of a Redis: scripts forgotten, a replica, busy, loading.

use std::time::{Duration, Instant};

use holdfast::domain::payment::Payments;
use holdfast::domain::{BookingId, Claim, Ending, Freed, HoldState, HoldToken, Sold, ZoneId};
use holdfast_tests::loaded;
use holdfast_tests::proxy::Proxy;
use holdfast_tests::raw;
use holdfast_tests::servers::own_redis;

use crate::arbiter::{Arbiter, seat};

/// The next call of each kind works, and is applied once.
#[tokio::test]
async fn pitfall_14_scripts_that_were_flushed_are_sent_again() {
    let server = own_redis(&[]);
    let arbiter = Arbiter::open(&server.url(), &server.url()).await;
    let (show, port) = (&arbiter.show, arbiter.port());
    let (sold, refused, released) = (loaded::any_token(), loaded::any_token(), loaded::any_token());
    let flush = async || arbiter.command(&["SCRIPT", "FLUSH"]).await;

    flush().await;
    for (token, id) in [(sold, "E1"), (refused, "E2"), (released, "E3")] {
        arbiter.hold(token, id).await.unwrap();
    }
    flush().await;
    assert_eq!(arbiter.take(loaded::any_token(), 2).await.unwrap().remaining, 3);
    flush().await;
    port.find_hold(show, sold).await.unwrap();
    flush().await;
    port.extend_hold(show, sold, &seat("E1"), 60_000).await.unwrap();
    flush().await;
    port.pin_hold(show, sold, &seat("E1"), &Claim::default(), None).await.unwrap();
    flush().await;
    let buyer = BookingId::of(show, sold);
    let ending = Ending::Confirmed(buyer);
    let marked = Sold { buyer, version: 1, places: &seat("E1"), count: 1, ending, recorded: &Payments::NONE };
    port.mark_sold(show, sold, marked).await.unwrap();
    flush().await;
    let booking = BookingId::of(show, refused);
    let freed =
        Freed { booking, version: 1, places: &seat("E2"), ending: Ending::Refused(booking), recorded: &Payments::NONE };
    port.free_places(show, refused, freed).await.unwrap();
    flush().await;
    port.release_hold(show, released, &seat("E3")).await.unwrap();
    flush().await;
    port.count_zone(show, &ZoneId::parse("GA").unwrap()).await.unwrap();

    let events = arbiter.events().await;
    let whats: Vec<&str> = events.iter().map(|(what, _)| what.as_str()).collect();
    assert_eq!(whats, ["held", "held", "held", "held", "extended", "extended", "sold", "freed", "released"]);
}

/// While it does not know the script, one more round trip; then one again.
#[tokio::test]
async fn pitfall_14_only_the_first_call_sends_the_script_itself() {
    let server = own_redis(&[]);
    let arbiter = Arbiter::open(&server.url(), &server.url()).await;
    arbiter.command(&["SCRIPT", "FLUSH"]).await;
    let mark = server.monitor().mark();
    arbiter.hold(loaded::any_token(), "E1").await.unwrap();
    arbiter.hold(loaded::any_token(), "E2").await.unwrap();
    let names: Vec<String> = server.monitor().seen_since(mark).into_iter().map(|seen| seen.name).collect();
    assert_eq!(names, ["EVALSHA", "EVAL", "EVALSHA"]);
}

/// The primary became a replica: the connection is given up, so that the next one finds the new primary.
#[tokio::test]
async fn pitfall_14_a_primary_that_became_a_replica() {
    let server = own_redis(&[]);
    let proxy = Proxy::redis(server.addr()).await;
    let arbiter = Arbiter::open(&server.url(), &proxy.url()).await;
    let token = loaded::any_token();
    arbiter.hold(token, "E1").await.unwrap();
    assert_eq!(proxy.connections(), 1);
    // Of a primary that nobody can reach: it keeps what it has, and takes no writes.
    arbiter.command(&["REPLICAOF", "127.0.0.1", "1"]).await;
    arbiter.assert_unavailable(loaded::any_token(), "E2").await;
    assert!(proxy.connections() > 1, "READONLY is a dead connection");
    // What flags its writes is refused before it runs, and in the same way.
    let released = arbiter.port().release_hold(&arbiter.show, token, &seat("E1")).await;
    assert!(matches!(released, Err(holdfast::Failure::Unavailable { .. })), "{released:?}");
    arbiter.command(&["REPLICAOF", "NO", "ONE"]).await;
    arbiter.recovers(loaded::any_token(), "E2").await;
    assert_eq!(arbiter.hold(token, "E1").await.unwrap().state, HoldState::Active);
}

#[tokio::test]
async fn pitfall_32_a_script_that_runs_for_ever() {
    let server = own_redis(&["--lua-time-limit", "20"]);
    let arbiter = Arbiter::open(&server.url(), &server.url()).await;
    let token = loaded::any_token();
    arbiter.hold(token, "E1").await.unwrap();
    let mut stuck = raw::redis(&server.url()).await;
    let running = tokio::spawn(async move {
        redis::cmd("EVAL").arg("while true do end").arg(0).query_async::<redis::Value>(&mut stuck).await
    });
    until_refused(&arbiter, token, "E1").await;
    arbiter.assert_unavailable(loaded::any_token(), "E2").await;
    arbiter.command(&["SCRIPT", "KILL"]).await;
    assert!(running.await.unwrap().is_err());
    arbiter.recovers(loaded::any_token(), "E2").await;
    assert_eq!(arbiter.events().await.len(), 2, "what was refused did nothing");
}

/// Never "free", "taken" or "expired": what a server has that still loads its data is not known.
#[tokio::test]
async fn pitfall_32_a_server_that_loads_its_data() {
    let server = own_redis(&["--enable-debug-command", "yes", "--loading-process-events-interval-bytes", "1024"]);
    let arbiter = Arbiter::open(&server.url(), &server.url()).await;
    let token = loaded::any_token();
    arbiter.hold(token, "E1").await.unwrap();
    let mut pipe = redis::pipe();
    for n in 0..100 {
        pipe.set(format!("ballast:{{show:{}}}:{n}", arbiter.show), "x".repeat(2_000));
    }
    let _: () = pipe.query_async(&mut arbiter.raw.clone()).await.unwrap();
    // Each key takes 20 ms to load.
    arbiter.command(&["CONFIG", "SET", "key-load-delay", "20000"]).await;
    let mut loading = raw::redis(&server.url()).await;
    let reload =
        tokio::spawn(async move { redis::cmd("DEBUG").arg("RELOAD").query_async::<redis::Value>(&mut loading).await });
    until_refused(&arbiter, token, "E1").await;
    reload.await.unwrap().unwrap();
    assert_eq!(arbiter.recovers(token, "E1").await.state, HoldState::Active);
    arbiter.recovers(loaded::any_token(), "E2").await;
}

/// Repeats a hold, which changes nothing, until the answer is "not known": the state that the test wants has come.
async fn until_refused(arbiter: &Arbiter, token: HoldToken, id: &str) {
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        match arbiter.hold(token, id).await {
            Ok(held) => assert_eq!(held.state, HoldState::Active),
            Err(holdfast::Failure::Unavailable { .. }) => return,
            Err(other) => panic!("{other:?}"),
        }
        assert!(Instant::now() < deadline, "it goes on answering");
    }
}
