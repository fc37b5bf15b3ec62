//! `extend.lua`

use holdfast::Touch;
use holdfast::domain::{BookingId, HoldState, Refusal};
use holdfast_tests::loaded::{self, small_show};
use redis::AsyncCommands;
use serde_json::json;

use crate::house::{House, ga, seats, units};

const LOST: Refusal = Refusal::HoldLost { booking: None };

#[tokio::test]
async fn codes_in_order_of_precedence() {
    let mut house = House::unloaded(small_show(6, 5)).await;
    let (token, e1) = (loaded::any_token(), seats(&["E1"]));
    assert!(matches!(house.redis.extend_hold(house.id(), token, &e1, 60_001).await, Ok(Touch::NotLoaded)));
    house.load().await;
    let too_long = Err(Refusal::TtlTooLong { max_ttl_ms: 60_000 });
    assert_eq!(house.extend(token, &e1, 60_001).await, too_long);
    assert_eq!(house.extend(token, &e1, 60_000).await, Err(LOST));

    // It is being confirmed, its deadline has passed, and the wish is beyond the longest life.
    house.hold(token, &["E1"]).await.unwrap();
    house.pinned(token, &e1).await;
    house.shift(token, "created", -600_000).await;
    house.shift(token, "deadline", -200_000).await;
    assert_eq!(house.extend(token, &e1, 60_001).await, too_long);
    assert_eq!(house.extend(token, &e1, 60_000).await, Err(Refusal::InProgress));

    let lapsed = house.late_holder(&["E2"]).await;
    house.shift(lapsed, "created", -600_000).await;
    assert_eq!(house.extend(lapsed, &seats(&["E2"]), 60_000).await, Err(LOST));

    let old = house.holder(&["E3"]).await;
    house.shift(old, "created", -590_000).await;
    let limit = house.unchanged(async || house.extend(old, &seats(&["E3"]), 20_000).await).await;
    assert_eq!(limit, Err(Refusal::ExtendLimit { max_lifetime_s: 600 }));
    house.apply(json!({"hold": {"defaultTtlSeconds": 30, "maxTtlSeconds": 60, "maxLifetimeSeconds": 700}}), None).await;
    house.extend(old, &seats(&["E3"]), 60_000).await.unwrap();
}

#[tokio::test]
async fn a_repeat_moves_the_deadline_no_further_than_the_wish() {
    let house = House::open().await;
    let token = house.holder(&["E1"]).await;
    let first = house.extend(token, &seats(&["E1"]), 50_000).await.unwrap();
    let second = house.extend(token, &seats(&["E1"]), 50_000).await.unwrap();
    let now_ms = house.now_ms().await;
    assert!(first.deadline_ms <= second.deadline_ms && second.deadline_ms <= now_ms + 50_000, "{first:?} {second:?}");
}

#[tokio::test]
async fn lock_record_and_index_move_together() {
    let house = House::open().await;
    let token = house.holder(&["E1", "E2"]).await;
    let lease = house.extend(token, &seats(&["E1", "E2"]), 50_000).await.unwrap();
    assert_eq!(lease.expires_in_ms, 50_000);
    for seat in ["E1", "E2"] {
        let (owner, left_ms) = house.lock(seat).await;
        assert_eq!(owner, Some(token.to_string()));
        assert!(left_ms > 40_000, "{left_ms}");
        assert_eq!(house.indexed(seat).await, Some(lease.deadline_ms as f64));
    }
    assert_eq!(house.status(token).await.unwrap().lease.deadline_ms, lease.deadline_ms);
    assert_eq!(house.events().await.last(), Some(&("extended".to_owned(), "E1 E2".to_owned())));
}

#[tokio::test]
async fn units_move_too() {
    let house = House::open().await;
    let (token, places) = house.taker(2).await;
    let lease = house.extend(token, &places, 50_000).await.unwrap();
    let held = holdfast::adapters::redis::keys::stock_held(house.id(), &ga());
    let scores: Vec<(u32, i64)> = house.raw().zrange_withscores(held, 0, -1).await.unwrap();
    assert_eq!(scores, [(1, lease.deadline_ms), (2, lease.deadline_ms)]);
    assert_eq!(house.indexed("GA-2").await, Some(lease.deadline_ms as f64));
    assert_eq!(house.state(token).await, HoldState::Active);
    house.assert_zone_adds_up().await;
}

