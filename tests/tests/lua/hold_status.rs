//! `hold_status.lua`

use holdfast::Touch;
use holdfast::domain::{BookingId, HoldState};
use holdfast_tests::loaded::{self, small_show};

use crate::house::{House, seats, units};

#[tokio::test]
async fn codes_in_order_of_precedence() {
    let house = House::unloaded(small_show(6, 5)).await;
    let token = loaded::any_token();
    assert!(matches!(house.redis.find_hold(house.id(), token).await, Ok(Touch::NotLoaded)));
    house.load().await;
    assert!(house.status(token).await.is_none());
    house.hold(token, &["E1"]).await.unwrap();
    assert_eq!(house.state(token).await, HoldState::Active);
}

#[tokio::test]
async fn it_tells_each_state_and_changes_nothing() {
    let house = House::open().await;
    let (e1, e2, e3, e4) = (seats(&["E1"]), seats(&["E2"]), seats(&["E3"]), seats(&["E4"]));
    let active = house.holder(&["E1"]).await;
    let confirming = house.holder(&["E2"]).await;
    house.pinned(confirming, &e2).await;
    let confirmed = house.holder(&["E3"]).await;
    house.sell(confirmed, &e3).await;
    let refused = house.holder(&["E4"]).await;
    house.free(refused, 1, &e4).await;
    let released = house.holder(&["E4"]).await;
    house.release(released, &e4).await.unwrap();
    let expired = house.late_holder(&["E5"]).await;
    let ends = [
        (active, HoldState::Active, &e1, None),
        (confirming, HoldState::Confirming, &e2, None),
        (confirmed, HoldState::Confirmed, &e3, Some(BookingId::of(house.id(), confirmed))),
        (refused, HoldState::Refused, &e4, Some(BookingId::of(house.id(), refused))),
        (released, HoldState::Released, &e4, None),
        (expired, HoldState::Expired, &seats(&["E5"]), None),
    ];
    for (token, state, places, booking) in ends {
        let record = house.unchanged(async || house.status(token).await.unwrap()).await;
        assert_eq!((record.state, &record.places, record.booking), (state, places, booking));
        let live = matches!(state, HoldState::Active | HoldState::Confirming);
        assert_eq!(record.lease.expires_in_ms > 0, live, "{record:?}");
    }
}

#[tokio::test]
async fn a_hold_of_units_names_its_zone_and_counts_down() {
    let house = House::open().await;
    let (token, taken) = house.taker(2).await;
    let record = house.status(token).await.unwrap();
    assert_eq!((record.places, taken), (units(&[1, 2]), units(&[1, 2])));
    let left = record.lease.deadline_ms - house.now_ms().await;
    assert!(record.lease.expires_in_ms as i64 >= left && record.lease.expires_in_ms <= 30_000, "{left}");
}
