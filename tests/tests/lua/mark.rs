//! `mark.lua`

use holdfast::adapters::redis::keys;
use holdfast::domain::{BookingId, HoldToken};
use holdfast::ports::{Ending, HoldState, MarkSold, Sold, Touch};
use holdfast_tests::loaded::small_show;
use redis::AsyncCommands;

use crate::house::{House, ga, seats, units};

#[tokio::test]
async fn codes_in_order_of_precedence() {
    let house = House::unloaded(small_show(6, 5)).await;
    let (token, places) = (HoldToken::random(), seats(&["E1"]));
    let buyer = BookingId::of(house.id(), token);
    let sold = Sold { buyer, version: 1, places: &places, count: 1, ending: Ending::Confirmed(buyer) };
    let mark = house.redis.mark_sold(house.id(), token, sold.clone()).await;
    assert!(matches!(mark, Ok(Touch::NotLoaded)), "{mark:?}");
    house.load().await;
    house.mark(token, sold).await;
    assert_eq!(house.seats().await["E1"], buyer.to_string());
}

#[tokio::test]
async fn what_was_sold_is_sold_once_and_its_hold_is_over() {
    let house = House::open().await;
    let (e1, token) = (seats(&["E1", "E2"]), house.holder(&["E1", "E2"]).await);
    house.pinned(token, &e1).await;
    let booking = house.twice(async || house.sell(token, &e1).await).await;
    for seat in ["E1", "E2"] {
        assert_eq!(house.seats().await[seat], booking.to_string());
        assert_eq!((house.lock(seat).await.0, house.indexed(seat).await), (None, None));
    }
    let record = house.status(token).await.unwrap();
    assert_eq!((record.state, record.booking), (HoldState::Confirmed, Some(booking)));
    assert!(!house.is_confirming(token).await);
    assert_eq!(house.events().await.last(), Some(&("sold".to_owned(), "E1 E2".to_owned())));
}

#[tokio::test]
async fn units_are_sold_too() {
    let house = House::open().await;
    let (token, places) = house.taker(2).await;
    house.pinned(token, &places).await;
    house.twice(async || house.sell(token, &places).await).await;
    let count = house.count().await;
    assert_eq!((count.held, count.sold), (0, 2));
    house.assert_zone_adds_up().await;
    assert_eq!(house.taker(3).await.1, units(&[3, 4, 5]));
}

/// The hold has lapsed, or Redis has lost it: the record is the record.
#[tokio::test]
async fn a_late_mark_sells_what_nobody_has() {
    let house = House::open().await;
    let late = house.late_holder(&["E1"]).await;
    let booking = house.sell(late, &seats(&["E1"])).await;
    assert_eq!(house.seats().await["E1"], booking.to_string());
    assert_eq!(house.state(late).await, HoldState::Confirmed);

    let lost = HoldToken::random();
    let booking = house.twice(async || house.sell(lost, &seats(&["E2"])).await).await;
    assert_eq!(house.seats().await["E2"], booking.to_string());
    assert!(house.status(lost).await.is_none(), "a mark makes no hold");

    let (late, places) = house.late_taker(1).await;
    house.sell(late, &places).await;
    house.sell(HoldToken::random(), &units(&[4])).await;
    assert_eq!((house.count().await.held, house.count().await.sold), (0, 2));
    house.assert_zone_adds_up().await;
    assert_eq!(house.taker(3).await.1, units(&[2, 3, 5]), "the fresh counter walks around what was marked");
}

/// The booking was cancelled meanwhile: what the mark says is no longer so.
#[tokio::test]
async fn an_older_version_changes_nothing() {
    let house = House::open().await;
    let (e1, token) = (seats(&["E1"]), house.holder(&["E1"]).await);
    let buyer = house.sell(token, &e1).await;
    house.free(token, 2, &e1).await;
    house.unchanged(async || house.sell(token, &e1).await).await;
    assert_eq!(house.seats().await["E1"], "");
    house.mark(token, Sold { buyer, version: 3, places: &e1, count: 1, ending: Ending::Confirmed(buyer) }).await;
    assert_eq!(house.seats().await["E1"], buyer.to_string());
    house.unchanged(async || house.free(token, 2, &e1).await).await;
}

#[tokio::test]
async fn a_place_of_another_booking_is_not_touched_and_a_later_mark_can_still_have_it() {
    let house = House::open().await;
    let first = house.holder(&["E1"]).await;
    let theirs = house.sell(first, &seats(&["E1"])).await;
    let (second, both) = (HoldToken::random(), seats(&["E1", "E2"]));
    let ours = house.sell(second, &both).await;
    assert_eq!((&house.seats().await["E1"], &house.seats().await["E2"]), (&theirs.to_string(), &ours.to_string()));
    assert_eq!(house.version_of(ours).await, None, "a mark that passed a place over is not done");
    house.free(first, 2, &seats(&["E1"])).await;
    house.sell(second, &both).await;
    assert_eq!(house.seats().await["E1"], ours.to_string());
    assert_eq!(house.version_of(ours).await, Some(1));
}

