//! `stock_decrement.lua`

use std::collections::BTreeSet;

use holdfast::Touch;
use holdfast::domain::show::Zone;
use holdfast::domain::{
    BookingId, Buyer, Chunk, Close, Closing, HoldState, HoldToken, Places, Refusal, Request, Turn, ZoneId,
};
use holdfast_tests::loaded::{self, once, small_show};
use redis::AsyncCommands;
use serde_json::json;

use crate::house::{House, changed, ga, known, units, until};

fn sold_out(remaining: u64) -> Refusal {
    Refusal::SoldOut { remaining }
}

fn numbers(places: &Places) -> Vec<u32> {
    match places {
        Places::Units { numbers, .. } => numbers.clone(),
        Places::Seats(seats) => panic!("{seats:?}"),
    }
}

async fn close(house: &House, closing: &Closing, capacity: u32) -> Close {
    known(house.redis.close_zone(house.id(), closing, &Zone { id: ga(), capacity }).await)
}

#[tokio::test]
async fn codes_in_order_of_precedence() {
    let mut house = House::unloaded(small_show(6, 5)).await;
    let (repeat, new) = (loaded::any_token(), loaded::any_token());
    let other = ZoneId::parse("VIP").unwrap();
    let ask = async |house: &House, token, zone: &ZoneId, ttl_ms| {
        house.redis.take_units(house.id(), &once(token), zone, 4, ttl_ms, &Buyer::default()).await.unwrap()
    };
    assert!(matches!(ask(&house, new, &other, Some(60_001)).await, Touch::NotLoaded));

    // At once: a known token, a zone that is absent, a show that is being replaced, no sale, too many, too few left.
    house.load().await;
    house.take(repeat, 2).await.unwrap();
    house.apply(json!({"sale": {"closesAt": "2020-01-01T00:00:00Z"}, "limits": {"maxPlacesPerHold": 3}}), None).await;
    let closing = Closing { version: 3, mark: "mark".to_owned() };
    assert_eq!(close(&house, &closing, 4).await, Close::Closed);
    // The first request with a key does not know the epoch yet.
    let key = |body: &str| loaded::keyed(house.id(), "stock/GA", body);
    let ask_by = async |request: Request, zone: &ZoneId, quantity| {
        let taken = house.redis.take_units(house.id(), &request, zone, quantity, Some(60_001), &Buyer::default()).await;
        taken.unwrap()
    };
    assert!(matches!(ask_by(key("one"), &other, 4).await, Touch::Again));
    // A repeat comes before every rule of the show.
    let Touch::Known(Ok(again)) = ask(&house, repeat, &ga(), Some(60_001)).await else { panic!("a repeat") };
    assert_eq!((again.held.state, again.held.places), (HoldState::Active, units(&[1, 2])));
    let Touch::Known(Err(refusal)) = ask(&house, new, &other, Some(60_001)).await else { panic!("too long a TTL") };
    assert_eq!(refusal, Refusal::TtlTooLong { max_ttl_ms: 60_000 });
    assert!(matches!(ask(&house, new, &other, None).await, Touch::Closing { left_ms: 1..=10_000 }));
    let refused = async |house: &House, quantity| house.take(new, quantity).await.unwrap_err();
    let no_sale = Refusal::NotOnSale { opens_at_ms: None, closes_at_ms: Some(1_577_836_800_000) };
    assert_eq!(refused(&house, 4).await, no_sale);

    house.apply(json!({"sale": {}, "zones": [{"id": "GA", "capacity": 4}]}), Some(&closing)).await;
    let Touch::Known(Err(refusal)) = ask(&house, new, &other, None).await else { panic!("no such zone") };
    assert_eq!(refusal, Refusal::ZoneNotFound);
    assert_eq!(refused(&house, 4).await, Refusal::LimitExceeded { limit: 3, current: 4 });
    assert_eq!(refused(&house, 3).await, sold_out(2));
    // While the show is being replaced, too few is no answer yet.
    let closing = Closing { version: 4, mark: "again".to_owned() };
    assert_eq!(close(&house, &closing, 3).await, Close::Closed);
    let taken = house.redis.take_units(house.id(), &once(new), &ga(), 2, None, &Buyer::default()).await.unwrap();
    assert!(matches!(taken, Touch::Closing { .. }), "{taken:?}");
    house.take(new, 1).await.unwrap();
}

