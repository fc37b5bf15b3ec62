//! `mark.lua`

use holdfast::Touch;
use holdfast::domain::payment::Payments;
use holdfast::domain::{BookingId, Ending, HoldState, Sold};
use holdfast_tests::loaded::{self, small_show};

use crate::house::{House, seats, units};

#[tokio::test]
async fn codes_in_order_of_precedence() {
    let house = House::unloaded(small_show(6, 5)).await;
    let (token, places) = (loaded::any_token(), seats(&["E1"]));
    let buyer = BookingId::of(house.id(), token);
    let sold = Sold {
        buyer,
        version: 1,
        places: &places,
        count: 1,
        ending: Ending::Confirmed(buyer),
        recorded: &Payments::NONE,
    };
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

    let lost = loaded::any_token();
    let booking = house.twice(async || house.sell(lost, &seats(&["E2"])).await).await;
    assert_eq!(house.seats().await["E2"], booking.to_string());
    assert!(house.status(lost).await.is_none(), "a mark makes no hold");

    let (late, places) = house.late_taker(1).await;
    house.sell(late, &places).await;
    house.sell(loaded::any_token(), &units(&[4])).await;
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
    house
        .mark(
            token,
            Sold {
                buyer,
                version: 3,
                places: &e1,
                count: 1,
                ending: Ending::Confirmed(buyer),
                recorded: &Payments::NONE,
            },
        )
        .await;
    assert_eq!(house.seats().await["E1"], buyer.to_string());
    house.unchanged(async || house.free(token, 2, &e1).await).await;
}

#[tokio::test]
async fn a_place_of_another_booking_is_not_touched_and_a_later_mark_can_still_have_it() {
    let house = House::open().await;
    let first = house.holder(&["E1"]).await;
    let theirs = house.sell(first, &seats(&["E1"])).await;
    let (second, both) = (loaded::any_token(), seats(&["E1", "E2"]));
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
    let (sold, e1) = (loaded::any_token(), seats(&["E1"]));
    let booking = house.unchanged(async || house.sell(sold, &e1).await).await;
    assert_eq!((house.lock("E1").await.0, house.version_of(booking).await), (Some(live.to_string()), None));
    house.release(live, &e1).await.unwrap();
    house.sell(sold, &e1).await;
    assert_eq!((&house.seats().await["E1"], house.version_of(booking).await), (&booking.to_string(), Some(1)));

    let (live, places) = house.taker(1).await;
    house.unchanged(async || house.sell(loaded::any_token(), &places).await).await;
    assert_eq!(house.state(live).await, HoldState::Active);
    house.assert_zone_adds_up().await;
}

/// A lapsed unit that nobody has touched since is nobody's.
#[tokio::test]
async fn a_lapsed_unit_of_another_token_is_marked() {
    let house = House::open().await;
    let (_, places) = house.late_taker(1).await;
    let booking = house.sell(loaded::any_token(), &places).await;
    assert_eq!((house.count().await.sold, house.version_of(booking).await), (1, Some(1)));
    house.assert_zone_adds_up().await;
    assert_eq!(house.taker(4).await.1, units(&[2, 3, 4, 5]));
}

/// A new layout does not have the seat any more.
#[tokio::test]
async fn a_mark_adds_no_place_to_the_show() {
    let house = House::open().await;
    house.unchanged(async || house.sell(loaded::any_token(), &seats(&["E9"])).await).await;
}

/// The capacity was lowered after the unit was handed out, and before Redis heard that it was sold.
#[tokio::test]
async fn a_unit_above_the_capacity_is_marked_for_who_has_it() {
    let house = House::open().await;
    let token = loaded::any_token();
    house.twice(async || house.sell(token, &units(&[6])).await).await;
    assert_eq!(house.count().await.sold, 1);
    house.assert_zone_adds_up().await;
}