#[tokio::test]
async fn a_live_hold_of_another_token_is_not_touched_and_a_later_mark_can_still_have_it() {
    let house = House::open().await;
    let live = house.holder(&["E1"]).await;
    let (sold, e1) = (HoldToken::random(), seats(&["E1"]));
    let booking = house.unchanged(async || house.sell(sold, &e1).await).await;
    assert_eq!((house.lock("E1").await.0, house.version_of(booking).await), (Some(live.to_string()), None));
    house.release(live, &e1).await.unwrap();
    house.sell(sold, &e1).await;
    assert_eq!((&house.seats().await["E1"], house.version_of(booking).await), (&booking.to_string(), Some(1)));

    let (live, places) = house.taker(1).await;
    house.unchanged(async || house.sell(HoldToken::random(), &places).await).await;
    assert_eq!(house.state(live).await, HoldState::Active);
    house.assert_zone_adds_up().await;
}

/// A lapsed unit that nobody has touched since is nobody's.
#[tokio::test]
async fn a_lapsed_unit_of_another_token_is_marked() {
    let house = House::open().await;
    let (_, places) = house.late_taker(1).await;
    let booking = house.sell(HoldToken::random(), &places).await;
    assert_eq!((house.count().await.sold, house.version_of(booking).await), (1, Some(1)));
    house.assert_zone_adds_up().await;
    assert_eq!(house.taker(4).await.1, units(&[2, 3, 4, 5]));
}

/// The guard refused the loser a place that Redis had let them hold.
#[tokio::test]
async fn read_repair_ends_the_losers_hold_and_frees_the_rest() {
    let house = House::open().await;
    let (loser, places) = (house.holder(&["E1", "E2", "E3"]).await, seats(&["E1", "E2", "E3"]));
    house.pinned(loser, &places).await;
    let winner = BookingId::of(house.id(), HoldToken::random());
    let sold = Sold { buyer: winner, version: 1, places: &places, count: 1, ending: house.refused(loser) };
    house
        .twice(async || {
            house.mark(loser, sold.clone()).await;
        })
        .await;
    let now = house.seats().await;
    assert_eq!([&now["E1"], &now["E2"], &now["E3"]], [&winner.to_string(), "", ""]);
    let record = house.status(loser).await.unwrap();
    assert_eq!((record.state, record.booking), (HoldState::Refused, Some(BookingId::of(house.id(), loser))));
    assert!(!house.is_confirming(loser).await);
    assert_eq!((house.indexed("E1").await, house.indexed("E3").await), (None, None));
    let ends = [("sold", "E1"), ("freed", "E2 E3")].map(|(what, places)| (what.to_owned(), places.to_owned()));
    assert!(house.events().await.ends_with(&ends));
    house.holder(&["E2", "E3"]).await;
}

#[tokio::test]
async fn read_repair_of_units_leaves_the_count_right() {
    let house = House::open().await;
    let (loser, places) = house.taker(3).await;
    house.pinned(loser, &places).await;
    let winner = BookingId::of(house.id(), HoldToken::random());
    house
        .mark(loser, Sold { buyer: winner, version: 1, places: &places, count: 1, ending: house.refused(loser) })
        .await;
    assert_eq!((house.count().await.held, house.count().await.sold), (0, 1));
    house.assert_zone_adds_up().await;
    assert_eq!(house.taker(4).await.1, units(&[2, 3, 4, 5]));
}

/// Two others have one place each: a mark for each of them, and the rest is freed once.
#[tokio::test]
async fn read_repair_of_two_winners() {
    let house = House::open().await;
    let loser = house.holder(&["E1", "E2", "E3"]).await;
    house.pinned(loser, &seats(&["E1", "E2", "E3"])).await;
    let winners = [(); 2].map(|()| BookingId::of(house.id(), HoldToken::random()));
    let (all, rest) = (seats(&["E1", "E2", "E3"]), seats(&["E2", "E3"]));
    house
        .mark(loser, Sold { buyer: winners[0], version: 1, places: &all, count: 1, ending: house.refused(loser) })
        .await;
    house
        .mark(loser, Sold { buyer: winners[1], version: 1, places: &rest, count: 1, ending: house.refused(loser) })
        .await;
    let now = house.seats().await;
    assert_eq!([&now["E1"], &now["E2"], &now["E3"]], [&winners[0].to_string(), &winners[1].to_string(), ""]);
}

/// A new layout does not have the seat any more.
#[tokio::test]
async fn a_mark_adds_no_place_to_the_show() {
    let house = House::open().await;
    house.unchanged(async || house.sell(HoldToken::random(), &seats(&["E9"])).await).await;
}