#[tokio::test]
async fn the_same_call_twice_takes_once() {
    let house = House::open().await;
    let token = loaded::any_token();
    let call = async || {
        let taken = house.take(token, 2).await.unwrap();
        (taken.held.places, taken.remaining, taken.held.state, taken.held.lease.deadline_ms)
    };
    let (taken, remaining, ..) = house.twice(call).await;
    assert_eq!((taken, remaining), (units(&[1, 2]), 3));
    // Also when it asks for more the second time.
    let again = house.unchanged(async || house.take(token, 4).await.unwrap()).await;
    assert_eq!(again.held.places, units(&[1, 2]));
    assert_eq!(house.events().await, [("held".to_owned(), "GA-1 GA-2".to_owned())]);
}

#[tokio::test]
async fn a_repeat_of_a_hold_that_has_ended_is_refused_and_takes_nothing_again() {
    let house = House::open().await;
    let (lapsed, _) = house.late_taker(1).await;
    let (released, places) = house.taker(1).await;
    house.release(released, &places).await.unwrap();
    let (sold, places) = house.taker(1).await;
    let booking = house.sell(sold, &places).await;
    let ends = [
        (lapsed, HoldState::Expired, None),
        (released, HoldState::Released, None),
        (sold, HoldState::Confirmed, Some(booking)),
    ];
    for (token, state, booking) in ends {
        let again = house.unchanged(async || house.take(token, 3).await.unwrap_err()).await;
        assert_eq!(again, Refusal::HoldEnded { token, state, booking });
    }
}

#[tokio::test]
async fn every_unit_is_handed_out_once_and_then_no_more() {
    let house = House::open().await;
    let mut seen = BTreeSet::new();
    for left in (0..5).rev() {
        let taken = house.take(loaded::any_token(), 1).await.unwrap();
        assert_eq!(taken.remaining, left);
        assert!(numbers(&taken.held.places).into_iter().all(|unit| seen.insert(unit)), "{taken:?}");
        house.assert_zone_adds_up().await;
    }
    assert_eq!(seen, BTreeSet::from([1, 2, 3, 4, 5]));
    assert_eq!(house.unchanged(async || house.take(loaded::any_token(), 1).await.unwrap_err()).await, sold_out(0));
}

#[tokio::test]
async fn pitfall_10_five_of_three_is_refused_and_three_are_left() {
    let house = House::open().await;
    house.taker(2).await;
    assert_eq!(house.unchanged(async || house.take(loaded::any_token(), 5).await.unwrap_err()).await, sold_out(3));
    assert_eq!(house.take(loaded::any_token(), 3).await.unwrap().remaining, 0);
}

#[tokio::test]
async fn what_came_back_goes_first() {
    let house = House::open().await;
    let (_, first) = house.taker(1).await;
    let (back, places) = house.taker(2).await;
    house.release(back, &places).await.unwrap();
    assert_eq!((first, places), (units(&[1]), units(&[2, 3])));
    house.assert_zone_adds_up().await;
    assert_eq!(house.taker(1).await.1, units(&[2]));
    assert_eq!(house.taker(2).await.1, units(&[3, 4]));
    house.assert_zone_adds_up().await;
}

#[tokio::test]
async fn what_lapsed_is_given_back_before_anybody_is_refused() {
    let house = House::open().await;
    let (late, places) = house.late_taker(5).await;
    // Too many even so: but what lapsed is back in stock.
    let limit = house.take(loaded::any_token(), 6).await.unwrap_err();
    assert_eq!(limit, sold_out(5));
    house.assert_zone_adds_up().await;
    assert_eq!(house.events().await.last().unwrap().0, "expired");
    let stock: i64 = house.raw().get(holdfast::adapters::redis::keys::stock(house.id(), &ga())).await.unwrap();
    assert_eq!(stock, 5);
    assert_eq!(house.taker(5).await.1.len(), places.len());
    assert_eq!(house.state(late).await, HoldState::Expired);

    let house = House::open().await;
    house.late_taker(5).await;
    let taken = house.take(loaded::any_token(), 4).await.unwrap();
    assert_eq!(taken.remaining, 1);
    house.assert_zone_adds_up().await;
    let gone: Option<f64> = house.indexed("GA-5").await;
    assert!(gone.is_none(), "the index of live holds has a lapsed unit");
}

