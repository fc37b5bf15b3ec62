//! `load_finish.lua`

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

use holdfast::adapters::redis::keys;
use holdfast::domain::{BookingId, Chunk, LoadLease, Turn};
use holdfast_tests::loaded::{self, small_show};
use holdfast_tests::servers;
use redis::AsyncCommands;

use crate::house::{House, ga, names, units};

/// Everything is gathered: three seats, one of them sold, and two sold units.
async fn gathered(house: &House) -> LoadLease {
    let booking = BookingId::of(house.id(), loaded::any_token()).to_string();
    let Turn::Mine(lease) = house.redis.begin_load(house.id(), 1).await.unwrap() else { panic!("nobody loads") };
    let sold = |place: &str| (place.to_owned(), booking.clone());
    let chunks = [
        Chunk::Seats(names(&["E1", "E2", "E3"])),
        Chunk::SoldSeats(vec![sold("E2")]),
        Chunk::SoldUnits(ga(), vec![sold("1"), sold("3")]),
    ];
    for (step, chunk) in (1..).zip(chunks) {
        house.redis.put_chunk(house.id(), &lease, step, &chunk).await.unwrap();
    }
    lease
}

#[tokio::test]
async fn codes_in_order_of_precedence() {
    let house = House::unloaded(small_show(3, 5)).await;
    let nobody = LoadLease { owner: "nobody".to_owned(), name: "none".to_owned(), step: 0 };
    assert!(matches!(house.redis.finish_load(&house.show, &nobody).await.unwrap(), Turn::Theirs));
    let lease = gathered(&house).await;
    let stranger = LoadLease { owner: "stranger".to_owned(), ..lease.clone() };
    let finish = house.unchanged(async || house.redis.finish_load(&house.show, &stranger).await.unwrap()).await;
    assert!(matches!(finish, Turn::Theirs), "{finish:?}");
    assert!(matches!(house.redis.finish_load(&house.show, &lease).await.unwrap(), Turn::Mine(())));
    for lease in [&lease, &stranger] {
        let finish = house.unchanged(async || house.redis.finish_load(&house.show, lease).await.unwrap()).await;
        assert!(matches!(finish, Turn::Loaded), "{finish:?}");
    }
}

#[tokio::test]
async fn what_was_gathered_is_the_show_and_stays() {
    let house = House::unloaded(small_show(3, 5)).await;
    let lease = gathered(&house).await;
    house.redis.finish_load(&house.show, &lease).await.unwrap();
    let free: Vec<String> = house.seats().await.into_iter().filter(|(_, by)| by.is_empty()).map(|(id, _)| id).collect();
    assert_eq!(free, ["E1", "E3"]);
    assert_eq!((house.count().await.sold, house.count().await.held), (2, 0));
    house.assert_zone_adds_up().await;
    assert_eq!(house.taker(3).await.1, units(&[2, 4, 5]));

    // The staging keys had a TTL, and are gone; what was renamed keeps none.
    let dump = house.dump().await;
    assert!(!dump.keys().any(|key| key.starts_with("load")), "{:?}", dump.keys());
    for key in [keys::show(house.id()), keys::seats(house.id()), keys::stock_sold(house.id(), &ga())] {
        assert_eq!(house.raw().pttl::<_, i64>(&key).await.unwrap(), -1, "{key}");
    }
}

/// Somebody unloaded the show, or half of it was evicted: nothing of what was there before mixes with the new epoch.
#[tokio::test]
async fn leftovers_of_an_earlier_epoch_go() {
    let house = House::open().await;
    let (back, places) = house.taker(3).await;
    house.release(back, &places).await.unwrap();
    house.taker(2).await;
    let epoch = async || house.raw().hget::<_, _, String>(keys::show(house.id()), "epoch").await.unwrap();
    let first = epoch().await;
    let _: i64 = house.raw().del(keys::show(house.id())).await.unwrap();
    let lease = gathered(&house).await;
    house.redis.finish_load(&house.show, &lease).await.unwrap();
    assert_ne!(epoch().await, first);
    house.assert_zone_adds_up().await;
    let count = house.count().await;
    assert_eq!((count.held, count.sold), (0, 2));
    assert_eq!(house.seats().await.len(), 3);
}

/// The seats that were gathered are gone: an empty house would be worse than none. Whoever comes next begins anew.
#[tokio::test]
async fn a_load_whose_seats_are_gone_is_not_finished_and_begins_anew() {
    let house = House::unloaded(small_show(3, 5)).await;
    let lease = gathered(&house).await;
    let _: i64 = house.raw().del(keys::load_seats(house.id(), &lease.name)).await.unwrap();
    assert!(matches!(house.redis.finish_load(&house.show, &lease).await.unwrap(), Turn::Theirs));
    let next =
        crate::house::until("somebody may load", async || match house.redis.begin_load(house.id(), 1).await.unwrap() {
            Turn::Mine(next) => Some(next),
            _ => None,
        })
        .await;
    assert_eq!(next.step, 0, "all steps would count as done, for ever, and no seat would be there");
}

/// What a script only looks with.
const READS: [&str; 3] = ["\"EXISTS\"", "\"GET\"", "\"HGET\""];

/// Whoever reads `show:` may rely on everything else, also if the server dies in the middle.
#[tokio::test]
async fn the_show_is_written_last() {
    let server = servers::own_redis(&[]);
    let house = House::at(&server.url(), small_show(3, 5)).await;
    let lease = gathered(&house).await;
    let mut monitor = TcpStream::connect(server.addr()).unwrap();
    monitor.write_all(b"MONITOR\r\n").unwrap();
    let mut lines = BufReader::new(monitor).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "+OK");
    house.redis.finish_load(&house.show, &lease).await.unwrap();
    let _: String = redis::cmd("ECHO").arg("finished").query_async(&mut house.raw()).await.unwrap();
    let writes: Vec<String> = lines
        .map(Result::unwrap)
        .take_while(|line| !line.contains("finished"))
        .filter(|line| line.contains(" lua] ") && !READS.iter().any(|read| line.contains(read)))
        .collect();
    let show = format!("\"{}\"", keys::show(house.id()));
    let first = writes.iter().position(|line| line.contains(&show)).expect("the show is written");
    let load = format!("\"{}\"", keys::load(house.id()));
    let after = writes[first..].iter().filter(|line| !line.contains(&show) && !line.contains(&load));
    assert_eq!(after.count(), 0, "{writes:#?}");
    assert!(writes[..first].iter().any(|line| line.contains("\"RENAME\"")), "{writes:#?}");
}
