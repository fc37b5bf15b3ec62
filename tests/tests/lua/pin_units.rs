//! `pin.lua`, of units. Nobody chose one by name: in place of one that is gone, another one of the zone is taken.

use holdfast::adapters::redis::keys;
use holdfast::domain::payment::Payments;
use holdfast::domain::{BookingId, Buyer, Claim, Ending, HoldState, HoldToken, Pin, Pinned, Places, Refusal, Sold};
use holdfast_tests::loaded::{self, once};
use redis::AsyncCommands;
use serde_json::json;

use crate::house::{House, ga, known, pinned, units};

/// The units of a pin, and those that were answered first.
fn chosen(pinned: Pinned) -> (Places, Option<Places>) {
    (pinned.places, pinned.first)
}

/// That a pin is refused, and tells that these are gone.
async fn is_lost(house: &House, token: HoldToken, places: &Places, wanted: &[&str]) {
    let pin = house.unchanged(async || house.pin(token, places, &Claim::default()).await).await;
    let Pin::Lost { gone, .. } = pin else { panic!("{pin:?}") };
    assert_eq!(gone, wanted);
}

/// Somebody who has bought these units, whoever holds them.
async fn sold_behind(house: &House, token: HoldToken, numbers: &[u32]) -> BookingId {
    let (buyer, places) = (BookingId::of(house.id(), loaded::any_token()), units(numbers));
    let sold = Sold {
        buyer,
        version: 1,
        places: &places,
        count: numbers.len(),
        ending: Ending::GoesOn,
        recorded: &Payments::NONE,
    };
    assert_eq!(house.mark(token, sold).await, numbers.len() as u64);
    buyer
}

#[tokio::test]
async fn one_that_is_gone_is_replaced() {
    let house = House::open().await;
    let (late, places) = house.late_taker(2).await;
    let (_, next) = house.taker(1).await;
    assert_eq!(next, units(&[1]), "what lapsed goes first");
    let answer = house.pinned(late, &places).await;
    assert_eq!(chosen(answer), (units(&[3, 2]), Some(units(&[1, 2]))));
    let record = house.status(late).await.unwrap();
    assert_eq!((record.state, record.places, record.first), (HoldState::Confirming, units(&[3, 2]), Some(places)));
    assert_eq!(house.count().await.held, 3);
    house.assert_zone_adds_up().await;
    assert_eq!(house.taker(2).await.1, units(&[4, 5]));
    assert_eq!(house.take(loaded::any_token(), 1).await.unwrap_err(), Refusal::SoldOut { remaining: 0 });
    // What it did not get stays with who has it, and what it got is its own to the end.
    house.sell(late, &units(&[3, 2])).await;
    assert_eq!((house.count().await.held, house.count().await.sold), (3, 2));
    house.assert_zone_adds_up().await;
}

#[tokio::test]
async fn all_that_are_gone_are_replaced() {
    let house = House::open().await;
    let (late, places) = house.late_taker(2).await;
    house.taker(2).await;
    assert_eq!(chosen(house.pinned(late, &places).await), (units(&[3, 4]), Some(units(&[1, 2]))));
    house.assert_zone_adds_up().await;
    assert_eq!(house.taker(1).await.1, units(&[5]));
    house.assert_zone_adds_up().await;
}

/// One that nobody wants any more is free for who asks for it, and no replacement for another.
#[tokio::test]
async fn too_few_others_lose_the_hold_whole_and_name_what_is_gone() {
    let house = House::open().await;
    let (late, places) = house.late_taker(2).await;
    let (first, one) = house.taker(1).await;
    house.taker(1).await;
    let (_, rest) = house.taker(3).await;
    assert_eq!((&one, rest), (&units(&[1]), units(&[3, 4, 5])));
    is_lost(&house, late, &places, &["GA-1", "GA-2"]).await;
    house.release(first, &one).await.unwrap();
    is_lost(&house, late, &places, &["GA-2"]).await;
    house.assert_zone_adds_up().await;
    assert_eq!(house.taker(1).await.1, units(&[1]));
}

/// The first confirm took another unit, the guard refused that one, too.
#[tokio::test]
async fn the_first_answer_stays_known_over_a_second_replacement() {
    let house = House::open().await;
    let (late, places) = house.late_taker(1).await;
    house.taker(1).await;
    assert_eq!(chosen(house.pinned(late, &places).await), (units(&[2]), Some(units(&[1]))));
    sold_behind(&house, late, &[2]).await;
    house.assert_zone_adds_up().await;
    // The caller may still name the first ones.
    for named in [&places, &units(&[2]), &units(&[3])] {
        assert_eq!(chosen(house.pinned(late, named).await), (units(&[3]), Some(units(&[1]))));
        house.assert_zone_adds_up().await;
    }
    assert_eq!(house.status(late).await.unwrap().first, Some(units(&[1])));
    assert_eq!(house.taker(2).await.1, units(&[4, 5]));
}