/// The capacity was lowered after the unit was handed out, and before Redis heard that it was sold.
#[tokio::test]
async fn a_unit_above_the_capacity_is_marked_for_who_has_it() {
    let house = House::open().await;
    let token = HoldToken::random();
    house.twice(async || house.sell(token, &units(&[6])).await).await;
    assert_eq!(house.count().await.sold, 1);
    house.assert_zone_adds_up().await;
}

/// The mark of a booking of two places was lost, and two losers find one of them each: both are repaired.
#[tokio::test]
async fn read_repair_of_one_place_does_not_hide_the_others_of_the_booking() {
    let house = House::open().await;
    let winner = BookingId::of(house.id(), HoldToken::random());
    for seat in ["E1", "E2"] {
        let (loser, place) = (house.holder(&[seat]).await, seats(&[seat]));
        house.pinned(loser, &place).await;
        house
            .mark(loser, Sold { buyer: winner, version: 1, places: &place, count: 1, ending: house.refused(loser) })
            .await;
    }
    let now = house.seats().await;
    assert_eq!([&now["E1"], &now["E2"]], [&winner.to_string(), &winner.to_string()]);
}

/// The guard refused some of the units: the hold goes on, and others take their place.
#[tokio::test]
async fn a_repair_may_let_the_hold_go_on() {
    let house = House::open().await;
    let (loser, places) = house.taker(3).await;
    house.pinned(loser, &places).await;
    let winner = BookingId::of(house.id(), HoldToken::random());
    let sold = Sold { buyer: winner, version: 1, places: &places, count: 1, ending: Ending::GoesOn };
    house
        .twice(async || {
            house.mark(loser, sold.clone()).await;
        })
        .await;
    let record = house.status(loser).await.unwrap();
    assert_eq!((record.state, record.booking), (HoldState::Confirming, None));
    assert!(house.is_confirming(loser).await && record.lease.expires_in_ms > 100_000, "{record:?}");
    assert_eq!((house.count().await.held, house.count().await.sold), (2, 1));
    assert_eq!((house.indexed("GA-1").await, house.version_of(winner).await), (None, Some(1)));
    house.assert_zone_adds_up().await;
    assert_eq!(house.taker(2).await.1, units(&[4, 5]), "the rest stays with the hold");
}

/// A restore that the guard refused, or a hold that a reconcile finds sold: it ends as if it had lapsed.
#[tokio::test]
async fn a_repair_may_end_the_hold_as_lost() {
    let house = House::open().await;
    let (loser, places) = (house.holder(&["E1", "E2"]).await, seats(&["E1", "E2"]));
    house.pinned(loser, &places).await;
    let winner = BookingId::of(house.id(), HoldToken::random());
    let sold = Sold { buyer: winner, version: 1, places: &places, count: 1, ending: Ending::Lost };
    house
        .twice(async || {
            house.mark(loser, sold.clone()).await;
        })
        .await;
    let record = house.status(loser).await.unwrap();
    assert_eq!((record.state, record.booking, record.lease.expires_in_ms), (HoldState::Expired, None, 0));
    assert!(!house.is_confirming(loser).await);
    assert_eq!((house.lock("E2").await.0, house.indexed("E1").await, house.indexed("E2").await), (None, None, None));
    house.holder(&["E2"]).await;
    // Its owner is told what anybody is told whose time is over.
    let again = house.unchanged(async || house.hold(loser, &["E1", "E2"]).await.unwrap()).await;
    assert_eq!((again.state, again.lease.expires_in_ms), (HoldState::Expired, 0));
    let lost = holdfast::domain::Refusal::HoldLost { booking: None };
    assert_eq!(house.extend(loser, &places, 1_000).await, Err(lost.clone()));
    assert_eq!(house.release(loser, &places).await, Err(lost));
}

/// A torn replica has a place as sold and as held by the very hold that ends: whoever bought it keeps it.
#[tokio::test]
async fn what_is_sold_and_held_stays_sold_and_is_held_no_more() {
    let house = House::open().await;
    let buyer = BookingId::of(house.id(), HoldToken::random());
    let (holder, places) = (house.holder(&["E1", "E2"]).await, seats(&["E1", "E2"]));
    let _: () = house.raw().hset(keys::seats(house.id()), "E1", buyer.to_string()).await.unwrap();
    let own = house.sell(holder, &places).await;
    let now = house.seats().await;
    assert_eq!([&now["E1"], &now["E2"]], [&buyer.to_string(), &own.to_string()]);
    assert_eq!((house.lock("E1").await.0, house.indexed("E1").await), (None, None));
    assert_eq!(house.version_of(own).await, None, "a mark that passed a place over is not done");

    let (holder, places) = house.taker(1).await;
    let _: () = house.raw().hset(keys::stock_sold(house.id(), &ga()), 1, buyer.to_string()).await.unwrap();
    house.sell(holder, &places).await;
    assert_eq!((house.count().await.held, house.count().await.sold), (0, 1));
    house.assert_zone_adds_up().await;
}
