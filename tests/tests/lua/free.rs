//! `free.lua`

use holdfast::domain::{BookingId, HoldToken};
use holdfast::ports::{FreePlaces, HoldState, Touch};
use holdfast_tests::loaded::small_show;
use redis::AsyncCommands;

use crate::house::{House, seats, units};

#[tokio::test]
async fn codes_in_order_of_precedence() {
    let house = House::unloaded(small_show(6, 5)).await;
    let (token, e1) = (HoldToken::random(), seats(&["E1"]));
    let free = house.redis.free_places(house.id(), token, 1, &e1).await;
    assert!(matches!(free, Ok(Touch::NotLoaded)), "{free:?}");
    house.load().await;
    house.hold(token, &["E1"]).await.unwrap();
    house.free(token, 1, &e1).await;
    assert_eq!(house.lock("E1").await.0, None);
}

#[tokio::test]
async fn a_refused_hold_ends_once() {
    let house = House::open().await;
    let (token, places) = (house.holder(&["E1", "E2"]).await, seats(&["E1", "E2"]));
    house.pinned(token, &places).await;
    house.twice(async || house.free(token, 1, &places).await).await;
    let record = house.status(token).await.unwrap();
    assert_eq!((record.state, record.booking), (HoldState::Refused, Some(BookingId::of(house.id(), token))));
    assert_eq!((house.indexed("E1").await, house.is_confirming(token).await), (None, false));
    assert_eq!(house.events().await.last(), Some(&("freed".to_owned(), "E1 E2".to_owned())));
    house.holder(&["E2", "E1"]).await;
}

#[tokio::test]
async fn what_was_sold_is_for_sale_again() {
    let house = House::open().await;
    let (token, places) = (house.holder(&["E1", "E2"]).await, seats(&["E1", "E2"]));
    house.sell(token, &places).await;
    house.twice(async || house.free(token, 2, &places).await).await;
    house.holder(&["E1", "E2"]).await;

    let (token, places) = house.taker(2).await;
    house.sell(token, &places).await;
    house.twice(async || house.free(token, 2, &places).await).await;
    assert_eq!((house.count().await.held, house.count().await.sold), (0, 0));
    house.assert_zone_adds_up().await;
    assert_eq!(house.taker(5).await.1, units(&[1, 2, 3, 4, 5]));
}

#[tokio::test]
async fn a_free_that_comes_after_the_resale_changes_nothing() {
    let house = House::open().await;
    let (first, e1) = (house.holder(&["E1"]).await, seats(&["E1"]));
    let first_booking = house.sell(first, &e1).await;
    house.free(first, 2, &e1).await;
    let second = house.holder(&["E1"]).await;
    house.unchanged(async || house.free(first, 2, &e1).await).await;
    let booking = house.sell(second, &e1).await;
    house.unchanged(async || house.free(first, 2, &e1).await).await;
    // Also when Redis has forgotten how far it was with the first one.
    let _: i64 = house.raw().del(holdfast::adapters::redis::keys::booking(house.id(), first_booking)).await.unwrap();
    house.free(first, 2, &e1).await;
    assert_eq!(house.seats().await["E1"], booking.to_string());
}

/// A late free of a token whose places others have: nothing of theirs moves.
#[tokio::test]
async fn a_live_hold_of_another_token_is_not_touched() {
    let house = House::open().await;
    let late = house.late_holder(&["E1", "E2"]).await;
    let next = house.holder(&["E1"]).await;
    house.free(late, 1, &seats(&["E1", "E2"])).await;
    assert_eq!(house.lock("E1").await.0, Some(next.to_string()));
    assert!(house.indexed("E1").await.is_some());
    assert_eq!(house.state(late).await, HoldState::Refused);

    let (late, places) = house.late_taker(1).await;
    let (next, same) = house.taker(1).await;
    assert_eq!(places, same);
    house.free(late, 1, &places).await;
    assert_eq!(house.state(next).await, HoldState::Active);
    assert_eq!(house.count().await.held, 1);
    house.assert_zone_adds_up().await;
}

#[tokio::test]
async fn a_free_makes_no_hold() {
    let house = House::open().await;
    let token = HoldToken::random();
    house.free(token, 1, &seats(&["E1"])).await;
    assert!(house.status(token).await.is_none());
    house.holder(&["E1"]).await;
}
