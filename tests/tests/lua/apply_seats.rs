//! `apply_seats.lua`

use holdfast::Touch;
use holdfast::adapters::redis::{keys, scripts};
use holdfast::domain::Closing;
use holdfast_tests::loaded::{self, small_show};
use redis::{AsyncCommands, Value};

use crate::house::{House, changed, known, names, seats};

/// Adds E6 and E7, for this version; `mark` is the replacement that it belongs to. Answers the code.
async fn apply(house: &House, version: &str, mark: &str) -> Value {
    let keys = [keys::show(house.id()), keys::seats(house.id())];
    house.run(&scripts::APPLY_SEATS, &keys, &[version, mark, "E6", "E7"]).await.remove(0)
}

#[tokio::test]
async fn codes_in_order_of_precedence() {
    let mut house = House::unloaded(small_show(6, 5)).await;
    assert_eq!(apply(&house, "1", "").await, Value::Int(-2));
    house.load().await;
    house.apply(serde_json::json!({}), None).await;
    house.close(&Closing { version: 3, mark: "theirs".to_owned() }, &["E1"]).await;
    // Overtaken, and somebody else is replacing the show.
    assert_eq!(house.unchanged(async || apply(&house, "1", "").await).await, Value::Int(-17));
    for mark in ["", "ours"] {
        assert_eq!(house.unchanged(async || apply(&house, "2", mark).await).await, Value::Int(-15));
    }
    assert_eq!(apply(&house, "3", "theirs").await, Value::Int(0));
    // Whoever meets a mark whose time is over applies the record.
    let _: () = house.raw().hset(keys::show(house.id()), "closing", "1 dead").await.unwrap();
    assert_eq!(apply(&house, "2", "").await, Value::Int(0));
}

#[tokio::test]
async fn seats_come_once_and_those_that_are_there_stay_as_they_are() {
    let house = House::open().await;
    let winner = house.holder(&["E6"]).await;
    let booking = house.sell(winner, &seats(&["E6"])).await;
    house.twice(async || apply(&house, "2", "").await).await;
    assert_eq!(house.seats().await["E6"], booking.to_string());
    assert_eq!(house.seats().await["E7"], "");
    house.holder(&["E7"]).await;
}

/// The last step of a PUT that was overtaken: the newer version took its seats away again.
#[tokio::test]
async fn an_overtaken_put_adds_nothing() {
    let mut house = House::open().await;
    house.apply(serde_json::json!({}), None).await;
    let overtaken = changed(&house.show, &serde_json::json!({"version": 1}));
    let late = async || known(house.redis.apply_show(&overtaken, &names(&["E7"]), None).await);
    house.unchanged(late).await;
    let refusal = house.hold(loaded::any_token(), &["E7"]).await.unwrap_err();
    assert_eq!(refusal, holdfast::domain::Refusal::UnknownSeat { seats: names(&["E7"]) });
}

#[tokio::test]
async fn what_is_left_of_anothers_mark_is_told() {
    let house = House::open().await;
    house.close(&Closing { version: 2, mark: "theirs".to_owned() }, &["E1"]).await;
    let answer = house.redis.apply_show(&house.show, &names(&["E1"]), None).await;
    assert!(matches!(answer, Ok(Touch::Closing { left_ms: 1..=10_000 })), "{answer:?}");
}
