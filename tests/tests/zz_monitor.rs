//! Drives every script into granting and into refusing, and lets MONITOR judge that it did, and what it touched.
//!
//! The name puts it last: by then the other test binaries have left what their servers saw in the monitor's folder.

use std::collections::BTreeSet;

use holdfast::Touch;
use holdfast::adapters::redis::{Redis, keys, scripts};
use holdfast::domain::payment::Payments;
use holdfast::domain::show::{Show, Zone};
use holdfast::domain::{
    BookingId, Buyer, Chunk, Claim, Closing, Freed, HoldState, LoadLease, Places, Request, ShowId, Sold, Turn, ZoneId,
};
use holdfast_tests::loaded::{self, once, redis_port, seats, small_show, version_of};
use holdfast_tests::monitor::Ending;
use holdfast_tests::monitor::coverage::gathered;
use holdfast_tests::monitor::exceptions::is_unreachable;
use holdfast_tests::poll::until;
use holdfast_tests::{raw, servers};
use redis::AsyncCommands;

fn names(ids: &[&str]) -> Vec<String> {
    ids.iter().map(|id| (*id).to_owned()).collect()
}

/// Loads the show; each step of it is refused to a stranger, or when it is done.
async fn load_and_refuse(redis: &Redis, show: &Show) {
    let id = &show.show_id;
    let Turn::Mine(lease) = redis.begin_load(id, show.version).await.unwrap() else { panic!("the lease is free") };
    let stranger = LoadLease { owner: "stranger".to_owned(), ..lease.clone() };
    let seats = Chunk::Seats(names(&["E1", "E2", "E3", "E4", "E5"]));
    redis.put_chunk(id, &lease, 1, &seats).await.unwrap();
    redis.put_chunk(id, &stranger, 2, &seats).await.unwrap();
    redis.finish_load(show, &stranger).await.unwrap();
    redis.finish_load(show, &lease).await.unwrap();
    redis.begin_load(id, show.version).await.unwrap();
}

/// Holds, extends and releases; each once with success and once without.
async fn hold(redis: &Redis, id: &ShowId) {
    let (buyer, token) = (Buyer::default(), loaded::any_token());
    let places = Places::Seats(seats(&["E1", "E2"]));
    redis.hold_seats(id, &once(token), &seats(&["E1", "E2"]), None, &buyer).await.unwrap();
    redis.hold_seats(id, &Request::once(loaded::any_token()), &seats(&["E2", "E3"]), None, &buyer).await.unwrap();
    redis.find_hold(id, token).await.unwrap();
    redis.extend_hold(id, token, &places, 60_000).await.unwrap();
    redis.release_hold(id, token, &places).await.unwrap();
    redis.release_hold(id, token, &places).await.unwrap();
    redis.extend_hold(id, token, &places, 60_000).await.unwrap();
}

/// Takes the units of a zone until there are none.
async fn decrement(redis: &Redis, id: &ShowId) {
    let zone = ZoneId::parse("GA").unwrap();
    redis.take_units(id, &Request::once(loaded::any_token()), &zone, 2, None, &Buyer::default()).await.unwrap();
    redis.take_units(id, &Request::once(loaded::any_token()), &zone, 10, None, &Buyer::default()).await.unwrap();
    redis.count_zone(id, &zone).await.unwrap();
}

/// Pins and sells a hold, and refuses another; what comes again changes nothing.
async fn settle(redis: &Redis, id: &ShowId) {
    let (sold, refused, claim) = (loaded::any_token(), loaded::any_token(), Claim::default());
    let (e1, e2) = (Places::Seats(seats(&["E1"])), Places::Seats(seats(&["E2"])));
    redis.hold_seats(id, &once(sold), &seats(&["E1"]), None, &Buyer::default()).await.unwrap();
    redis.hold_seats(id, &once(refused), &seats(&["E2"]), None, &Buyer::default()).await.unwrap();
    redis.pin_hold(id, sold, &e1, &claim, None).await.unwrap();
    redis.pin_hold(id, loaded::any_token(), &e1, &claim, None).await.unwrap();
    for version in [2, 1] {
        let (buyer, refusal) = (BookingId::of(id, sold), BookingId::of(id, refused));
        let places = Sold {
            buyer,
            version: 1,
            places: &e1,
            count: 1,
            ending: holdfast::domain::Ending::Confirmed(buyer),
            recorded: &Payments::NONE,
        };
        redis.mark_sold(id, sold, places).await.unwrap();
        let freed = Freed {
            booking: refusal,
            version,
            places: &e2,
            ending: holdfast::domain::Ending::Refused(refusal),
            recorded: &Payments::NONE,
        };
        redis.free_places(id, refused, freed).await.unwrap();
    }
}

