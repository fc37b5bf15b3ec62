//! Each invariant's judge condemns the damage that it is there for, and a sound show passes.

use holdfast::adapters::dynamo::keys as table;
use holdfast::adapters::redis::keys;
use holdfast::app::Stores;
use holdfast::domain::payment::Payments;
use holdfast::domain::{
    Booking, BookingId, Buyer, Claim, Decision, Ending, Payment, Places, Request, SeatId, ShowId, Sold, ZoneId,
};
use holdfast_tests::invariants::{assert_agreement, assert_invariants, disagreements, faults};
use holdfast_tests::loaded::{self, deadline, load, once, seats, small_show};
use holdfast_tests::servers::TABLE;
use holdfast_tests::sys::Sys;
use redis::AsyncCommands;

/// A show in which `E1` is held, `E2` sold, and two units are held.
struct Sound {
    sys: Sys,
    stores: Stores,
    show: ShowId,
    booking: Booking,
}

async fn sound() -> Sound {
    let sys = Sys::shared().await;
    let stores = sys.app().stores(deadline());
    let show = small_show(5, 5);
    assert!(stores.record.write_show(&show).await.unwrap());
    load(&stores.redis, &show).await;
    let (show, buyer, token) = (show.show_id, Buyer::default(), loaded::any_token());
    stores.redis.hold_seats(&show, &Request::once(loaded::any_token()), &seats(&["E1"]), None, &buyer).await.unwrap();
    stores
        .redis
        .take_units(&show, &Request::once(loaded::any_token()), &ZoneId::parse("GA").unwrap(), 2, None, &buyer)
        .await
        .unwrap();
    stores.redis.hold_seats(&show, &once(token), &seats(&["E2"]), None, &buyer).await.unwrap();
    let places = Places::Seats(seats(&["E2"]));
    stores.redis.pin_hold(&show, token, &places, &Claim::default(), None).await.unwrap();
    let booking = Booking {
        id: BookingId::of(&show, token),
        show: show.clone(),
        decision: Decision::Confirmed,
        places: Some(places.clone()),
        first: None,
        buyer,
        payment: Some(payment()),
        order: None,
        decided_at_ms: 1,
        hold_found: true,
        version: 1,
        sold_version: 1,
    };
    stores.record.decide_booking(&booking).await.unwrap();
    let ending = Ending::Confirmed(booking.id);
    let sold = Sold { buyer: booking.id, version: 1, places: &places, count: 1, ending, recorded: &Payments::NONE };
    stores.redis.mark_sold(&show, token, sold).await.unwrap();
    assert_agreement(&sys, show.as_str()).await;
    Sound { sys, stores, show, booking }
}

fn payment() -> Payment {
    serde_json::from_str(r#"{"reference": "pay_81", "amount": "55000", "currency": "KRW"}"#).unwrap()
}

fn seat(id: &str) -> SeatId {
    SeatId::parse(id).unwrap()
}

impl Sound {
    /// That the judges find this, and nothing that is not of it.
    async fn is_condemned(&self, words: &[&str]) {
        let faults = faults(&self.sys, self.show.as_str()).await;
        assert!(words.iter().all(|word| faults.iter().any(|fault| fault.contains(word))), "{words:?} in {faults:#?}");
    }

    async fn delete(&self, key: &table::Key) {
        let delete = self.sys.dynamo().delete_item().table_name(TABLE).set_key(Some(key.attributes()));
        delete.send().await.unwrap();
    }
}

#[tokio::test]
async fn a_lock_that_is_missing_or_never_ends() {
    let sound = sound().await;
    let (mut redis, lock) = (sound.sys.redis().await, keys::seat_hold(&sound.show, &seat("E1")));
    let _: () = redis.persist(&lock).await.unwrap();
    sound.is_condemned(&["INV-6: the lock of E1"]).await;
    let _: () = redis.del(&lock).await.unwrap();
    sound.is_condemned(&["INV-5"]).await;
}

#[tokio::test]
async fn a_lock_of_nobody_on_a_sold_seat() {
    let sound = sound().await;
    let lock = keys::seat_hold(&sound.show, &seat("E2"));
    let _: () = sound.sys.redis().await.pset_ex(lock, "nobody", 60_000).await.unwrap();
    sound.is_condemned(&["INV-3: E2 is locked by nobody", "INV-9: E2"]).await;
}

#[tokio::test]
async fn an_index_that_says_something_else() {
    let sound = sound().await;
    let _: () = sound.sys.redis().await.zadd(keys::held(&sound.show), "E1", 1).await.unwrap();
    sound.is_condemned(&["rule 6: E1"]).await;
}

#[tokio::test]
async fn a_wrong_count_and_a_unit_that_is_free_and_held() {
    let sound = sound().await;
    let zone = ZoneId::parse("GA").unwrap();
    let mut redis = sound.sys.redis().await;
    let _: () = redis.set(keys::stock(&sound.show, &zone), 4).await.unwrap();
    let _: () = redis.zadd(keys::stock_returned(&sound.show, &zone), 1, 1).await.unwrap();
    sound.is_condemned(&["INV-7: 4 left + 2 held", "are returned and held"]).await;
}

#[tokio::test]
async fn a_unit_that_is_nowhere_or_held_by_nobody() {
    let sound = sound().await;
    let zone = ZoneId::parse("GA").unwrap();
    let mut redis = sound.sys.redis().await;
    let _: () = redis.hdel(keys::stock_holders(&sound.show, &zone), 1).await.unwrap();
    sound.is_condemned(&["INV-3: held are", "INV-5"]).await;
    let _: () = redis.zrem(keys::stock_held(&sound.show, &zone), 1).await.unwrap();
    sound.is_condemned(&["INV-7: [1] are lost"]).await;
}

#[tokio::test]
async fn a_booking_that_is_not_whole() {
    let sound = sound().await;
    sound.delete(&table::sold_place(&sound.show, "E2")).await;
    sound.is_condemned(&["INV-2"]).await;
    let disagreements = disagreements(&sound.sys, sound.show.as_str()).await;
    assert!(disagreements[0].contains("INV-11: E2 is marked"), "{disagreements:?}");
}

#[tokio::test]
async fn a_place_that_is_sold_to_no_booking() {
    let sound = sound().await;
    sound.delete(&table::booking(sound.booking.id)).await;
    sound.is_condemned(&["INV-1: E2"]).await;
}

#[tokio::test]
async fn a_payment_that_is_booked_and_due_back() {
    let sound = sound().await;
    assert_invariants(&sound.sys, sound.show.as_str()).await;
    sound.stores.record.record_refund(&sound.booking, &payment()).await.unwrap();
    sound.is_condemned(&["INV-10"]).await;
}