/// More than one call gives back: each gives back what it needs, and no unit is there twice.
#[tokio::test]
async fn pitfall_24_hundreds_that_lapsed_come_back() {
    let show = json!({"zones": [{"id": "GA", "capacity": 500}], "limits": {"maxPlacesPerHold": 96}});
    let house = House::of(changed(&small_show(6, 5), &show)).await;
    let tokens: Vec<HoldToken> = (0..5).map(|_| loaded::any_token()).collect();
    for token in &tokens {
        let taken = house.redis.take_units(house.id(), &once(*token), &ga(), 90, Some(300), &Buyer::default()).await;
        known(taken).unwrap();
    }
    for token in &tokens {
        house.lapse(*token).await;
    }
    assert_eq!(house.count().await.held, 0);
    let mut seen = BTreeSet::new();
    for left in [410, 320, 230, 140, 50] {
        let taken = house.take(loaded::any_token(), 90).await.unwrap();
        assert_eq!(taken.remaining, left);
        assert!(numbers(&taken.held.places).into_iter().all(|unit| seen.insert(unit)), "{taken:?}");
        house.assert_zone_adds_up().await;
    }
    assert_eq!(house.take(loaded::any_token(), 51).await.unwrap_err(), sold_out(50));
    let last = house.take(loaded::any_token(), 50).await.unwrap();
    assert!(numbers(&last.held.places).into_iter().all(|unit| seen.insert(unit)));
    assert_eq!(seen.len(), 500);
    house.assert_zone_adds_up().await;
}

/// After a load the fresh counter starts at 1, and what is sold lies before and behind it.
#[tokio::test]
async fn after_a_load_the_counter_walks_over_what_is_sold() {
    let house = House::unloaded(small_show(6, 9)).await;
    let booking = BookingId::of(house.id(), loaded::any_token()).to_string();
    let Turn::Mine(lease) = house.redis.begin_load(house.id(), 1).await.unwrap() else { panic!("nobody loads") };
    let chunk = Chunk::Seats(vec!["E1".to_owned()]);
    house.redis.put_chunk(house.id(), &lease, 1, &chunk).await.unwrap();
    let sold = ["1", "2", "3", "5", "9"].map(|unit| (unit.to_owned(), booking.clone()));
    house.redis.put_chunk(house.id(), &lease, 2, &Chunk::SoldUnits(ga(), sold.to_vec())).await.unwrap();
    house.redis.finish_load(&house.show, &lease).await.unwrap();
    house.assert_zone_adds_up().await;
    assert_eq!(house.taker(1).await.1, units(&[4]));
    assert_eq!(house.take(loaded::any_token(), 4).await.unwrap_err(), sold_out(3));
    assert_eq!(house.taker(3).await.1, units(&[6, 7, 8]));
    assert_eq!(house.take(loaded::any_token(), 1).await.unwrap_err(), sold_out(0));
    house.assert_zone_adds_up().await;
}

#[tokio::test]
async fn a_capacity_that_sinks_and_rises_makes_no_unit_twice() {
    let mut house = House::open().await;
    let (low, low_places) = house.taker(3).await;
    let (high, high_places) = house.taker(2).await;
    house.sell(high, &high_places).await;
    house.release(low, &low_places).await.unwrap();
    house.assert_zone_adds_up().await;

    // GA-4 and GA-5 are sold: 1 is left of 3, and it is one of GA-1 to GA-3.
    let closing = Closing { version: 2, mark: "lower".to_owned() };
    assert_eq!(close(&house, &closing, 3).await, Close::Closed);
    house.assert_zone_adds_up().await;
    house.apply(json!({"zones": [{"id": "GA", "capacity": 3}]}), Some(&closing)).await;
    house.assert_zone_adds_up().await;
    let (_, left) = house.taker(1).await;
    assert!(numbers(&left)[0] <= 3, "{left:?}");
    assert_eq!(house.take(loaded::any_token(), 1).await.unwrap_err(), sold_out(0));
    // GA-4 and GA-5 come back, and are beyond the capacity now.
    house.free(high, 2, &high_places).await;
    let (_, rest) = house.taker(2).await;
    let mut all: Vec<u32> = numbers(&left).into_iter().chain(numbers(&rest)).collect();
    all.sort_unstable();
    assert_eq!(all, [1, 2, 3]);
    assert_eq!(house.take(loaded::any_token(), 1).await.unwrap_err(), sold_out(0));

    house.apply(json!({"zones": [{"id": "GA", "capacity": 7}]}), None).await;
    let (_, more) = house.taker(4).await;
    let mut more = numbers(&more);
    more.sort_unstable();
    assert_eq!(more, [4, 5, 6, 7]);
    house.assert_zone_adds_up().await;
}

