//! What a hold has besides the places that a mark, or a free, names: another confirm of its token may have pinned other
//! units since these were read.

use holdfast::domain::payment::Payments;
use holdfast::domain::{BookingId, Ending, Freed, HoldState, HoldToken, Sold};

use crate::house::{House, units};

/// A token whose hold of `GA-1` and `GA-2` lapsed, and that has `GA-3` and `GA-4` pinned now; the others are a rival's.
async fn moved_on(house: &House) -> HoldToken {
    let (token, places) = house.late_taker(2).await;
    house.taker(2).await;
    assert_eq!(house.pinned(token, &places).await.places, units(&[3, 4]));
    token
}

/// Its booking has the units that it held first: those that it has now go back at once.
#[tokio::test]
async fn a_mark_lets_go_of_units_that_were_pinned_since() {
    let house = House::open().await;
    let token = moved_on(&house).await;
    let (buyer, places) = (BookingId::of(house.id(), token), units(&[1, 2]));
    let sold = Sold {
        buyer,
        version: 1,
        places: &places,
        count: 2,
        ending: Ending::Confirmed(buyer),
        recorded: &Payments::NONE,
    };
    assert_eq!(house.twice(async || house.mark(token, sold.clone()).await).await, 0, "they are held by somebody else");
    let record = house.status(token).await.unwrap();
    assert_eq!((record.state, record.places), (HoldState::Confirmed, places));
    assert!(!house.is_confirming(token).await);
    assert_eq!(house.count().await.held, 2);
    house.assert_zone_adds_up().await;
    assert_eq!(house.taker(3).await.1, units(&[3, 4, 5]));
}

#[tokio::test]
async fn a_free_lets_go_of_units_that_were_pinned_since() {
    let house = House::open().await;
    let token = moved_on(&house).await;
    assert_eq!(house.free(token, 1, &units(&[1, 2])).await, 2);
    assert_eq!((house.state(token).await, house.count().await.held), (HoldState::Refused, 2));
    house.assert_zone_adds_up().await;
    assert_eq!(house.taker(3).await.1, units(&[3, 4, 5]));
}

/// Nothing was ever written about it: a hold that is known is none of that.
#[tokio::test]
async fn a_free_of_no_booking_ends_no_hold_that_is_known() {
    let house = House::open().await;
    let (token, places) = house.taker(2).await;
    house.pinned(token, &places).await;
    let booking = BookingId::of(house.id(), token);
    for named in [&places, &units(&[])] {
        let freed = Freed { booking, version: 0, places: named, ending: Ending::Lost, recorded: &Payments::NONE };
        assert_eq!(house.unchanged(async || house.freed(token, freed).await).await, 0);
    }
    assert!(house.is_confirming(token).await);
}