/// Replaces the show: a seat in use stays, a free one goes.
async fn replace(redis: &Redis, id: &ShowId) {
    let zone = |capacity| Zone { id: ZoneId::parse("GA").unwrap(), capacity };
    let closing = Closing { version: 2, mark: "one".to_owned() };
    redis.close_seats(id, &closing, &names(&["E1"])).await.unwrap();
    redis.close_seats(id, &closing, &names(&["E5"])).await.unwrap();
    redis.close_zone(id, &closing, &zone(1)).await.unwrap();
    redis.close_zone(id, &closing, &zone(3)).await.unwrap();
    redis.apply_show(&version_of(id, 2, 4, 3), &names(&["E6"]), Some(&closing)).await.unwrap();
    redis.apply_show(&version_of(id, 1, 5, 5), &names(&["E5"]), None).await.unwrap();
    redis.apply_show(&version_of(id, 1, 5, 5), &[], None).await.unwrap();
}

/// Looks through the show as a reconcile does, tidies up what there is, and finds nothing more. Takes the show out in the
/// end: at first somebody has something of it.
async fn reconcile(url: &str, redis: &Redis, show: &Show) {
    let (id, zone) = (&show.show_id, ZoneId::parse("GA").unwrap());
    let lapsed = loaded::any_token();
    redis.hold_seats(id, &once(lapsed), &seats(&["E3"]), Some(1), &Buyer::default()).await.unwrap();
    until("the hold lapses", || async {
        let found = redis.find_hold(id, lapsed).await.unwrap();
        matches!(found, Touch::Known(Some(hold)) if hold.state == HoldState::Expired).then_some(())
    })
    .await;
    redis.survey_show(id).await.unwrap();
    redis.list_pinned(id, 0, 10).await.unwrap();
    redis.compare_places(id, &Places::Seats(seats(&["E1", "E2", "E3"]))).await.unwrap();
    redis.scan_places(id, None, None).await.unwrap();
    for _ in 0..2 {
        redis.expire_holds(id, None, false).await.unwrap();
    }
    let Touch::Known(events) = redis.read_events(id, "0-0", 1_000).await.unwrap() else { panic!("it is loaded") };
    let last = &events.events.last().unwrap().id;
    redis.unload_show(show, "another epoch", last).await.unwrap();
    redis.unload_show(show, &events.epoch, last).await.unwrap();
    // What a torn replica may have: a unit that is held until some day, by nobody.
    load_and_refuse(redis, show).await;
    let mut raw = raw::redis(url).await;
    let _: () = raw.zadd(keys::stock_held(id, &zone), 1, 1).await.unwrap();
    for _ in 0..2 {
        redis.recount_units(id, &zone, 1, 5, false).await.unwrap();
    }
}

#[tokio::test]
async fn every_script_is_seen_to_grant_and_to_refuse() {
    let server = servers::own_redis(&[]);
    let redis = redis_port(&server.url());
    let show = small_show(5, 5);

    load_and_refuse(&redis, &show).await;
    hold(&redis, &show.show_id).await;
    decrement(&redis, &show.show_id).await;
    settle(&redis, &show.show_id).await;
    replace(&redis, &show.show_id).await;
    let other = small_show(5, 5);
    load_and_refuse(&redis, &other).await;
    reconcile(&server.url(), &redis, &other).await;

    let here = server.monitor().coverage();
    let elsewhere = gathered();
    let all = scripts::all().into_iter().flat_map(|script| Ending::BOTH.map(|ending| (script.name, ending)));
    let wanted: BTreeSet<_> = all.filter(|(name, ending)| !is_unreachable(name, *ending)).collect();
    let missing: Vec<_> = wanted.difference(&here).collect();
    let only_elsewhere: Vec<_> =
        missing.iter().filter(|(name, ending)| elsewhere.contains(&((*name).to_owned(), *ending))).collect();
    assert!(missing.is_empty(), "never seen here: {missing:?}; of these in other tests: {only_elsewhere:?}");
    // And an exception that is none any more has to go.
    let needless: Vec<_> = here.difference(&wanted).collect();
    assert!(needless.is_empty(), "excepted, and seen all the same: {needless:?}");
}
