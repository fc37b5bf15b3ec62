//! `close_seats.lua`

use holdfast::Touch;
use holdfast::adapters::redis::keys;
use holdfast::domain::{Close, Closing};
use holdfast_tests::loaded::{self, once, small_show};
use redis::AsyncCommands;
use serde_json::json;

use crate::house::{House, names, seats};

fn closing(version: u64, mark: &str) -> Closing {
    Closing { version, mark: mark.to_owned() }
}

/// Whoever set the mark died: its time is over.
async fn outlive_mark(house: &House) {
    let _: () = house.raw().hset(keys::show(house.id()), "closing", "1 dead").await.unwrap();
}

#[tokio::test]
async fn codes_in_order_of_precedence() {
    let mut house = House::unloaded(small_show(6, 5)).await;
    let ours = closing(3, "ours");
    let close = house.redis.close_seats(house.id(), &closing(1, "ours"), &names(&["E1"])).await;
    assert!(matches!(close, Ok(Touch::NotLoaded)), "{close:?}");
    house.load().await;
    house.holder(&["E1"]).await;
    house.apply(json!({}), None).await;
    // Overtaken, though nothing else is in the way; and then by somebody's mark, though the seat is in use.
    let close = house.unchanged(async || house.close(&closing(1, "ours"), &["E2"]).await).await;
    assert_eq!(close, Close::Busy);
    assert_eq!(house.close(&closing(3, "theirs"), &["E6"]).await, Close::Closed);
    assert_eq!(house.unchanged(async || house.close(&ours, &["E1", "E2"]).await).await, Close::Busy);
    outlive_mark(&house).await;
    let in_use = house.unchanged(async || house.close(&ours, &["E2", "E1"]).await).await;
    assert_eq!(in_use, Close::InUse(names(&["E1"])));
    assert_eq!(house.close(&ours, &["E2"]).await, Close::Closed);
}

#[tokio::test]
async fn the_same_call_twice_closes_once() {
    let house = House::open().await;
    for _ in 0..2 {
        assert_eq!(house.close(&closing(2, "mark"), &["E5", "E6"]).await, Close::Closed);
        assert_eq!(house.seats().await.into_keys().collect::<Vec<_>>(), ["E1", "E2", "E3", "E4"]);
    }
    // The next chunk of the same replacement.
    assert_eq!(house.close(&closing(2, "mark"), &["E4"]).await, Close::Closed);
}

#[tokio::test]
async fn all_or_none_and_what_is_held_or_sold_is_named() {
    let house = House::open().await;
    let winner = house.holder(&["E2"]).await;
    house.sell(winner, &seats(&["E2"])).await;
    house.holder(&["E4"]).await;
    let confirming = house.holder(&["E5"]).await;
    house.pinned(confirming, &seats(&["E5"])).await;
    house.late_holder(&["E6"]).await;
    let all = ["E1", "E2", "E3", "E4", "E5", "E6"];
    let in_use = house.unchanged(async || house.close(&closing(2, "mark"), &all).await).await;
    assert_eq!(in_use, Close::InUse(names(&["E2", "E4", "E5"])));
    assert_eq!(house.close(&closing(2, "mark"), &["E1", "E3", "E6"]).await, Close::Closed);
}

/// Meanwhile an absent seat is "try again"; when the replacement is done it is no seat of the show.
#[tokio::test]
async fn a_closed_seat_is_try_again_until_the_show_is_applied() {
    let mut house = House::open().await;
    let mark = closing(2, "mark");
    house.close(&mark, &["E6"]).await;
    let hold = async |house: &House| {
        let token = loaded::any_token();
        let seats = holdfast_tests::loaded::seats(&["E1", "E6"]);
        house.redis.hold_seats(house.id(), &once(token), &seats, None, &Default::default()).await
    };
    assert!(matches!(hold(&house).await, Ok(Touch::Closing { left_ms: 1..=10_000 })));
    outlive_mark(&house).await;
    assert!(matches!(hold(&house).await, Ok(Touch::Closing { left_ms: ..=0 })), "for ever: whoever closed it died");
    house.holder(&["E1"]).await;
    house.apply(json!({}), Some(&mark)).await;
    let refusal = house.hold(loaded::any_token(), &["E6"]).await.unwrap_err();
    assert_eq!(refusal, holdfast::domain::Refusal::UnknownSeat { seats: names(&["E6"]) });
}
