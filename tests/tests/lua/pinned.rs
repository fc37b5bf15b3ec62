//! `pinned.lua`

use holdfast::Touch;
use holdfast::adapters::redis::keys;
use holdfast_tests::loaded::small_show;
use redis::AsyncCommands;

use crate::house::{House, seats};

#[tokio::test]
async fn codes_in_order_of_precedence() {
    let house = House::unloaded(small_show(6, 5)).await;
    assert!(matches!(house.redis.list_pinned(house.id(), 0, 10).await, Ok(Touch::NotLoaded)));
    house.load().await;
    assert_eq!(house.unchanged(async || house.pinned_tokens(0, 10).await).await, []);
}

#[tokio::test]
async fn those_that_were_pinned_first_come_first_page_by_page() {
    let house = House::open().await;
    let now_ms = house.now_ms().await;
    let mut tokens = Vec::new();
    for (seat, age_ms) in [("E1", 90_000), ("E2", 180_000), ("E3", 5_000)] {
        let token = house.holder(&[seat]).await;
        house.pinned(token, &seats(&[seat])).await;
        let confirming = keys::confirming(house.id());
        let _: () = house.raw().zadd(confirming, token.to_string(), now_ms - age_ms).await.unwrap();
        tokens.push((token, age_ms as u64));
    }
    tokens.sort_by_key(|(_, age_ms)| std::cmp::Reverse(*age_ms));
    let listed = house.unchanged(async || house.pinned_tokens(0, 10).await).await;
    assert_eq!(listed.len(), 3);
    for ((token, age_ms), (wanted, at_least_ms)) in listed.iter().zip(&tokens) {
        assert_eq!(token, wanted);
        assert!((*at_least_ms..at_least_ms + 5_000).contains(age_ms), "{age_ms} for {at_least_ms}");
    }
    let page = async |first, count| {
        house.pinned_tokens(first, count).await.into_iter().map(|(token, _)| token).collect::<Vec<_>>()
    };
    assert_eq!(page(0, 2).await, [tokens[0].0, tokens[1].0]);
    assert_eq!(page(2, 2).await, [tokens[2].0]);
    assert_eq!(page(3, 2).await, []);
}

/// One whose confirm is over is no more on the list; a clock that went back makes nobody's age negative.
#[tokio::test]
async fn only_what_is_not_settled_is_listed() {
    let house = House::open().await;
    let (settled, early) = (house.holder(&["E1"]).await, house.holder(&["E2"]).await);
    house.pinned(settled, &seats(&["E1"])).await;
    house.pinned(early, &seats(&["E2"])).await;
    house.sell(settled, &seats(&["E1"])).await;
    let tomorrow_ms = house.now_ms().await + 86_400_000;
    let _: () = house.raw().zadd(keys::confirming(house.id()), early.to_string(), tomorrow_ms).await.unwrap();
    assert_eq!(house.pinned_tokens(0, 10).await, [(early, 0)]);
}
