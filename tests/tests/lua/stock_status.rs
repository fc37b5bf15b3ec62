//! `stock_status.lua`

use holdfast::Touch;
use holdfast::domain::{ZoneCount, ZoneId};
use holdfast_tests::loaded::small_show;

use crate::house::{House, ga, known};

#[tokio::test]
async fn codes_in_order_of_precedence() {
    let house = House::unloaded(small_show(6, 5)).await;
    let other = ZoneId::parse("VIP").unwrap();
    assert!(matches!(house.redis.count_zone(house.id(), &other).await, Ok(Touch::NotLoaded)));
    house.load().await;
    assert_eq!(known(house.redis.count_zone(house.id(), &other).await), None);
    let empty = ZoneCount { capacity: 5, held: 0, sold: 0 };
    assert_eq!(known(house.redis.count_zone(house.id(), &ga()).await), Some(empty));
}

/// What lapsed counts as left at once, whether or not anybody tidied up; and counting changes nothing.
#[tokio::test]
async fn held_and_sold_are_counted_and_what_lapsed_is_not() {
    let house = House::open().await;
    let (sold, places) = house.taker(1).await;
    house.sell(sold, &places).await;
    house.taker(1).await;
    house.late_taker(2).await;
    let count = house.unchanged(async || house.count().await).await;
    assert_eq!(count, ZoneCount { capacity: 5, held: 1, sold: 1 });
}
