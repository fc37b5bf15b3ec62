//! `mark.lua`, as a read repair: the guard found places sold that Redis let a token hold.

use holdfast::adapters::redis::keys;
use holdfast::domain::payment::Payments;
use holdfast::domain::{BookingId, Ending, Freed, HoldState, Sold};
use holdfast_tests::loaded;
use redis::AsyncCommands;

use crate::house::{House, ga, seats, units};

/// The guard refused the loser a place that Redis had let them hold.
#[tokio::test]
async fn read_repair_ends_the_losers_hold_and_frees_the_rest() {
    let house = House::open().await;
    let (loser, places) = (house.holder(&["E1", "E2", "E3"]).await, seats(&["E1", "E2", "E3"]));
    house.pinned(loser, &places).await;
    let winner = BookingId::of(house.id(), loaded::any_token());
    let sold = Sold {
        buyer: winner,
        version: 1,
        places: &places,
        count: 1,
        ending: house.refused(loser),
        recorded: &Payments::NONE,
    };
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
    let winner = BookingId::of(house.id(), loaded::any_token());
    house
        .mark(
            loser,
            Sold {
                buyer: winner,
                version: 1,
                places: &places,
                count: 1,
                ending: house.refused(loser),
                recorded: &Payments::NONE,
            },
        )
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
    let winners = [(); 2].map(|()| BookingId::of(house.id(), loaded::any_token()));
    let (all, rest) = (seats(&["E1", "E2", "E3"]), seats(&["E2", "E3"]));
    house
        .mark(
            loser,
            Sold {
                buyer: winners[0],
                version: 1,
                places: &all,
                count: 1,
                ending: house.refused(loser),
                recorded: &Payments::NONE,
            },
        )
        .await;
    house
        .mark(
            loser,
            Sold {
                buyer: winners[1],
                version: 1,
                places: &rest,
                count: 1,
                ending: house.refused(loser),
                recorded: &Payments::NONE,
            },
        )
        .await;
    let now = house.seats().await;
    assert_eq!([&now["E1"], &now["E2"], &now["E3"]], [&winners[0].to_string(), &winners[1].to_string(), ""]);
}

/// The mark of a booking of two places was lost, and two losers find one of them each: both are repaired.
#[tokio::test]
async fn read_repair_of_one_place_does_not_hide_the_others_of_the_booking() {
    let house = House::open().await;
    let winner = BookingId::of(house.id(), loaded::any_token());
    for seat in ["E1", "E2"] {
        let (loser, place) = (house.holder(&[seat]).await, seats(&[seat]));
        house.pinned(loser, &place).await;
        house
            .mark(
                loser,
                Sold {
                    buyer: winner,
                    version: 1,
                    places: &place,
                    count: 1,
                    ending: house.refused(loser),
                    recorded: &Payments::NONE,
                },
            )
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
    let winner = BookingId::of(house.id(), loaded::any_token());
    let sold = Sold {
        buyer: winner,
        version: 1,
        places: &places,
        count: 1,
        ending: Ending::GoesOn,
        recorded: &Payments::NONE,
    };
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

/// A hold that is being confirmed has a decision on its way, which ends it: a payment may be in it.
#[tokio::test]
async fn a_hold_that_is_being_confirmed_is_not_lost_to_a_sale() {
    let house = House::open().await;
    let (loser, places) = (house.holder(&["E1", "E2"]).await, seats(&["E1", "E2"]));
    house.pinned(loser, &places).await;
    let winner = BookingId::of(house.id(), loaded::any_token());
    house
        .mark(
            loser,
            Sold {
                buyer: winner,
                version: 1,
                places: &places,
                count: 1,
                ending: Ending::Lost,
                recorded: &Payments::NONE,
            },
        )
        .await;
    assert_eq!(house.state(loser).await, HoldState::Confirming);
    assert!(house.is_confirming(loser).await, "a reconcile still settles it");
    assert_eq!(house.lock("E2").await.0, Some(loser.to_string()));
}

/// The sale was cancelled since it was read.
#[tokio::test]
async fn a_sale_that_is_not_the_newest_ends_no_hold() {
    let house = House::open().await;
    let winner = BookingId::of(house.id(), loaded::any_token());
    let places = seats(&["E1", "E2"]);
    let freed =
        Freed { booking: winner, version: 2, places: &seats(&["E1"]), ending: Ending::Lost, recorded: &Payments::NONE };
    house.freed(loaded::any_token(), freed).await;
    let holder = house.holder(&["E1", "E2"]).await;
    house
        .mark(
            holder,
            Sold {
                buyer: winner,
                version: 1,
                places: &places,
                count: 1,
                ending: Ending::Lost,
                recorded: &Payments::NONE,
            },
        )
        .await;
    assert_eq!(house.state(holder).await, HoldState::Active);
    assert_eq!(house.lock("E1").await.0, Some(holder.to_string()));
}

/// A hold that a reconcile finds sold: it ends as if it had lapsed.
#[tokio::test]
async fn a_repair_may_end_the_hold_as_lost() {
    let house = House::open().await;
    let (loser, places) = (house.holder(&["E1", "E2"]).await, seats(&["E1", "E2"]));
    let winner = BookingId::of(house.id(), loaded::any_token());
    let sold =
        Sold { buyer: winner, version: 1, places: &places, count: 1, ending: Ending::Lost, recorded: &Payments::NONE };
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
    // Its owner is answered as the owner of a hold that lapsed.
    let again = house.unchanged(async || house.hold(loser, &["E1", "E2"]).await.unwrap_err()).await;
    let (token, state) = (loser, HoldState::Expired);
    assert_eq!(again, holdfast::domain::Refusal::HoldEnded { token, state, booking: None });
    let lost = holdfast::domain::Refusal::HoldLost { booking: None };
    assert_eq!(house.extend(loser, &places, 1_000).await, Err(lost.clone()));
    assert_eq!(house.release(loser, &places).await, Err(lost));
}

/// A torn replica has a place as sold and as held by the very hold that ends: whoever bought it keeps it.
#[tokio::test]
async fn what_is_sold_and_held_stays_sold_and_is_held_no_more() {
    let house = House::open().await;
    let buyer = BookingId::of(house.id(), loaded::any_token());
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
