//! `apply_show.lua`

use holdfast::Touch;
use holdfast::adapters::redis::keys;
use holdfast::domain::{Closing, Refusal, ZoneCount, ZoneId};
use holdfast_tests::loaded::{self, small_show};
use redis::AsyncCommands;
use serde_json::json;

use crate::house::{House, changed, known};

#[tokio::test]
async fn codes_in_order_of_precedence() {
    let mut house = House::unloaded(small_show(6, 5)).await;
    let answer = house.redis.apply_show(&house.show, &[], None).await;
    assert!(matches!(answer, Ok(Touch::NotLoaded)), "{answer:?}");
    house.load().await;
    house.apply(json!({}), None).await;
    let theirs = Closing { version: 3, mark: "theirs".to_owned() };
    house.close(&theirs, &["E1"]).await;
    // Overtaken, and somebody else is replacing the show: there is nothing to wait for.
    let stale = changed(&house.show, &json!({"version": 1, "lateConfirm": "refuse"}));
    let answer = house.unchanged(async || house.redis.apply_show(&stale, &[], None).await).await;
    assert!(matches!(answer, Ok(Touch::Known(()))), "{answer:?}");
    let ours = Closing { version: 3, mark: "ours".to_owned() };
    for mark in [None, Some(&ours)] {
        let answer = house.unchanged(async || house.redis.apply_show(&house.show, &[], mark).await).await;
        assert!(matches!(answer, Ok(Touch::Closing { left_ms: 1..=10_000 })), "{answer:?}");
    }
    house.apply(json!({}), Some(&theirs)).await;
    assert_eq!(mark(&house).await, None);
}

async fn mark(house: &House) -> Option<String> {
    house.raw().hget(keys::show(house.id()), "closing").await.unwrap()
}

#[tokio::test]
async fn the_same_call_twice_applies_once() {
    let house = House::open().await;
    house.taker(2).await;
    let next = changed(&house.show, &json!({"version": 2, "zones": [{"id": "GA", "capacity": 7}]}));
    house.twice(async || known(house.redis.apply_show(&next, &[], None).await)).await;
    assert_eq!(house.count().await, ZoneCount { capacity: 7, held: 2, sold: 0 });
    house.assert_zone_adds_up().await;
}

/// Whoever closed a seat died before the record changed: the record says what the show is, and the seat is back.
#[tokio::test]
async fn a_stale_mark_heals() {
    let house = House::open().await;
    let dead = Closing { version: 2, mark: "dead".to_owned() };
    house.close(&dead, &["E6"]).await;
    let answer = house.redis.apply_show(&house.show, &["E6".to_owned()], None).await;
    assert!(matches!(answer, Ok(Touch::Closing { .. })), "its time is not over: {answer:?}");
    let _: () = house.raw().hset(keys::show(house.id()), "closing", "1 dead").await.unwrap();
    known(house.redis.apply_show(&house.show, &["E6".to_owned()], None).await);
    house.holder(&["E6"]).await;
    assert_eq!(mark(&house).await, None);
}

#[tokio::test]
async fn policy_and_zones_are_those_of_the_version() {
    let mut house = House::open().await;
    let changes = json!({
        "zones": [{"id": "VIP", "capacity": 2}], "limits": {"maxPlacesPerHold": 1}, "lateConfirm": "refuse",
        "hold": {"defaultTtlSeconds": 5, "maxTtlSeconds": 10, "maxLifetimeSeconds": 20},
    });
    house.apply(changes, None).await;
    assert_eq!(house.take(loaded::any_token(), 1).await.unwrap_err(), Refusal::ZoneNotFound);
    let vip = known(house.redis.count_zone(house.id(), &ZoneId::parse("VIP").unwrap()).await);
    assert_eq!(vip, Some(ZoneCount { capacity: 2, held: 0, sold: 0 }));
    let too_many = house.hold(loaded::any_token(), &["E1", "E2"]).await.unwrap_err();
    assert_eq!(too_many, Refusal::LimitExceeded { limit: 1, current: 2 });
    assert_eq!(house.hold(loaded::any_token(), &["E1"]).await.unwrap().lease.expires_in_ms, 5_000);
    let too_long = house.hold_for(loaded::any_token(), &["E2"], 10_001).await.unwrap_err();
    assert_eq!(too_long, Refusal::TtlTooLong { max_ttl_ms: 10_000 });
}
