//! `survey.lua`

use holdfast::Touch;
use holdfast::adapters::redis::keys;
use holdfast::domain::{Closing, Replacement};
use holdfast_tests::loaded::small_show;
use redis::AsyncCommands;
use serde_json::json;

use crate::house::{House, seats};

#[tokio::test]
async fn codes_in_order_of_precedence() {
    let house = House::unloaded(small_show(6, 5)).await;
    assert!(matches!(house.redis.survey_show(house.id()).await, Ok(Touch::NotLoaded)));
    house.load().await;
    let survey = house.unchanged(async || house.survey().await).await;
    assert_eq!((survey.version, survey.replacement, survey.seats, survey.live), (1, Replacement::None, 6, 0));
}

#[tokio::test]
async fn it_counts_what_is_live_and_what_is_being_confirmed() {
    let house = House::open().await;
    house.late_holder(&["E1"]).await;
    house.holder(&["E2", "E3"]).await;
    house.taker(2).await;
    assert_eq!(house.survey().await.live, 4);
    let pinned = house.holder(&["E4"]).await;
    house.pinned(pinned, &seats(&["E4"])).await;
    assert_eq!(house.survey().await.live, 6, "the place, and its token");
    // Its pin has lapsed, and it still has to be settled.
    let _: () = house.raw().zadd(keys::held(house.id()), "E4", 1).await.unwrap();
    assert_eq!(house.survey().await.live, 5);
    house.sell(pinned, &seats(&["E4"])).await;
    assert_eq!(house.survey().await.live, 4);
}

#[tokio::test]
async fn it_tells_of_a_replacement_and_of_one_that_was_given_up() {
    let mut house = House::open().await;
    let closing = Closing { version: 2, mark: "mark".to_owned() };
    house.close(&closing, &["E6"]).await;
    let survey = house.survey().await;
    assert_eq!((survey.replacement, survey.seats, survey.version), (Replacement::UnderWay, 5, 1));
    let _: () = house.raw().hset(keys::show(house.id()), "closing", "1 dead").await.unwrap();
    assert_eq!(house.survey().await.replacement, Replacement::GivenUp, "whoever closed it died");
    house.apply(json!({}), Some(&closing)).await;
    let survey = house.survey().await;
    assert_eq!((survey.replacement, survey.version), (Replacement::None, 2));
}

/// A new loading is told from the one before.
#[tokio::test]
async fn every_loading_has_an_epoch_of_its_own() {
    let house = House::open().await;
    let first = house.survey().await.epoch;
    assert_eq!(house.survey().await.epoch, first);
    let _: () = house.raw().del(keys::show(house.id())).await.unwrap();
    house.load().await;
    assert_ne!(house.survey().await.epoch, first);
}