/// A hold in time, of which the guard refused a part.
#[tokio::test]
async fn a_hold_in_time_goes_on_with_other_units_and_its_own_life() {
    let house = House::open().await;
    let (token, places) = house.taker(3).await;
    let first = house.pinned(token, &places).await;
    let created_ms: i64 = house.raw().hget(keys::hold(house.id(), token), "created").await.unwrap();
    sold_behind(&house, token, &[2]).await;
    let again = house.pinned(token, &places).await;
    assert_eq!(again.confirmed_at_ms, first.confirmed_at_ms);
    assert_eq!(chosen(again), (units(&[1, 4, 3]), Some(places)));
    let still_ms: i64 = house.raw().hget(keys::hold(house.id(), token), "created").await.unwrap();
    assert_eq!(still_ms, created_ms, "it began when it began");
    assert_eq!((house.count().await.held, house.count().await.sold), (3, 1));
    house.assert_zone_adds_up().await;
}

/// Both have the units of the hold before either pinned: the second one is answered what the first one was.
#[tokio::test]
async fn two_pins_of_one_token_have_the_same_units() {
    let house = House::open().await;
    let (late, places) = house.late_taker(2).await;
    house.taker(2).await;
    let (one, two) = tokio::join!(house.pinned(late, &places), house.pinned(late, &places));
    assert_eq!(one.confirmed_at_ms, two.confirmed_at_ms);
    assert_eq!(chosen(one), chosen(two));
    assert_eq!(house.count().await.held, 4, "nothing was taken twice");
    house.assert_zone_adds_up().await;
}

/// Nobody has touched the zone since it lapsed: it goes to who asks first.
#[tokio::test]
async fn a_lapsed_unit_of_somebody_else_is_one_that_can_be_had() {
    let house = House::open().await;
    house.taker(3).await;
    let (other, late) = (loaded::any_token(), loaded::any_token());
    for token in [other, late] {
        let taken = house.redis.take_units(house.id(), &once(token), &ga(), 1, Some(300), &Buyer::default()).await;
        known(taken).unwrap();
    }
    house.lapse(late).await;
    sold_behind(&house, loaded::any_token(), &[5]).await;
    assert_eq!(chosen(house.pinned(late, &units(&[5])).await), (units(&[4]), Some(units(&[5]))));
    house.assert_zone_adds_up().await;
    assert_eq!(house.state(other).await, HoldState::Expired);
    is_lost(&house, other, &units(&[4]), &["GA-4"]).await;
}

/// The fresh counter walks over what the pin asks for besides; if it is let go, nothing is lost.
#[tokio::test]
async fn what_is_asked_for_is_no_replacement_for_another() {
    for asked in [[1, 2], [1, 3]] {
        let house = House::open().await;
        house.taker(1).await;
        let token = loaded::any_token();
        let (places, first) = chosen(house.pinned(token, &units(&asked)).await);
        assert!(places.same_as(&units(&[2, 3])), "{places:?}");
        assert_eq!(first, Some(units(&asked)));
        house.assert_zone_adds_up().await;
        house.free(token, 1, &places).await;
        house.assert_zone_adds_up().await;
        let rest = house.taker(4).await.1;
        assert!(rest.same_as(&units(&[2, 3, 4, 5])), "{rest:?}");
    }
}

/// Beyond the capacity, as it is now.
#[tokio::test]
async fn a_unit_that_the_zone_does_not_have_any_more_is_replaced() {
    let mut house = House::open().await;
    assert_eq!(chosen(house.pinned(loaded::any_token(), &units(&[6])).await), (units(&[1]), Some(units(&[6]))));
    house.assert_zone_adds_up().await;
    // A zone that is gone altogether has no others.
    house.apply(json!({"zones": []}), None).await;
    let vip = Places::Units { zone: holdfast::domain::ZoneId::parse("VIP").unwrap(), numbers: vec![1] };
    is_lost(&house, loaded::any_token(), &vip, &["VIP-1"]).await;
}

#[tokio::test]
async fn a_show_that_refuses_late_confirms_replaces_nothing() {
    let house = House::with(json!({"lateConfirm": "refuse"})).await;
    let (late, places) = house.late_taker(1).await;
    house.taker(1).await;
    is_lost(&house, late, &places, &[]).await;
    // In time is in time: what the guard refused is replaced here, too.
    let (token, places) = house.taker(1).await;
    house.pinned(token, &places).await;
    sold_behind(&house, token, &[2]).await;
    assert_eq!(pinned(house.pin(token, &places, &Claim::default()).await).places, units(&[3]));
    house.assert_zone_adds_up().await;
}
