//! `pin.lua`: how long a pin lasts, and what is left of it.

use holdfast::adapters::redis::{keys, scripts};
use holdfast::domain::payment::Payments;
use holdfast::domain::{BookingId, Claim, Ending, HoldState, PIN_MS, Pin, Refusal, Sold};
use holdfast_tests::loaded;
use redis::{AsyncCommands, Value};
use serde_json::json;

use crate::house::{House, pinned, seats, until};
use crate::pin::claim;

#[tokio::test]
async fn a_pin_never_shortens_a_hold() {
    let show = json!({"hold": {"defaultTtlSeconds": 400, "maxTtlSeconds": 400, "maxLifetimeSeconds": 600}});
    let house = House::with(show).await;
    let token = house.holder(&["E1"]).await;
    let before = house.status(token).await.unwrap().lease.deadline_ms;
    house.pinned(token, &seats(&["E1"])).await;
    assert_eq!(house.status(token).await.unwrap().lease.deadline_ms, before);
}

/// Pinned again and again, it ends: at its longest life and one pin (INV-6).
#[tokio::test]
async fn a_pin_ends_with_the_longest_life_and_one_pin() {
    let house = House::open().await;
    let token = house.holder(&["E1"]).await;
    house.pinned(token, &seats(&["E1"])).await;
    // 610 s of its 600 + 150 are over.
    house.shift(token, "created", -610_000).await;
    let created_ms: i64 = house.raw().hget(keys::hold(house.id(), token), "created").await.unwrap();
    house.shift(token, "lapses", -610_000).await;
    house.shift(token, "deadline", -100_000).await;
    house.pinned(token, &seats(&["E1"])).await;
    let record = house.status(token).await.unwrap();
    assert_eq!(record.lease.deadline_ms, created_ms + 600_000 + PIN_MS as i64);
    let (_, left_ms) = house.lock("E1").await;
    assert!(left_ms <= record.lease.expires_in_ms as i64 + 500, "{left_ms} for {record:?}");
}

/// A day and a pin without a reconcile: the payment is still there (INV-10).
#[tokio::test]
async fn the_record_of_a_pinned_hold_does_not_expire() {
    let house = House::open().await;
    let (token, e1) = (house.holder(&["E1"]).await, seats(&["E1"]));
    let record = keys::hold(house.id(), token);
    let ttl_ms = async || -> i64 { house.raw().pttl(&record).await.unwrap() };
    assert!(ttl_ms().await > 0);
    pinned(house.pin(token, &e1, &claim("pay_1")).await);
    assert_eq!(ttl_ms().await, -1);
    // Redis is told of the decision, but not that the payment is on record.
    let buyer = BookingId::of(house.id(), token);
    let recorded = claim("pay_1").payments;
    for (recorded, is_listed) in [(&Payments::NONE, true), (&recorded, false)] {
        let ending = Ending::Confirmed(buyer);
        house.mark(token, Sold { buyer, version: 1, places: &e1, count: 1, ending, recorded }).await;
        assert_eq!(house.state(token).await, HoldState::Confirmed);
        assert_eq!((house.is_confirming(token).await, ttl_ms().await == -1), (is_listed, is_listed));
    }
    assert_eq!(house.status(token).await.unwrap().payments, Payments::NONE);
}

/// A show whose longest life was lowered below what a hold has left: the pin still lasts its whole time, and ends.
#[tokio::test]
async fn a_pin_lasts_its_whole_time_from_the_confirm() {
    let mut house = House::open().await;
    let (token, (taker, taken)) = (house.holder(&["E1"]).await, house.taker(1).await);
    house.apply(json!({"hold": {"defaultTtlSeconds": 1, "maxTtlSeconds": 1, "maxLifetimeSeconds": 1}}), None).await;
    for (token, places) in [(token, &seats(&["E1"])), (taker, &taken)] {
        let own_deadline_ms = house.status(token).await.unwrap().lease.deadline_ms;
        house.pinned(token, places).await;
        let lease = house.status(token).await.unwrap().lease;
        assert!(lease.expires_in_ms > PIN_MS - 10_000, "{lease:?}");
        // Pinned again much later, it does not go on for ever.
        house.shift(token, "created", -140_000).await;
        house.shift(token, "lapses", -140_000).await;
        house.shift(token, "deadline", -140_000).await;
        house.pinned(token, places).await;
        let furthest_ms = own_deadline_ms - 140_000 + PIN_MS as i64;
        assert_eq!(house.status(token).await.unwrap().lease.deadline_ms, furthest_ms);
    }
}

/// Long after its longest life: what is taken again begins a new life, with a whole pin.
#[tokio::test]
async fn a_rescue_begins_a_new_life() {
    let house = House::open().await;
    let token = house.late_holder(&["E1"]).await;
    house.shift(token, "created", -10_000_000).await;
    house.pinned(token, &seats(&["E1"])).await;
    let left_ms = house.status(token).await.unwrap().lease.expires_in_ms;
    assert!((PIN_MS - 10_000..=PIN_MS).contains(&left_ms), "{left_ms}");
}

/// A hold that lapsed may be confirmed late, after the sale has closed.
#[tokio::test]
async fn a_late_confirm_does_not_mind_the_window() {
    let mut house = House::open().await;
    let late = house.late_holder(&["E1"]).await;
    house.apply(json!({"sale": {"closesAt": "2020-01-01T00:00:00Z"}}), None).await;
    house.pinned(late, &seats(&["E1"])).await;
}

/// The pin itself lapses too: with it the places are free, and its own token may come again.
#[tokio::test]
async fn a_pin_that_lapsed_gives_way_and_comes_again() {
    let house = House::open().await;
    let token = house.holder(&["E1"]).await;
    let mut keys = vec![
        keys::show(house.id()),
        keys::hold(house.id(), token),
        keys::held(house.id()),
        keys::events(house.id()),
        keys::confirming(house.id()),
        keys::seats(house.id()),
    ];
    keys.push(keys::seat_hold(house.id(), &loaded::seats(&["E1"])[0]));
    // The hold itself ends first: a pin never shortens.
    house.shift(token, "deadline", -30_001).await;
    let text = token.to_string();
    let answer = house.run(&scripts::PIN, &keys, &[&text, "1000", "", "", "", "", "", "E1"]).await;
    assert_eq!(answer[0], Value::Int(0));
    let lease = house.status(token).await.unwrap().lease;
    assert!((1..=1_000).contains(&lease.expires_in_ms), "{lease:?}");
    let next = loaded::any_token();
    until("the pin lapses", async || house.hold(next, &["E1"]).await.ok()).await;
    let pin = house.unchanged(async || house.pin(token, &seats(&["E1"]), &Claim::default()).await).await;
    assert!(matches!(pin, Pin::Lost { .. }), "{pin:?}");
    assert_eq!(house.extend(token, &seats(&["E1"]), 1_000).await, Err(Refusal::InProgress));
}
