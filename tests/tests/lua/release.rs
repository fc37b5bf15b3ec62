//! `release.lua`

use holdfast::Touch;
use holdfast::domain::{BookingId, HoldState, Refusal};
use holdfast_tests::loaded::{self, small_show};

use crate::house::{House, seats, units};

const LOST: Refusal = Refusal::HoldLost { booking: None };

#[tokio::test]
async fn codes_in_order_of_precedence() {
    let house = House::unloaded(small_show(6, 5)).await;
    let (token, e1) = (loaded::any_token(), seats(&["E1"]));
    assert!(matches!(house.redis.release_hold(house.id(), token, &e1).await, Ok(Touch::NotLoaded)));
    house.load().await;
    assert_eq!(house.release(token, &e1).await, Err(LOST));

    // Released long ago: that its time is over does not matter.
    let released = house.holder(&["E1"]).await;
    house.release(released, &e1).await.unwrap();
    house.shift(released, "deadline", -60_000).await;
    assert_eq!(house.release(released, &e1).await, Ok(()));
    // Being confirmed: nor here.
    house.hold(token, &["E1"]).await.unwrap();
    house.pinned(token, &e1).await;
    assert_eq!(house.release(token, &e1).await, Err(Refusal::InProgress));
    house.shift(token, "deadline", -200_000).await;
    assert_eq!(house.release(token, &e1).await, Err(Refusal::InProgress));
    house.sell(token, &e1).await;
    let booking = Some(BookingId::of(house.id(), token));
    assert_eq!(house.release(token, &e1).await, Err(Refusal::HoldLost { booking }));
    // A refused one has no booking that could be shown.
    let refused = house.holder(&["E2"]).await;
    house.free(refused, 1, &seats(&["E2"])).await;
    assert_eq!(house.release(refused, &seats(&["E2"])).await, Err(LOST));
}

#[tokio::test]
async fn the_same_call_twice_frees_once() {
    let house = House::open().await;
    let token = house.holder(&["E1", "E2"]).await;
    house.twice(async || house.release(token, &seats(&["E1", "E2"])).await.unwrap()).await;
    assert_eq!(house.state(token).await, HoldState::Released);
    assert_eq!(house.indexed("E1").await, None);
    assert_eq!(house.events().await.last(), Some(&("released".to_owned(), "E1 E2".to_owned())));
    // The next owner is not touched by a third.
    let next = house.holder(&["E2", "E1"]).await;
    house.unchanged(async || house.release(token, &seats(&["E1", "E2"])).await.unwrap()).await;
    assert_eq!(house.state(next).await, HoldState::Active);
}

#[tokio::test]
async fn pitfall_6_a_stale_owner_frees_nothing() {
    let house = House::open().await;
    let stale = house.late_holder(&["E1", "E2"]).await;
    let next = house.holder(&["E1"]).await;
    let refused = house.unchanged(async || house.release(stale, &seats(&["E1", "E2"])).await).await;
    assert_eq!(refused, Err(LOST));
    assert_eq!(house.lock("E1").await.0, Some(next.to_string()));
}

#[tokio::test]
async fn a_hold_whose_deadline_has_passed_is_not_released_while_its_key_is_there() {
    let house = House::open().await;
    let token = house.holder(&["E1"]).await;
    house.shift(token, "deadline", -30_001).await;
    assert_eq!(house.unchanged(async || house.release(token, &seats(&["E1"])).await).await, Err(LOST));
}

#[tokio::test]
async fn units_go_back_to_stock_at_once() {
    let house = House::open().await;
    let (token, places) = house.taker(3).await;
    house.taker(1).await;
    house.twice(async || house.release(token, &places).await.unwrap()).await;
    assert_eq!((house.count().await.held, house.count().await.sold), (1, 0));
    house.assert_zone_adds_up().await;
    assert_eq!(house.taker(3).await.1, units(&[1, 2, 3]));
    // A lapsed owner whose unit somebody else has by now.
    let (stale, units_of_stale) = house.late_taker(1).await;
    assert_eq!(units_of_stale, units(&[5]));
    assert_eq!(house.taker(1).await.1, units(&[5]));
    assert_eq!(house.unchanged(async || house.release(stale, &units_of_stale).await).await, Err(LOST));
}

#[tokio::test]
async fn another_token_releases_nothing() {
    let house = House::open().await;
    let victim = house.holder(&["E1"]).await;
    let (unit_victim, _) = house.taker(1).await;
    // A hold of one's own is no licence for the places of others.
    let thief = house.holder(&["E2"]).await;
    house.release(thief, &seats(&["E2", "E1"])).await.unwrap();
    let (thief, own) = house.taker(1).await;
    assert_eq!(own, units(&[2]));
    house.release(thief, &units(&[2, 1])).await.unwrap();
    assert_eq!(house.lock("E1").await.0, Some(victim.to_string()));
    assert_eq!(house.state(unit_victim).await, HoldState::Active);
    assert_eq!(house.count().await.held, 1);
}
