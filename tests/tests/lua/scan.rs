//! `scan.lua`

use std::collections::BTreeSet;

use holdfast::Touch;
use holdfast::domain::ZoneId;
use holdfast_tests::loaded::small_show;

use crate::house::{House, ga, known, seats};

/// All fields, page by page, and how many pages there were.
async fn scanned(house: &House, sold_of: Option<&ZoneId>) -> (BTreeSet<String>, usize) {
    let (mut fields, mut cursor, mut pages) = (BTreeSet::new(), None, 0);
    loop {
        let page = known(house.redis.scan_places(house.id(), sold_of, cursor.as_deref()).await);
        fields.extend(page.fields);
        (cursor, pages) = (page.cursor, pages + 1);
        if cursor.is_none() {
            return (fields, pages);
        }
    }
}

#[tokio::test]
async fn codes_in_order_of_precedence() {
    let house = House::unloaded(small_show(6, 5)).await;
    let ga = ga();
    for sold_of in [None, Some(&ga)] {
        assert!(matches!(house.redis.scan_places(house.id(), sold_of, None).await, Ok(Touch::NotLoaded)));
    }
    house.load().await;
    let (found, pages) = house.unchanged(async || scanned(&house, None).await).await;
    assert_eq!((found.into_iter().collect::<Vec<_>>(), pages), (house.show.seats().collect(), 1));
    assert!(house.unchanged(async || scanned(&house, Some(&ga)).await).await.0.is_empty());
}

/// Whoever has them; and of units only those that are sold.
#[tokio::test]
async fn every_seat_and_every_sold_unit_is_listed() {
    let house = House::open().await;
    house.holder(&["E1"]).await;
    let buyer = house.holder(&["E2"]).await;
    house.sell(buyer, &seats(&["E2"])).await;
    house.taker(1).await;
    let (buyer, places) = house.taker(2).await;
    house.sell(buyer, &places).await;
    assert_eq!(scanned(&house, None).await.0.len(), 6);
    assert_eq!(scanned(&house, Some(&ga())).await.0, BTreeSet::from(["2".to_owned(), "3".to_owned()]));
}

#[tokio::test]
async fn a_long_list_comes_in_parts_and_is_whole() {
    let house = House::of(small_show(1_900, 5)).await;
    let (found, pages) = scanned(&house, None).await;
    assert_eq!(found, house.show.seats().collect());
    assert!(pages > 1, "{pages}");
}
