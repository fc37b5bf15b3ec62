//! `compare.lua`

use holdfast::Touch;
use holdfast::adapters::redis::keys;
use holdfast::domain::{BookingId, HoldToken, PlaceState};
use holdfast_tests::loaded::{self, small_show};
use redis::AsyncCommands;

use crate::house::{House, ga, seats, units};

fn sold(place: &str, booking: BookingId) -> (String, PlaceState) {
    (place.to_owned(), PlaceState::Sold(booking.to_string()))
}

fn held(place: &str, token: HoldToken) -> (String, PlaceState) {
    (place.to_owned(), PlaceState::Held(token.to_string()))
}

fn absent(place: &str) -> (String, PlaceState) {
    (place.to_owned(), PlaceState::Absent)
}

#[tokio::test]
async fn codes_in_order_of_precedence() {
    let house = House::unloaded(small_show(6, 5)).await;
    for places in [seats(&["E1"]), units(&[1])] {
        assert!(matches!(house.redis.compare_places(house.id(), &places).await, Ok(Touch::NotLoaded)));
    }
    house.load().await;
    for places in [seats(&["E1"]), units(&[1])] {
        assert_eq!(house.unchanged(async || house.compared(&places).await).await, []);
    }
}

#[tokio::test]
async fn it_tells_who_has_each_place_that_is_not_for_sale() {
    let house = House::open().await;
    let holder = house.holder(&["E2"]).await;
    let buyer = house.holder(&["E3"]).await;
    let booking = house.sell(buyer, &seats(&["E3"])).await;
    house.late_holder(&["E4"]).await;
    let all = seats(&["E1", "E9", "E3", "E4", "E2"]);
    let states = house.unchanged(async || house.compared(&all).await).await;
    assert_eq!(states, [absent("E9"), sold("E3", booking), held("E2", holder)]);
}

#[tokio::test]
async fn it_does_so_for_units_and_a_lapsed_one_is_nobodys() {
    let house = House::open().await;
    // Held live before the others lapse: a decrement would give those back.
    let (holder, _) = house.taker(1).await;
    let (buyer, places) = house.taker(1).await;
    let booking = house.sell(buyer, &places).await;
    let (_, lapsed) = house.late_taker(1).await;
    assert_eq!(lapsed, units(&[3]));
    let states = house.unchanged(async || house.compared(&units(&[1, 2, 3, 4, 5, 6])).await).await;
    assert_eq!(states, [held("GA-1", holder), sold("GA-2", booking), absent("GA-6")]);
}

/// What a torn replica may have: both are told, and what comes of it is decided elsewhere.
#[tokio::test]
async fn one_that_is_sold_and_held_is_told_twice() {
    let house = House::open().await;
    let (holder, (taker, _)) = (house.holder(&["E1"]).await, house.taker(1).await);
    let booking = BookingId::of(house.id(), loaded::any_token());
    let _: () = house.raw().hset(keys::seats(house.id()), "E1", booking.to_string()).await.unwrap();
    let _: () = house.raw().hset(keys::stock_sold(house.id(), &ga()), 1, booking.to_string()).await.unwrap();
    assert_eq!(house.compared(&seats(&["E2", "E1"])).await, [sold("E1", booking), held("E1", holder)]);
    assert_eq!(house.compared(&units(&[2, 1])).await, [sold("GA-1", booking), held("GA-1", taker)]);
}

/// More places than one command takes: each is told under its own name.
#[tokio::test]
async fn a_long_list_is_asked_in_parts() {
    let house = House::of(small_show(1_500, 5)).await;
    let ids: Vec<String> = (1..=1_500).map(|n| format!("E{n}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let mut wanted = Vec::new();
    for seat in ["E1", "E1000", "E1001", "E1500"] {
        wanted.push(held(seat, house.holder(&[seat]).await));
    }
    assert_eq!(house.compared(&seats(&ids)).await, wanted);
}
