//! `unload.lua`

use holdfast::Touch;
use holdfast::adapters::redis::{keys, scripts};
use holdfast::domain::Unloaded;
use holdfast_tests::loaded::{self, small_show};
use redis::Value;
use serde_json::json;

use crate::house::{House, ga, seats};

/// What the script answers by itself: its caller tells `STALE` and `IN_USE` not apart.
async fn code(house: &House, epoch: &str, last: &str) -> i64 {
    let id = house.id();
    let mut all = vec![keys::show(id), keys::seats(id), keys::held(id), keys::confirming(id), keys::events(id)];
    all.extend(keys::units(id, &ga()));
    match house.run(&scripts::UNLOAD, &all, &[epoch, last]).await.as_slice() {
        [Value::Int(code)] => *code,
        other => panic!("{other:?}"),
    }
}

/// The id of the last event.
async fn last(house: &House) -> String {
    house.events_after("0-0", 1_000).await.events.pop().map_or_else(|| "0-0".to_owned(), |event| event.id)
}

#[tokio::test]
async fn codes_in_order_of_precedence() {
    let house = House::unloaded(small_show(6, 5)).await;
    assert_eq!(code(&house, "epoch", "0-0").await, -2);
    let unknown = house.redis.unload_show(&house.show, "epoch", "0-0").await;
    assert!(matches!(unknown, Ok(Touch::NotLoaded)), "{unknown:?}");
    house.load().await;
    // Another loading, events that nobody read, a live hold, and one that is being confirmed: all at once, and one by one.
    let epoch = house.survey().await.epoch;
    let before = last(&house).await;
    let (pinned, e2) = (house.holder(&["E2"]).await, seats(&["E2"]));
    house.pinned(pinned, &e2).await;
    let (held, e1) = (house.holder(&["E1"]).await, seats(&["E1"]));
    let refused = async |epoch: &str, last: &str| house.unchanged(async || code(&house, epoch, last).await).await;
    assert_eq!(refused("another", &last(&house).await).await, -17);
    assert_eq!(refused(&epoch, &before).await, -17);
    assert_eq!(refused(&epoch, &last(&house).await).await, -16);
    house.release(held, &e1).await.unwrap();
    assert_eq!(refused(&epoch, &last(&house).await).await, -16);
    // Its pin lapsed: reconcile still has to settle it.
    let _: () = redis::AsyncCommands::zadd(&mut house.raw(), keys::held(house.id()), "E2", 1).await.unwrap();
    assert_eq!(refused(&epoch, &last(&house).await).await, -16);
    house.sell(pinned, &e2).await;
    assert_eq!(refused(&epoch, &before).await, -17);
    assert_eq!(code(&house, &epoch, &last(&house).await).await, 0);
    assert_eq!(code(&house, &epoch, "0-0").await, -2);
}

/// What stays are the records that answer repeats, each with its end.
#[tokio::test]
async fn everything_goes_but_records_that_end() {
    let zones = json!([{"id": "GA", "capacity": 5}, {"id": "VIP", "capacity": 5}]);
    let house = House::with(json!({"zones": zones})).await;
    let (late, buyer) = (house.late_holder(&["E1"]).await, house.holder(&["E2"]).await);
    let booking = house.sell(buyer, &seats(&["E2"])).await;
    let (taker, units) = house.taker(2).await;
    house.sell(taker, &units).await;
    house.late_taker(1).await;
    let epoch = house.survey().await.epoch;
    assert_eq!(house.unload(&epoch, &last(&house).await).await, Unloaded::Done);
    let left = house.dump().await;
    for (key, content) in &left {
        assert!(key.starts_with("hold:") || key.starts_with("booking:"), "{key} is still there");
        assert!(!content.ends_with("until -1"), "{key} never ends: {content}");
    }
    assert!(left.contains_key(&keys::hold(house.id(), late)));
    assert!(left.contains_key(&keys::booking(house.id(), booking)));
    // A touch loads it again, under another epoch.
    house.load().await;
    assert_ne!(house.survey().await.epoch, epoch);
    house.holder(&["E1"]).await;
    house.hold(loaded::any_token(), &["E3"]).await.unwrap();
}

#[tokio::test]
async fn the_port_tells_a_show_in_use_from_one_that_went() {
    let house = House::open().await;
    let epoch = house.survey().await.epoch;
    let token = house.holder(&["E1"]).await;
    assert_eq!(house.unload(&epoch, &last(&house).await).await, Unloaded::InUse);
    assert_eq!(house.unload("another", "0-0").await, Unloaded::InUse);
    house.release(token, &seats(&["E1"])).await.unwrap();
    assert_eq!(house.unload(&epoch, &last(&house).await).await, Unloaded::Done);
    let gone = house.redis.unload_show(&house.show, &epoch, "0-0").await;
    assert!(matches!(gone, Ok(Touch::NotLoaded)), "{gone:?}");
}
