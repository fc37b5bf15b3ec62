//! `free.lua`

use holdfast::Touch;
use holdfast::adapters::redis::keys;
use holdfast::domain::payment::Payments;
use holdfast::domain::{BookingId, Claim, Ending, Freed, HoldState, Pin, Places};
use holdfast_tests::loaded::{self, small_show};
use redis::AsyncCommands;

use crate::house::{House, seats, units};

#[tokio::test]
async fn codes_in_order_of_precedence() {
    let house = House::unloaded(small_show(6, 5)).await;
    let (token, e1) = (loaded::any_token(), seats(&["E1"]));
    let booking = BookingId::of(house.id(), token);
    let freed = Freed { booking, version: 1, places: &e1, ending: Ending::Refused(booking), recorded: &Payments::NONE };
    let free = house.redis.free_places(house.id(), token, freed).await;
    assert!(matches!(free, Ok(Touch::NotLoaded)), "{free:?}");
    house.load().await;
    house.hold(token, &["E1"]).await.unwrap();
    house.free(token, 1, &e1).await;
    assert_eq!(house.lock("E1").await.0, None);
}

#[tokio::test]
async fn a_refused_hold_ends_once() {
    let house = House::open().await;
    let (token, places) = (house.holder(&["E1", "E2"]).await, seats(&["E1", "E2"]));
    house.pinned(token, &places).await;
    house
        .twice(async || {
            house.free(token, 1, &places).await;
        })
        .await;
    let record = house.status(token).await.unwrap();
    assert_eq!((record.state, record.booking), (HoldState::Refused, Some(BookingId::of(house.id(), token))));
    assert_eq!((house.indexed("E1").await, house.is_confirming(token).await), (None, false));
    assert_eq!(house.events().await.last(), Some(&("freed".to_owned(), "E1 E2".to_owned())));
    house.holder(&["E2", "E1"]).await;
}

#[tokio::test]
async fn what_was_sold_is_for_sale_again() {
    let house = House::open().await;
    let (token, places) = (house.holder(&["E1", "E2"]).await, seats(&["E1", "E2"]));
    house.sell(token, &places).await;
    house
        .twice(async || {
            house.free(token, 2, &places).await;
        })
        .await;
    house.holder(&["E1", "E2"]).await;

    let (token, places) = house.taker(2).await;
    house.sell(token, &places).await;
    house
        .twice(async || {
            house.free(token, 2, &places).await;
        })
        .await;
    assert_eq!((house.count().await.held, house.count().await.sold), (0, 0));
    house.assert_zone_adds_up().await;
    assert_eq!(house.taker(5).await.1, units(&[1, 2, 3, 4, 5]));
}

#[tokio::test]
async fn a_free_that_comes_after_the_resale_changes_nothing() {
    let house = House::open().await;
    let (first, e1) = (house.holder(&["E1"]).await, seats(&["E1"]));
    let first_booking = house.sell(first, &e1).await;
    house.free(first, 2, &e1).await;
    let second = house.holder(&["E1"]).await;
    house.unchanged(async || house.free(first, 2, &e1).await).await;
    let booking = house.sell(second, &e1).await;
    house.unchanged(async || house.free(first, 2, &e1).await).await;
    // Also when Redis has forgotten how far it was with the first one.
    let _: i64 = house.raw().del(keys::booking(house.id(), first_booking)).await.unwrap();
    house.free(first, 2, &e1).await;
    assert_eq!(house.seats().await["E1"], booking.to_string());
}

/// A late free of a token whose places others have: nothing of theirs moves.
#[tokio::test]
async fn a_live_hold_of_another_token_is_not_touched() {
    let house = House::open().await;
    let late = house.late_holder(&["E1", "E2"]).await;
    let next = house.holder(&["E1"]).await;
    house.free(late, 1, &seats(&["E1", "E2"])).await;
    assert_eq!(house.lock("E1").await.0, Some(next.to_string()));
    assert!(house.indexed("E1").await.is_some());
    assert_eq!(house.state(late).await, HoldState::Refused);

    let (late, places) = house.late_taker(1).await;
    let (next, same) = house.taker(1).await;
    assert_eq!(places, same);
    house.free(late, 1, &places).await;
    assert_eq!(house.state(next).await, HoldState::Active);
    assert_eq!(house.count().await.held, 1);
    house.assert_zone_adds_up().await;
}

#[tokio::test]
async fn a_free_makes_no_hold() {
    let house = House::open().await;
    let token = loaded::any_token();
    house.free(token, 1, &seats(&["E1"])).await;
    assert!(house.status(token).await.is_none());
    house.holder(&["E1"]).await;
}

