//! `pin.lua`, for a restore: the places of a booking that was cancelled are taken again.

use holdfast::Touch;
use holdfast::adapters::redis::keys;
use holdfast::domain::payment::Payments;
use holdfast::domain::{BookingId, Claim, Closing, Ending, Freed, HoldState, PIN_MS, Pin, Places, Sold};
use holdfast_tests::loaded;
use serde_json::json;

use crate::house::{House, pinned, seats, units};

fn booking(house: &House) -> BookingId {
    BookingId::of(house.id(), loaded::any_token())
}

/// That a restore is refused because of these, and leaves everything as it was.
async fn is_gone(house: &House, places: &Places, wanted: &[&str]) {
    let (token, booking) = (loaded::any_token(), booking(house));
    let pin = house.unchanged(async || house.restore(token, places, booking).await).await;
    let Pin::Lost { gone, pinned: None } = pin else { panic!("{pin:?}") };
    assert_eq!(gone, wanted);
}

#[tokio::test]
async fn it_minds_neither_window_nor_limit_nor_policy() {
    let closed = json!({
        "sale": {"closesAt": "2020-01-01T00:00:00Z"}, "limits": {"maxPlacesPerHold": 1}, "lateConfirm": "refuse",
    });
    let house = House::with(closed).await;
    for places in [seats(&["E1", "E2"]), units(&[1, 2])] {
        let (token, booking) = (loaded::any_token(), booking(&house));
        // Nobody else could.
        let pin = house.unchanged(async || house.pin(token, &places, &Claim::default()).await).await;
        assert!(matches!(pin, Pin::Lost { .. }), "{pin:?}");
        let first = pinned(house.restore(token, &places, booking).await);
        let record = house.status(token).await.unwrap();
        assert_eq!((record.state, &record.places, record.restores), (HoldState::Confirming, &places, Some(booking)));
        assert!(house.is_confirming(token).await, "a reconcile would find it");
        let left_ms = record.lease.expires_in_ms;
        assert!((PIN_MS - 10_000..=PIN_MS).contains(&left_ms), "{left_ms}");
        // The same call again is the same hold.
        let again = pinned(house.restore(token, &places, booking).await);
        assert_eq!((again.confirmed_at_ms, again.places, again.first), (first.confirmed_at_ms, places, None));
    }
    assert_eq!(house.count().await.held, 2);
    house.assert_zone_adds_up().await;
}

#[tokio::test]
async fn a_seat_that_is_held_sold_or_gone_is_named_and_none_is_taken() {
    let house = House::open().await;
    house.holder(&["E2"]).await;
    let buyer = house.holder(&["E3"]).await;
    house.sell(buyer, &seats(&["E3"])).await;
    house.late_holder(&["E4"]).await;
    is_gone(&house, &seats(&["E9", "E1", "E2", "E3", "E4"]), &["E9", "E2", "E3"]).await;
    pinned(house.restore(loaded::any_token(), &seats(&["E1", "E4"]), booking(&house)).await);
}

/// Whether the seat stays is not known yet.
#[tokio::test]
async fn a_seat_that_is_being_closed_is_try_again() {
    let mut house = House::open().await;
    let closing = Closing { version: 2, mark: "mark".to_owned() };
    house.close(&closing, &["E6"]).await;
    let (token, e6) = (loaded::any_token(), seats(&["E6"]));
    let pin = house.redis.pin_hold(house.id(), token, &e6, &Claim::default(), Some(booking(&house))).await;
    assert!(matches!(pin, Ok(Touch::Closing { left_ms: 1..=10_000 })), "{pin:?}");
    house.apply(json!({}), Some(&closing)).await;
    is_gone(&house, &e6, &["E6"]).await;
}

#[tokio::test]
async fn units_that_are_gone_are_replaced_while_there_are_others() {
    let house = House::open().await;
    house.taker(2).await;
    let answer = pinned(house.restore(loaded::any_token(), &units(&[1, 2, 3]), booking(&house)).await);
    assert!(answer.places.same_as(&units(&[3, 4, 5])), "{:?}", answer.places);
    assert_eq!(answer.first, Some(units(&[1, 2, 3])));
    house.assert_zone_adds_up().await;
    is_gone(&house, &units(&[4, 1]), &["GA-4", "GA-1"]).await;
}

/// It ended as lost, since the guard refused it; when the seat is free again, it may come again, with a new life.
#[tokio::test]
async fn a_restore_that_was_lost_may_come_again() {
    let house = House::open().await;
    let (token, booking, e1) = (loaded::any_token(), booking(&house), seats(&["E1", "E2"]));
    pinned(house.restore(token, &e1, booking).await);
    let rival = BookingId::of(house.id(), loaded::any_token());
    let sold =
        Sold { buyer: rival, version: 1, places: &e1, count: 1, ending: Ending::Lost, recorded: &Payments::NONE };
    assert_eq!(house.mark(token, sold).await, 1);
    let record = house.status(token).await.unwrap();
    assert_eq!((record.state, record.booking, house.is_confirming(token).await), (HoldState::Expired, None, false));
    assert_eq!((house.lock("E2").await.0, house.indexed("E2").await), (None, None));

    let pin = house.unchanged(async || house.restore(token, &e1, booking).await).await;
    assert!(matches!(&pin, Pin::Lost { gone, .. } if *gone == ["E1"]), "{pin:?}");
    let freed = Freed {
        booking: rival,
        version: 2,
        places: &seats(&["E1"]),
        ending: Ending::Confirmed(rival),
        recorded: &Payments::NONE,
    };
    assert_eq!(house.freed(loaded::any_token(), freed).await, 1);
    pinned(house.restore(token, &e1, booking).await);
    assert_eq!(house.lock("E1").await.0, Some(token.to_string()));
    // And once it is decided, it is decided.
    let sold = Sold {
        buyer: booking,
        version: 3,
        places: &e1,
        count: 2,
        ending: Ending::Confirmed(booking),
        recorded: &Payments::NONE,
    };
    assert_eq!(house.mark(token, sold).await, 2);
    let pin = house.unchanged(async || house.restore(token, &e1, booking).await).await;
    assert!(matches!(pin, Pin::Decided), "{pin:?}");
    let version: Option<u64> =
        redis::AsyncCommands::get(&mut house.raw(), keys::booking(house.id(), booking)).await.unwrap();
    assert_eq!(version, Some(3));
}
