//! The largest legal inputs. No command that a client sends may have more than 3,999 arguments: MONITOR counts them, and
//! fails the test when its server goes.

use holdfast::adapters::redis::keys;
use holdfast::domain::show::Zone;
use holdfast::domain::{Buyer, Chunk, Close, Closing, Places, SeatId, Show, Turn, Unloaded, ZoneId};
use holdfast_tests::loaded::{self, once, small_show};
use holdfast_tests::servers;
use redis::AsyncCommands;
use serde_json::{Value, json};

use crate::house::{House, changed, known};

/// 90,000 seats and 400 zones.
fn largest() -> Show {
    let rows: Vec<Value> = (0..9).map(|row| json!({"id": format!("R{row}-"), "from": 1, "to": 9_999})).collect();
    let zones: Vec<Value> = (0..400).map(|zone| json!({"id": format!("zone-{zone}"), "capacity": 25})).collect();
    let changes = json!({
        "sections": [{"id": "stalls", "rows": rows}, {"id": "last", "rows": [{"id": "S", "from": 1, "to": 9}]}],
        "zones": zones, "limits": {"maxPlacesPerHold": 96},
    });
    let show = changed(&small_show(1, 1), &changes);
    assert_eq!(show.places(), 100_000);
    show
}

#[tokio::test]
async fn the_largest_show_is_loaded_and_replaced() {
    let server = servers::own_redis(&[]);
    let house = House::at(&server.url(), largest()).await;
    let mark = server.monitor().mark();
    let Turn::Mine(lease) = house.redis.begin_load(house.id(), 1).await.unwrap() else { panic!("nobody loads") };
    let seats: Vec<String> = house.show.seats().collect();
    for (step, chunk) in (1..).zip(seats.chunks(1_900)) {
        house.redis.put_chunk(house.id(), &lease, step, &Chunk::Seats(chunk.to_vec())).await.unwrap();
    }
    house.redis.finish_load(&house.show, &lease).await.unwrap();
    assert_eq!(house.seats().await.len(), 90_000);
    let zone = ZoneId::parse("zone-399").unwrap();
    let token = loaded::any_token();
    let taken = house.redis.take_units(house.id(), &once(token), &zone, 25, None, &Buyer::default()).await;
    assert_eq!(known(taken).unwrap().remaining, 0);

    // What a reconcile asks of it goes in parts, and none is too long.
    let all = Places::Seats(seats.iter().map(|id| SeatId::parse(id).unwrap()).collect());
    assert_eq!(known(house.redis.compare_places(house.id(), &all).await), []);
    let taken = Places::Units { zone: zone.clone(), numbers: (1..=25).collect() };
    assert_eq!(known(house.redis.compare_places(house.id(), &taken).await).len(), 25);
    known(house.redis.scan_places(house.id(), None, None).await);
    for zone in [None, Some(&zone)] {
        assert_eq!(house.expire(zone, true).await, 0);
    }
    assert_eq!(known(house.redis.recount_units(house.id(), &zone, 1, 25, false).await), 0);
    assert_eq!(house.survey().await.live, 25);

    // All seats go but nine, and then all come back.
    let closing = Closing { version: 2, mark: "mark".to_owned() };
    let gone = &seats[..seats.len() - 9];
    assert_eq!(known(house.redis.close_seats(house.id(), &closing, gone).await), Close::Closed);
    let emptied = Zone { id: ZoneId::parse("zone-0").unwrap(), capacity: 0 };
    assert_eq!(known(house.redis.close_zone(house.id(), &closing, &emptied).await), Close::Closed);
    assert_eq!(house.seats().await.len(), 9);
    let next = changed(&house.show, &json!({"version": 2}));
    known(house.redis.apply_show(&next, gone, Some(&closing)).await);
    assert_eq!(house.seats().await.len(), 90_000);
    // Somebody has something of it; then nobody, and all of it goes at once.
    let epoch = house.survey().await.epoch;
    let last = house.events_after("0-0", 1_000).await.events.pop().unwrap().id;
    assert_eq!(known(house.redis.unload_show(&next, &epoch, &last).await), Unloaded::InUse);
    let _: () = house.raw().del(keys::held(house.id())).await.unwrap();
    assert_eq!(known(house.redis.unload_show(&next, &epoch, &last).await), Unloaded::Done);
    let _: () = house.raw().del(keys::hold(house.id(), token)).await.unwrap();
    assert!(house.dump().await.is_empty());
    assert!(server.monitor().count_since(mark) > 100);
    server.monitor().check_violations();
}

/// 96 places, with ids as long as they may be, through every script that moves them.
#[tokio::test]
async fn the_largest_hold_goes_its_whole_way() {
    let server = servers::own_redis(&[]);
    let prefix = "S".repeat(16);
    let row = "R".repeat(13);
    let sections = json!([{"id": "stalls", "prefix": prefix, "rows": [{"id": row, "from": 100, "to": 195}]}]);
    let changes = json!({
        "sections": sections, "zones": [{"id": "Z".repeat(64), "capacity": 96}], "limits": {"maxPlacesPerHold": 96},
    });
    let house = House::at(&server.url(), changed(&small_show(1, 1), &changes)).await;
    let Turn::Mine(lease) = house.redis.begin_load(house.id(), 1).await.unwrap() else { panic!("nobody loads") };
    let seats: Vec<String> = house.show.seats().collect();
    assert_eq!((seats.len(), seats[0].len()), (96, 32));
    house.redis.put_chunk(house.id(), &lease, 1, &Chunk::Seats(seats.clone())).await.unwrap();
    house.redis.finish_load(&house.show, &lease).await.unwrap();

    let ids: Vec<&str> = seats.iter().map(String::as_str).collect();
    let token = loaded::any_token();
    house.hold(token, &ids).await.unwrap();
    let seats = Places::Seats(ids.iter().map(|id| SeatId::parse(id).unwrap()).collect());
    let zone = house.show.zones[0].id.clone();
    let taker = loaded::any_token();
    let taken = house.redis.take_units(house.id(), &once(taker), &zone, 96, None, &Buyer::default()).await;
    let units = known(taken).unwrap().held.places;
    for (token, places) in [(token, seats), (taker, units)] {
        assert_eq!(places.len(), 96);
        house.extend(token, &places, 60_000).await.unwrap();
        house.pinned(token, &places).await;
        house.sell(token, &places).await;
        house.free(token, 2, &places).await;
    }
    house.hold(loaded::any_token(), &ids).await.unwrap();
    let (released, places) = (loaded::any_token(), house.redis.clone());
    let taken =
        known(places.take_units(house.id(), &once(released), &zone, 96, None, &Buyer::default()).await).unwrap();
    house.release(released, &taken.held.places).await.unwrap();
    server.monitor().check_violations();
}