#[tokio::test]
async fn it_never_shortens() {
    let house = House::open().await;
    let token = house.holder(&["E1"]).await;
    let before = house.status(token).await.unwrap().lease.deadline_ms;
    let lease = house.unchanged(async || house.extend(token, &seats(&["E1"]), 1_000).await.unwrap()).await;
    assert_eq!(lease.deadline_ms, before);
    assert!(lease.expires_in_ms > 1_000, "{lease:?}");
}

/// There would be room for some of the wish: all of it, or nothing.
#[tokio::test]
async fn the_limit_judges_the_whole_wish() {
    let house = House::open().await;
    let token = house.holder(&["E1"]).await;
    house.shift(token, "created", -550_000).await;
    let refused = house.unchanged(async || house.extend(token, &seats(&["E1"]), 55_000).await).await;
    assert_eq!(refused, Err(Refusal::ExtendLimit { max_lifetime_s: 600 }));
    house.extend(token, &seats(&["E1"]), 40_000).await.unwrap();
}

#[tokio::test]
async fn pitfall_7_a_hold_that_is_over_is_not_revived() {
    let house = House::open().await;
    let (e1, e2, e3) = (seats(&["E1"]), seats(&["E2"]), seats(&["E3"]));
    let lapsed = house.late_holder(&["E1"]).await;
    let released = house.holder(&["E2"]).await;
    house.release(released, &e2).await.unwrap();
    let sold = house.holder(&["E3"]).await;
    house.sell(sold, &e3).await;
    let booked = Refusal::HoldLost { booking: Some(BookingId::of(house.id(), sold)) };
    let (refused, e4) = (house.holder(&["E4"]).await, seats(&["E4"]));
    house.free(refused, 1, &e4).await;
    let ends = [(lapsed, e1, LOST), (released, e2, LOST), (sold, e3, booked), (refused, e4, LOST)];
    for (token, places, refusal) in ends {
        let refused = house.unchanged(async || house.extend(token, &places, 60_000).await).await;
        assert_eq!(refused, Err(refusal));
    }
}

/// The key and the deadline have to say so both; and every place.
#[tokio::test]
async fn a_hold_that_is_live_in_part_is_lost() {
    let house = House::open().await;
    let token = house.holder(&["E1", "E2"]).await;
    let lock = holdfast::adapters::redis::keys::seat_hold(house.id(), &holdfast_tests::loaded::seats(&["E2"])[0]);
    let _: i64 = house.raw().del(lock).await.unwrap();
    assert_eq!(house.unchanged(async || house.extend(token, &seats(&["E1", "E2"]), 60_000).await).await, Err(LOST));
    let late = house.holder(&["E3"]).await;
    house.shift(late, "deadline", -30_001).await;
    assert_eq!(house.unchanged(async || house.extend(late, &seats(&["E3"]), 60_000).await).await, Err(LOST));
}

#[tokio::test]
async fn another_token_extends_nothing() {
    let house = House::open().await;
    house.holder(&["E1"]).await;
    house.taker(1).await;
    let other = house.holder(&["E2"]).await;
    for places in [seats(&["E1"]), seats(&["E2", "E1"]), units(&[1])] {
        assert_eq!(house.unchanged(async || house.extend(other, &places, 60_000).await).await, Err(LOST));
    }
}

/// Nothing was known of the token when it was asked for its places, and the hold came meanwhile.
#[tokio::test]
async fn a_token_of_which_no_places_are_known_extends_nothing() {
    let house = House::open().await;
    let (seat, (unit, _)) = (house.holder(&["E1"]).await, house.taker(1).await);
    for token in [seat, unit, loaded::any_token()] {
        assert_eq!(house.unchanged(async || house.extend(token, &seats(&[]), 60_000).await).await, Err(LOST));
    }
}