/// What lapsed beyond the new capacity is no unit any more, though it lapsed first.
#[tokio::test]
async fn a_lapsed_unit_beyond_the_capacity_is_not_handed_out() {
    let mut house = House::open().await;
    house.taker(5).await;
    let held = holdfast::adapters::redis::keys::stock_held(house.id(), &ga());
    let _: () = house.raw().zadd_multiple(held, &[(1, 4), (2, 5), (3, 1)]).await.unwrap();
    let closing = Closing { version: 2, mark: "lower".to_owned() };
    assert_eq!(close(&house, &closing, 3).await, Close::Closed);
    house.apply(json!({"zones": [{"id": "GA", "capacity": 3}]}), Some(&closing)).await;
    assert_eq!(house.taker(1).await.1, units(&[1]));
    assert_eq!(house.take(loaded::any_token(), 1).await.unwrap_err(), sold_out(0));
    house.assert_zone_adds_up().await;
}

/// What left + held + sold is, step by step (INV-7).
#[tokio::test]
async fn the_zone_adds_up_after_each_step() {
    let house = House::open().await;
    let (sold, sold_places) = house.taker(2).await;
    house.assert_zone_adds_up().await;
    let (released, released_places) = house.taker(2).await;
    house.extend(released, &released_places, 40_000).await.unwrap();
    house.assert_zone_adds_up().await;
    house.pinned(sold, &sold_places).await;
    house.assert_zone_adds_up().await;
    house.sell(sold, &sold_places).await;
    house.assert_zone_adds_up().await;
    house.release(released, &released_places).await.unwrap();
    house.assert_zone_adds_up().await;
    let (late, late_places) = house.late_taker(3).await;
    house.assert_zone_adds_up().await;
    house.pinned(late, &late_places).await;
    house.assert_zone_adds_up().await;
    house.free(late, 1, &late_places).await;
    house.assert_zone_adds_up().await;
    house.free(sold, 2, &sold_places).await;
    house.assert_zone_adds_up().await;
    assert_eq!(house.take(loaded::any_token(), 5).await.unwrap().remaining, 0);
}

/// The record of a hold that lapsed stays; what it had is the next buyer's.
#[tokio::test]
async fn a_late_owner_changes_nothing_of_the_next_ones() {
    let house = House::open().await;
    let (late, places) = house.late_taker(5).await;
    let next = loaded::any_token();
    let taken = until("units", async || house.take(next, 5).await.ok()).await;
    assert_eq!(taken.remaining, 0);
    house.unchanged(async || house.release(late, &places).await.unwrap_err()).await;
    house.unchanged(async || house.extend(late, &places, 1_000).await.unwrap_err()).await;
    assert_eq!(house.state(next).await, HoldState::Active);
}

#[tokio::test]
async fn a_repeat_with_a_key_has_to_ask_for_the_same() {
    let house = House::open().await;
    let take = async |body: &str| loop {
        let request = loaded::keyed(house.id(), "stock/GA", body);
        match house.redis.take_units(house.id(), &request, &ga(), 2, None, &Buyer::default()).await.unwrap() {
            Touch::Known(taken) => break taken,
            Touch::Again => {}
            other => panic!("{other:?}"),
        }
    };
    let first = take("one").await.unwrap().held;
    let again = house.unchanged(async || take("one").await.unwrap().held).await;
    assert_eq!((again.token, again.places), (first.token, first.places.clone()));
    let refusal = house.unchanged(async || take("two").await.unwrap_err()).await;
    assert_eq!(refusal, Refusal::KeyMismatch);
    house.release(first.token, &first.places).await.unwrap();
    assert_eq!(take("two").await.unwrap_err(), Refusal::KeyMismatch);
    let ended = house.unchanged(async || take("one").await.unwrap_err()).await;
    assert_eq!(ended, Refusal::HoldEnded { token: first.token, state: HoldState::Released, booking: None });
}

/// The record of a hold that was rescued after a loss does not know what its request asked for: then zone and quantity count.
#[tokio::test]
async fn a_repeat_of_rescued_units_has_to_ask_for_as_many() {
    let house = House::open().await;
    let token = loaded::any_token();
    house.pinned(token, &units(&[2, 4])).await;
    let taken = house.unchanged(async || house.take(token, 2).await.unwrap()).await;
    assert_eq!((taken.held.state, taken.held.places), (HoldState::Confirming, units(&[2, 4])));
    for other in [1, 3] {
        let refusal = house.unchanged(async || house.take(token, other).await.unwrap_err()).await;
        assert_eq!(refusal, Refusal::KeyMismatch);
    }
}