/// A first call freed a part, or Redis lost what it did: the same version does what is left to do, and no older one does.
#[tokio::test]
async fn the_same_version_again_does_what_is_left_to_do() {
    let house = House::open().await;
    let (token, both) = (house.holder(&["E1", "E2"]).await, seats(&["E1", "E2"]));
    let booking = house.sell(token, &both).await;
    let freed = async |version, places: &Places| {
        let ending = Ending::Confirmed(booking);
        house.freed(loaded::any_token(), Freed { booking, version, places, ending, recorded: &Payments::NONE }).await
    };
    assert_eq!(freed(2, &seats(&["E1"])).await, 1);
    assert_eq!(house.unchanged(async || freed(1, &both).await).await, 0);
    assert_eq!(freed(2, &both).await, 1);
    assert_eq!(house.unchanged(async || freed(2, &both).await).await, 0);
    house.holder(&["E1", "E2"]).await;
}

/// Redis says that it is sold to a booking that was never written.
#[tokio::test]
async fn version_0_frees_what_no_booking_has_and_leaves_no_version() {
    let house = House::open().await;
    let (token, e1) = (house.holder(&["E1"]).await, seats(&["E1"]));
    let booking = house.sell(token, &e1).await;
    let nobody = loaded::any_token();
    let freed = Freed { booking, version: 0, places: &e1, ending: Ending::Lost, recorded: &Payments::NONE };
    assert_eq!(house.freed(nobody, freed.clone()).await, 1);
    assert_eq!((&*house.seats().await["E1"], house.version_of(booking).await), ("", Some(1)));
    assert_eq!(house.unchanged(async || house.freed(nobody, freed.clone()).await).await, 0);
    // If it is written in the end, its mark still counts.
    house.sell(token, &e1).await;
    assert_eq!(house.seats().await["E1"], booking.to_string());
    // And of a booking that Redis never heard of, it leaves nothing behind.
    let (other, e2) = (loaded::any_token(), seats(&["E2"]));
    let booking = BookingId::of(house.id(), other);
    let _: () = house.raw().hset(keys::seats(house.id()), "E2", booking.to_string()).await.unwrap();
    let freed = Freed { booking, version: 0, places: &e2, ending: Ending::Lost, recorded: &Payments::NONE };
    assert_eq!(house.freed(nobody, freed).await, 1);
    assert_eq!(house.version_of(booking).await, None);
    let (buyer, places) = house.taker(1).await;
    let booking = house.sell(buyer, &places).await;
    let freed = Freed { booking, version: 0, places: &places, ending: Ending::Lost, recorded: &Payments::NONE };
    assert_eq!(house.freed(nobody, freed).await, 1);
    house.assert_zone_adds_up().await;
}

/// A token of which Redis knows nothing but that it was pinned.
#[tokio::test]
async fn a_token_without_a_record_leaves_the_list() {
    let house = House::open().await;
    let (token, e1) = (house.holder(&["E1"]).await, seats(&["E1"]));
    house.pinned(token, &e1).await;
    house.lose(token).await;
    let booking = BookingId::of(house.id(), token);
    let nothing = Places::Seats(Vec::new());
    let freed = Freed { booking, version: 0, places: &nothing, ending: Ending::Lost, recorded: &Payments::NONE };
    assert_eq!(house.freed(token, freed).await, 0);
    assert!(!house.is_confirming(token).await && house.status(token).await.is_none());
}

#[tokio::test]
async fn each_ending_is_what_the_token_is_told() {
    let house = House::open().await;
    let seat = seats(&["E1"]);
    for (ending, version, state) in [("expired", 1, HoldState::Expired), ("confirmed", 2, HoldState::Confirmed)] {
        let token = house.holder(&["E1"]).await;
        house.pinned(token, &seat).await;
        let booking = BookingId::of(house.id(), token);
        let ending = if ending == "expired" { Ending::Lost } else { Ending::Confirmed(booking) };
        let freed = Freed { booking, version, places: &seat, ending, recorded: &Payments::NONE };
        house
            .twice(async || {
                house.freed(token, freed.clone()).await;
            })
            .await;
        let record = house.status(token).await.unwrap();
        assert_eq!((record.state, record.lease.expires_in_ms), (state, 0));
        assert_eq!(record.confirmed_booking(), (state == HoldState::Confirmed).then_some(booking));
        assert!(!house.is_confirming(token).await);
        let pin = house.pin(token, &seat, &Claim::default()).await;
        if state == HoldState::Confirmed {
            assert!(matches!(pin, Pin::Decided), "{pin:?}");
        } else {
            let Pin::Pinned(_) = pin else { panic!("one that was lost may come again: {pin:?}") };
            house.release(token, &seat).await.unwrap_err();
            house.free(token, 1, &seat).await;
        }
    }
}
