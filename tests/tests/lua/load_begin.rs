//! `load_begin.lua`

use holdfast::adapters::redis::{keys, scripts};
use holdfast::domain::{Chunk, Turn};
use holdfast_tests::loaded::{small_show, version_of};
use redis::{AsyncCommands, Value};

use crate::house::{House, names, until};

/// Asks for the lease under a name of one's own, for a turn of so many ms.
async fn begin(house: &House, owner: &str, version: &str, turn_ms: &str) -> Vec<Value> {
    let keys = [keys::show(house.id()), keys::load(house.id())];
    house.run(&scripts::LOAD_BEGIN, &keys, &[owner, &format!("lease-of-{owner}"), version, turn_ms, "60000"]).await
}

fn granted(lease: &str, step: i64) -> Vec<Value> {
    vec![Value::Int(0), Value::BulkString(lease.as_bytes().to_vec()), Value::Int(step)]
}

fn refused(code: i64) -> Vec<Value> {
    vec![Value::Int(code), Value::BulkString(Vec::new()), Value::Int(0)]
}

#[tokio::test]
async fn codes_in_order_of_precedence() {
    let house = House::unloaded(small_show(6, 5)).await;
    let Turn::Mine(lease) = house.redis.begin_load(house.id(), 1).await.unwrap() else { panic!("nobody loads") };
    assert!(matches!(house.redis.begin_load(house.id(), 1).await.unwrap(), Turn::Theirs));
    // Another version is no reason to take somebody's turn away.
    assert!(matches!(house.redis.begin_load(house.id(), 2).await.unwrap(), Turn::Theirs));
    house.redis.put_chunk(house.id(), &lease, 1, &Chunk::Seats(names(&["E1"]))).await.unwrap();
    house.redis.finish_load(&house.show, &lease).await.unwrap();
    // A lease that is left over says nothing once the show is there.
    let _: () = house.raw().set(keys::load(house.id()), "left over 1 1 9999999999999").await.unwrap();
    assert!(matches!(house.redis.begin_load(house.id(), 1).await.unwrap(), Turn::Loaded));
}

#[tokio::test]
async fn the_same_owner_twice_has_the_same_lease() {
    let house = House::unloaded(small_show(6, 5)).await;
    for _ in 0..2 {
        assert_eq!(begin(&house, "one", "1", "60000").await, granted("lease-of-one", 0));
    }
    assert_eq!(begin(&house, "two", "1", "60000").await, refused(-13));
}

/// One loader sleeps: its turn passes, and the next goes on from its step, with what it has gathered.
#[tokio::test]
async fn the_next_loader_goes_on_where_a_sleeper_stopped() {
    let house = House::unloaded(small_show(3, 5)).await;
    begin(&house, "sleeper", "1", "50").await;
    let chunk_keys = [keys::load(house.id()), keys::load_seats(house.id(), "lease-of-sleeper")];
    let chunk = ["sleeper", "1", "50", "60000", "60000", "E1", "", "E2", ""];
    assert_eq!(house.run(&scripts::LOAD_CHUNK, &chunk_keys, &chunk).await, [Value::Int(0)]);

    let lease = until("the turn passes", async || match house.redis.begin_load(house.id(), 1).await.unwrap() {
        Turn::Mine(lease) => Some(lease),
        _ => None,
    })
    .await;
    assert_eq!((lease.name.as_str(), lease.step), ("lease-of-sleeper", 1));
    house.redis.put_chunk(house.id(), &lease, 2, &Chunk::Seats(names(&["E3"]))).await.unwrap();

    // It wakes up: nothing that it says counts any more.
    assert_eq!(begin(&house, "sleeper", "1", "50").await, refused(-13));
    let late = ["sleeper", "2", "50", "60000", "60000", "E7", ""];
    house
        .unchanged(async || assert_eq!(house.run(&scripts::LOAD_CHUNK, &chunk_keys, &late).await, [Value::Int(-14)]))
        .await;
    let sleeper = holdfast::domain::LoadLease { owner: "sleeper".to_owned(), ..lease.clone() };
    let finish = house.unchanged(async || house.redis.finish_load(&house.show, &sleeper).await.unwrap()).await;
    assert!(matches!(finish, Turn::Theirs), "{finish:?}");

    assert!(matches!(house.redis.finish_load(&house.show, &lease).await.unwrap(), Turn::Mine(())));
    assert_eq!(house.seats().await.into_keys().collect::<Vec<_>>(), ["E1", "E2", "E3"]);
    // And once more when all is done.
    assert!(matches!(house.redis.finish_load(&house.show, &sleeper).await.unwrap(), Turn::Loaded));
    house
        .unchanged(async || assert_eq!(house.run(&scripts::LOAD_CHUNK, &chunk_keys, &late).await, [Value::Int(-14)]))
        .await;
}

/// What was gathered for another version may have seats that this one does not have.
#[tokio::test]
async fn a_lease_of_another_version_is_not_continued() {
    let house = House::unloaded(small_show(3, 5)).await;
    begin(&house, "old", "1", "20").await;
    let chunk_keys = [keys::load(house.id()), keys::load_seats(house.id(), "lease-of-old")];
    let chunk = ["old", "1", "20", "60000", "60000", "E9", ""];
    house.run(&scripts::LOAD_CHUNK, &chunk_keys, &chunk).await;
    let lease = until("the turn passes", async || match house.redis.begin_load(house.id(), 2).await.unwrap() {
        Turn::Mine(lease) => Some(lease),
        _ => None,
    })
    .await;
    assert_eq!(lease.step, 0);
    let show = version_of(house.id(), 2, 1, 5);
    house.redis.put_chunk(house.id(), &lease, 1, &Chunk::Seats(names(&["E1"]))).await.unwrap();
    house.redis.finish_load(&show, &lease).await.unwrap();
    assert_eq!(house.seats().await.into_keys().collect::<Vec<_>>(), ["E1"]);
}
