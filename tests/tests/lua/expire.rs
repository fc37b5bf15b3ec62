//! `expire.lua`

use std::sync::Arc;

use holdfast::Touch;
use holdfast::adapters::redis::keys;
use holdfast::domain::{Buyer, Chunk, HoldState, Request, SeatId, Turn};
use holdfast_tests::loaded::{self, small_show};
use holdfast_tests::servers::own_redis;
use redis::AsyncCommands;
use tokio::task::JoinSet;

use crate::house::{House, ga, known, seats, until};

#[tokio::test]
async fn codes_in_order_of_precedence() {
    let house = House::unloaded(small_show(6, 5)).await;
    let ga = ga();
    for zone in [None, Some(&ga)] {
        for dry_run in [true, false] {
            let expire = house.redis.expire_holds(house.id(), zone, dry_run).await;
            assert!(matches!(expire, Ok(Touch::NotLoaded)), "{expire:?}");
        }
    }
    house.load().await;
    house.holder(&["E1"]).await;
    house.taker(1).await;
    for zone in [None, Some(&ga)] {
        assert_eq!(house.unchanged(async || house.expire(zone, false).await).await, 0, "both are live");
    }
}

#[tokio::test]
async fn lapsed_seats_leave_the_index_once_and_it_is_told() {
    let house = House::open().await;
    let late = house.late_holder(&["E1", "E2"]).await;
    let live = house.holder(&["E3"]).await;
    assert_eq!(house.unchanged(async || house.expire(None, true).await).await, 2);
    assert_eq!(house.expire(None, false).await, 2);
    assert_eq!((house.indexed("E1").await, house.indexed("E2").await), (None, None));
    assert_eq!(house.events().await.last(), Some(&("expired".to_owned(), "E1 E2".to_owned())));
    assert_eq!((house.state(late).await, house.state(live).await), (HoldState::Expired, HoldState::Active));
    assert!(house.indexed("E3").await.is_some());
    assert_eq!(house.unchanged(async || house.expire(None, false).await).await, 0);
    house.holder(&["E1", "E2"]).await;
}

#[tokio::test]
async fn lapsed_units_go_back_to_their_zone_once_and_it_is_told() {
    let house = House::open().await;
    let (ga, (live, _), (late, _)) = (ga(), house.taker(1).await, house.late_taker(2).await);
    assert_eq!(house.unchanged(async || house.expire(Some(&ga), true).await).await, 2);
    assert_eq!(house.expire(Some(&ga), false).await, 2);
    let stock: i64 = house.raw().get(keys::stock(house.id(), &ga)).await.unwrap();
    assert_eq!(stock, 4);
    house.assert_zone_adds_up().await;
    assert_eq!(house.indexed("GA-2").await, None);
    assert_eq!(house.events().await.last(), Some(&("expired".to_owned(), "GA-2 GA-3".to_owned())));
    assert_eq!((house.state(late).await, house.state(live).await), (HoldState::Expired, HoldState::Active));
    assert_eq!(house.unchanged(async || house.expire(Some(&ga), false).await).await, 0);
}

/// The index has units, too: each is counted by its zone, once, and none is lost.
#[tokio::test]
async fn seats_and_units_are_tidied_each_by_their_own() {
    let ga = ga();
    for units_first in [true, false] {
        let house = House::open().await;
        house.late_holder(&["E1"]).await;
        house.late_taker(2).await;
        let mut order = [(None, 1), (Some(&ga), 2)];
        if units_first {
            order.reverse();
        }
        for (zone, wanted) in order {
            assert_eq!(house.unchanged(async || house.expire(zone, true).await).await, wanted);
        }
        for (zone, wanted) in order {
            assert_eq!(house.expire(zone, false).await, wanted);
        }
        house.assert_zone_adds_up().await;
        assert_eq!((house.indexed("E1").await, house.indexed("GA-1").await), (None, None));
        let expired = house.events().await.into_iter().filter(|(what, _)| what == "expired");
        let mut expired: Vec<String> = expired.map(|(_, places)| places).collect();
        expired.sort();
        assert_eq!(expired, ["E1", "GA-1 GA-2"]);
    }
}

/// It was taken again since: its deadline lies ahead.
#[tokio::test]
async fn a_seat_that_has_a_new_owner_stays() {
    let house = House::open().await;
    house.late_holder(&["E1"]).await;
    let next = house.holder(&["E1"]).await;
    assert_eq!(house.unchanged(async || house.expire(None, false).await).await, 0);
    assert_eq!(house.lock("E1").await.0, Some(next.to_string()));
}

/// So many that one call would hold up everybody else: it takes them in parts. Nobody tells it that keys have lapsed.
#[tokio::test]
async fn pitfall_27b_20_000_lapsed_holds_are_tidied_away() {
    const HOLDS: u32 = 20_000;
    let server = own_redis(&[]);
    let house = House::at(&server.url(), small_show(HOLDS, 5)).await;
    let notices: Vec<String> =
        redis::cmd("CONFIG").arg(&["GET", "notify-keyspace-events"]).query_async(&mut house.raw()).await.unwrap();
    assert_eq!(notices[1], "", "keyspace notices are off");
    let Turn::Mine(lease) = house.redis.begin_load(house.id(), 1).await.unwrap() else { panic!("nobody loads") };
    let ids: Vec<String> = house.show.seats().collect();
    for (step, chunk) in (1..).zip(ids.chunks(1_900)) {
        house.redis.put_chunk(house.id(), &lease, step, &Chunk::Seats(chunk.to_vec())).await.unwrap();
    }
    house.redis.finish_load(&house.show, &lease).await.unwrap();

    let (ids, mut callers) = (Arc::new(ids), JoinSet::new());
    for caller in 0..50 {
        let (redis, show, ids) = (house.redis.clone(), house.id().clone(), Arc::clone(&ids));
        callers.spawn(async move {
            for id in ids.iter().skip(caller).step_by(50) {
                let seat = [SeatId::parse(id).unwrap()];
                let held = redis
                    .hold_seats(&show, &Request::once(loaded::any_token()), &seat, Some(500), &Buyer::default())
                    .await;
                known(held).unwrap();
            }
        });
    }
    callers.join_all().await;
    let all = u64::from(HOLDS);
    until("they lapse", async || (house.expire(None, true).await == all).then_some(())).await;
    let live = house.holder(&["E1"]).await;
    let mark = server.monitor().mark();
    assert_eq!(house.expire(None, false).await, all - 1, "E1 has a new owner");
    let calls = server.monitor().count_since(mark);
    assert!(calls >= 40, "{calls} calls for {all} holds");
    let left: Vec<String> = house.raw().zrange(keys::held(house.id()), 0, -1).await.unwrap();
    assert_eq!(left, ["E1"]);
    assert_eq!(house.lock("E1").await.0, Some(live.to_string()));
    assert_eq!(house.expire(None, true).await, 0);
    let expired = house.events().await.into_iter().filter(|(what, _)| what == "expired");
    let expired: Vec<String> = expired.flat_map(|(_, seats)| names(&seats)).collect();
    assert_eq!(expired.len() as u64, all - 1);
    house.holder(&["E2", "E20000"]).await;
    assert_eq!(house.state(live).await, HoldState::Active);
    house.release(live, &seats(&["E1"])).await.unwrap();
    server.monitor().check_violations();
}

fn names(places: &str) -> Vec<String> {
    places.split(' ').map(str::to_owned).collect()
}
