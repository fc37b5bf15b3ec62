//! `load_chunk.lua`

use holdfast::adapters::redis::keys;
use holdfast::domain::{Chunk, LoadLease, Turn};
use holdfast_tests::loaded::small_show;
use redis::AsyncCommands;

use crate::house::{House, ga, names};

async fn begun() -> (House, LoadLease) {
    let house = House::unloaded(small_show(6, 5)).await;
    let Turn::Mine(lease) = house.redis.begin_load(house.id(), 1).await.unwrap() else { panic!("nobody loads") };
    (house, lease)
}

#[tokio::test]
async fn codes_in_order_of_precedence() {
    let (house, lease) = begun().await;
    let chunk = Chunk::Seats(names(&["E1"]));
    let put = async |lease| house.redis.put_chunk(house.id(), lease, 1, &chunk).await.unwrap();
    let stranger = LoadLease { owner: "stranger".to_owned(), ..lease.clone() };
    assert!(matches!(house.unchanged(async || put(&stranger).await).await, Turn::Theirs));
    assert!(matches!(put(&lease).await, Turn::Mine(())));
    let _: i64 = house.raw().del(keys::load(house.id())).await.unwrap();
    assert!(matches!(house.unchanged(async || put(&lease).await).await, Turn::Theirs));
}

#[tokio::test]
async fn the_same_chunk_twice_is_there_once() {
    let (house, lease) = begun().await;
    let chunk = Chunk::Seats(names(&["E1", "E2"]));
    for _ in 0..2 {
        assert!(matches!(house.redis.put_chunk(house.id(), &lease, 1, &chunk).await.unwrap(), Turn::Mine(())));
        let staged: Vec<String> = house.raw().hkeys(keys::load_seats(house.id(), &lease.name)).await.unwrap();
        assert_eq!(staged, ["E1", "E2"]);
    }
}

/// A load that nobody finishes leaves nothing behind for ever.
#[tokio::test]
async fn what_is_staged_ends_by_itself() {
    let (house, lease) = begun().await;
    let sold = Chunk::SoldUnits(ga(), vec![("1".to_owned(), "booking".to_owned())]);
    house.redis.put_chunk(house.id(), &lease, 1, &Chunk::Seats(names(&["E1"]))).await.unwrap();
    house.redis.put_chunk(house.id(), &lease, 2, &sold).await.unwrap();
    let dump = house.dump().await;
    assert_eq!(dump.len(), 3, "{dump:?}");
    for key in dump.keys() {
        let left_ms: i64 = house.raw().pttl(key).await.unwrap();
        assert!(left_ms > 10_000, "{key} ends in {left_ms}");
    }
}

/// Each chunk is a sign of life: the turn begins anew.
#[tokio::test]
async fn a_chunk_renews_the_turn() {
    let (house, lease) = begun().await;
    let until_ms = async || {
        let lease: String = house.raw().get(keys::load(house.id())).await.unwrap();
        lease.split(' ').next_back().unwrap().parse::<i64>().unwrap()
    };
    let first = until_ms().await;
    let later = crate::house::until("time passes", async || {
        house.redis.put_chunk(house.id(), &lease, 1, &Chunk::Seats(names(&["E1"]))).await.unwrap();
        Some(until_ms().await).filter(|later| *later > first)
    })
    .await;
    assert!(later > house.now_ms().await, "the turn is still ours");
}
