//! `close_zone.lua`

use holdfast::Touch;
use holdfast::adapters::redis::keys;
use holdfast::domain::show::Zone;
use holdfast::domain::{Close, Closing, Refusal};
use holdfast_tests::loaded::{self, once, small_show};
use redis::AsyncCommands;
use serde_json::json;

use crate::house::{House, ga, known, names, units};

fn closing(version: u64, mark: &str) -> Closing {
    Closing { version, mark: mark.to_owned() }
}

async fn close(house: &House, closing: &Closing, capacity: u32) -> Close {
    known(house.redis.close_zone(house.id(), closing, &Zone { id: ga(), capacity }).await)
}

#[tokio::test]
async fn codes_in_order_of_precedence() {
    let mut house = House::unloaded(small_show(6, 5)).await;
    let zone = Zone { id: ga(), capacity: 0 };
    let answer = house.redis.close_zone(house.id(), &closing(1, "ours"), &zone).await;
    assert!(matches!(answer, Ok(Touch::NotLoaded)), "{answer:?}");
    house.load().await;
    house.taker(3).await;
    house.apply(json!({}), None).await;
    for overtaken in [1, 2] {
        let answer = house.unchanged(async || close(&house, &closing(overtaken, "ours"), 4).await).await;
        assert_eq!(answer, Close::Busy);
    }
    assert_eq!(close(&house, &closing(3, "theirs"), 4).await, Close::Closed);
    assert_eq!(house.unchanged(async || close(&house, &closing(3, "ours"), 0).await).await, Close::Busy);
    let _: () = house.raw().hset(keys::show(house.id()), "closing", "1 dead").await.unwrap();
    let in_use = house.unchanged(async || close(&house, &closing(3, "ours"), 2).await).await;
    assert_eq!(in_use, Close::InUse(names(&["GA-1", "GA-2", "GA-3"])));
    assert_eq!(close(&house, &closing(3, "ours"), 3).await, Close::Closed);
}

#[tokio::test]
async fn the_same_call_twice_lowers_once() {
    let house = House::open().await;
    house.taker(1).await;
    for _ in 0..2 {
        assert_eq!(close(&house, &closing(2, "mark"), 3).await, Close::Closed);
        assert_eq!(house.count().await.capacity, 3);
        house.assert_zone_adds_up().await;
    }
}

#[tokio::test]
async fn held_and_sold_have_to_fit_and_what_lapsed_does_not() {
    let house = House::open().await;
    let (sold, places) = house.taker(1).await;
    house.sell(sold, &places).await;
    house.taker(1).await;
    house.late_taker(3).await;
    let in_use = house.unchanged(async || close(&house, &closing(2, "mark"), 1).await).await;
    let Close::InUse(mut units) = in_use else { panic!("{in_use:?}") };
    units.sort();
    assert_eq!(units, ["GA-1", "GA-2"]);
    assert_eq!(close(&house, &closing(2, "mark"), 2).await, Close::Closed);
    let token = loaded::any_token();
    let answer = house.redis.take_units(house.id(), &once(token), &ga(), 1, None, &Default::default()).await;
    assert!(matches!(answer, Ok(Touch::Closing { .. })), "not sold out before the show is applied: {answer:?}");
}

#[tokio::test]
async fn a_zone_goes_when_nobody_has_a_unit_of_it() {
    let mut house = House::open().await;
    let (token, places) = house.taker(1).await;
    assert!(matches!(close(&house, &closing(2, "mark"), 0).await, Close::InUse(_)));
    house.release(token, &places).await.unwrap();
    assert_eq!(close(&house, &closing(2, "mark"), 0).await, Close::Closed);
    house.apply(json!({"zones": []}), Some(&closing(2, "mark"))).await;
    assert_eq!(house.take(loaded::any_token(), 1).await.unwrap_err(), Refusal::ZoneNotFound);
    // Nothing of it is left that could mix with a zone of the same name.
    house.apply(json!({"zones": [{"id": "GA", "capacity": 2}]}), None).await;
    house.assert_zone_adds_up().await;
    assert_eq!(house.taker(2).await.1, units(&[1, 2]));
}
