//! A Redis whose memory is full: what takes is refused whole, what ends or settles a hold still works.

use holdfast::Failure;
use holdfast::adapters::redis::keys;
use holdfast::domain::payment::Payments;
use holdfast::domain::{BookingId, Buyer, HoldState, Pin, Request, Sold, Unloaded};
use holdfast_tests::loaded::{self, small_show};
use holdfast_tests::servers::{Redis, own_redis};
use redis::AsyncCommands;

use crate::house::{House, ga, seats, units};

struct Full {
    house: House,
    server: Redis,
}

/// A house of its own; [`Full::fill`] makes its memory full.
async fn house() -> Full {
    let server = own_redis(&["--maxmemory-policy", "noeviction"]);
    let house = House::at(&server.url(), small_show(6, 5)).await;
    house.load().await;
    Full { house, server }
}

impl Full {
    async fn set_memory(&self, bytes: u32) {
        let mut raw = holdfast_tests::raw::redis(&self.server.url()).await;
        let config = redis::cmd("CONFIG").arg("SET").arg("maxmemory").arg(bytes).to_owned();
        let _: () = config.query_async(&mut raw).await.unwrap();
    }

    /// From now on Redis has more than it may have.
    async fn fill(&self) {
        self.set_memory(1).await;
    }
}

fn is_unavailable<T: std::fmt::Debug>(answer: Result<T, Failure>) {
    assert!(matches!(answer, Err(Failure::Unavailable { .. })), "{answer:?}");
}

#[tokio::test]
async fn pitfall_21_a_hold_is_refused_whole() {
    let full = house().await;
    let (house, buyer) = (&full.house, Buyer::default());
    let five = loaded::seats(&["E1", "E2", "E3", "E4", "E5"]);
    let (holder, places) = (house.holder(&["E6"]).await, seats(&["E6"]));
    full.fill().await;
    let before = house.dump().await;
    is_unavailable(house.redis.hold_seats(house.id(), &Request::once(loaded::any_token()), &five, None, &buyer).await);
    is_unavailable(
        house.redis.take_units(house.id(), &Request::once(loaded::any_token()), &ga(), 5, None, &buyer).await,
    );
    is_unavailable(house.redis.extend_hold(house.id(), holder, &places, 60_000).await);
    assert_eq!(house.dump().await, before);
    assert_eq!(house.state(holder).await, HoldState::Active);
    full.set_memory(0).await;
    house.hold(loaded::any_token(), &["E1", "E2", "E3", "E4", "E5"]).await.unwrap();
    house.taker(5).await;
}

#[tokio::test]
async fn pitfall_21_release_pin_mark_and_free_still_work() {
    let full = house().await;
    let house = &full.house;
    let released = house.holder(&["E1"]).await;
    let sold = house.holder(&["E2"]).await;
    let refused = house.holder(&["E3"]).await;
    let late = house.late_holder(&["E4"]).await;
    let (unit_released, unit_sold) = (house.taker(1).await, house.taker(1).await);
    full.fill().await;

    house.release(released, &seats(&["E1"])).await.unwrap();
    house.release(unit_released.0, &unit_released.1).await.unwrap();
    for (token, places) in [(sold, seats(&["E2"])), (late, seats(&["E4"])), unit_sold] {
        house.pinned(token, &places).await;
        house.sell(token, &places).await;
        assert_eq!(house.state(token).await, HoldState::Confirmed);
    }
    house.pinned(refused, &seats(&["E3"])).await;
    house.free(refused, 1, &seats(&["E3"])).await;
    // Redis has lost the hold; a cancel; and a read repair.
    let unknown = loaded::any_token();
    assert!(matches!(house.pin(unknown, &units(&[5]), &Default::default()).await, Pin::Pinned(_)));
    let buyer = BookingId::of(house.id(), loaded::any_token());
    house
        .mark(
            unknown,
            Sold {
                buyer,
                version: 1,
                places: &units(&[5]),
                count: 1,
                ending: house.refused(unknown),
                recorded: &Payments::NONE,
            },
        )
        .await;
    house.free(sold, 2, &seats(&["E2"])).await;

    let now = house.seats().await;
    assert_eq!([&now["E1"], &now["E2"], &now["E3"]], ["", "", ""]);
    assert_eq!(now["E4"], BookingId::of(house.id(), late).to_string());
    assert_eq!((house.count().await.held, house.count().await.sold), (0, 2));
    house.assert_zone_adds_up().await;
    full.set_memory(0).await;
    house.holder(&["E1", "E2", "E3"]).await;
}

/// A reconcile brings a full Redis back in step, and takes out what nobody needs: that makes room.
#[tokio::test]
async fn what_a_reconcile_does_still_works() {
    let full = house().await;
    let (house, ga) = (&full.house, ga());
    house.late_holder(&["E1"]).await;
    house.late_taker(2).await;
    // What a torn replica may have: a unit that is held for ever, by nobody.
    let _: () = house.raw().zadd(keys::stock_held(house.id(), &ga), 3, 9e15).await.unwrap();
    full.fill().await;
    let survey = house.survey().await;
    assert_eq!((house.expire(None, false).await, house.expire(Some(&ga), false).await), (1, 2));
    assert_eq!(house.recount(false).await, 1, "the unit; the stock counts it as held");
    house.assert_zone_adds_up().await;
    assert_eq!(house.pinned_tokens(0, 10).await, []);
    assert_eq!(house.compared(&seats(&["E1"])).await, []);
    let last = house.events_after("0-0", 100).await.events.pop().unwrap().id;
    assert_eq!(house.unload(&survey.epoch, &last).await, Unloaded::Done);
}

/// A load that stops half way goes on when there is room, and never shows half a show.
#[tokio::test]
async fn a_load_waits_for_room() {
    let full = house().await;
    let other = House::at(&full.server.url(), small_show(6, 5)).await;
    let holdfast::domain::Turn::Mine(lease) = other.redis.begin_load(other.id(), 1).await.unwrap() else {
        panic!("nobody loads")
    };
    full.fill().await;
    let chunk = holdfast::domain::Chunk::Seats(vec!["E1".to_owned()]);
    is_unavailable(other.redis.put_chunk(other.id(), &lease, 1, &chunk).await);
    is_unavailable(other.redis.begin_load(&small_show(1, 1).show_id, 1).await);
    full.set_memory(0).await;
    other.redis.put_chunk(other.id(), &lease, 1, &chunk).await.unwrap();
    full.fill().await;
    // What was gathered is moved, which needs no room to speak of.
    let finished = other.redis.finish_load(&other.show, &lease).await.unwrap();
    assert!(matches!(finished, holdfast::domain::Turn::Mine(())), "{finished:?}");
    full.set_memory(0).await;
    other.holder(&["E1"]).await;
    other.assert_zone_adds_up().await;
}
