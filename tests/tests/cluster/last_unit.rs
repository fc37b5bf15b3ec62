//! The last unit of a zone whose slot moves, while all that there is of its show is where it was: a key that has lost its
//! last member is gone, and then no script may ask for it.

use holdfast::adapters::redis::keys;
use holdfast::domain::{BookingId, HoldToken, ShowId, ZoneId};
use holdfast_tests::invariants::assert_agreement_in;
use holdfast_tests::loaded;
use holdfast_tests::sys::{Answer, paid};
use redis::FromRedisValue;
use serde_json::json;

use crate::house::House;

const FROM: usize = 0;
const TO: usize = 1;

/// A zone of a show: one unit is sold, one is held, one came back.
struct Zone<'a> {
    house: &'a House,
    show: String,
    id: ShowId,
    held: HoldToken,
    sold: BookingId,
}

impl Zone<'_> {
    async fn with_one_of_each(house: &House) -> Zone<'_> {
        let (show, sys) = (house.define_on(FROM).await, &house.sys);
        let sold = sys.decrement(&show, "GA", 1).await.text("holdToken").to_owned();
        let sold = sys.confirm(&show, &sold, paid("pay_1")).await.text("bookingId").to_owned();
        let held = sys.decrement(&show, "GA", 1).await.text("holdToken").to_owned();
        let returned = sys.decrement(&show, "GA", 1).await.text("holdToken").to_owned();
        sys.release(&show, &returned).await.expect(204);
        let (held, sold) = (HoldToken::from_stored(&held).unwrap(), BookingId::parse(&sold).unwrap());
        Zone { house, id: ShowId::parse(&show).unwrap(), show, held, sold }
    }

    async fn ask<T: FromRedisValue>(&self, command: &str) -> T {
        self.house.cluster.nodes[FROM].ask(command).await
    }

    /// Does it while the slot moves: it succeeds where the keys are, this one is gone then, and all adds up after the move.
    async fn while_it_moves(&self, act: impl Future<Output = Answer>, gone: &str, stock: u64) {
        let (cluster, sys) = (&self.house.cluster, &self.house.sys);
        let slot = cluster.slot(&self.show).await;
        // Another confirm is under way: else a first one finds a key missing, and no script runs in a slot that moves.
        let confirming = keys::confirming(&self.id);
        let other = loaded::any_token();
        let () = self.ask(&format!("ZADD {confirming} 1 {other}")).await;
        cluster.begin_move(slot, FROM, TO).await;
        let answer = act.await;
        assert!(matches!(answer.status, 200 | 201 | 204), "{} {}", answer.status, answer.body);
        let here: Vec<String> = self.ask(&format!("CLUSTER GETKEYSINSLOT {slot} 100")).await;
        assert!(here.len() > 10 && !here.iter().any(|key| key == gone), "{here:?} are here");
        while cluster.move_keys(slot, FROM, TO, 100).await > 0 {}
        cluster.end_move(slot, TO).await;

        let () = cluster.nodes[TO].ask(&format!("ZREM {confirming} {other}")).await;
        assert_agreement_in(&mut cluster.look_into(&self.show).await, &sys.dynamo(), &self.show).await;
        let left = sys.get(&format!("/shows/{}/stock/GA", self.show)).await.expect(200);
        assert_eq!(left["remaining"], json!(stock), "{left}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_a_slot_moves_the_last_unit_of_a_zone_is_released_sold_and_freed() {
    let house = House::build().await;
    let (sys, ga) = (&house.sys, ZoneId::parse("GA").unwrap());

    let zone = Zone::with_one_of_each(&house).await;
    let held = zone.held.to_string();
    zone.while_it_moves(sys.release(&zone.show, &held), &keys::stock_held(&zone.id, &ga), 9_999).await;

    let zone = Zone::with_one_of_each(&house).await;
    let held = zone.held.to_string();
    // A confirm is the first to write this key, and a cancel asks for a hold that nobody has.
    let booking = keys::booking(&zone.id, BookingId::of(&zone.id, zone.held));
    let () = zone.ask(&format!("SET {booking} 0")).await;
    let confirm = sys.confirm(&zone.show, &held, paid("pay_2"));
    zone.while_it_moves(confirm, &keys::stock_holders(&zone.id, &ga), 9_998).await;

    let zone = Zone::with_one_of_each(&house).await;
    let nobody = keys::hold(&zone.id, HoldToken::of_restore(zone.sold, 1));
    let () = zone.ask(&format!("HSET {nobody} zone GA")).await;
    let () = zone.ask(&format!("PEXPIRE {nobody} 60000")).await;
    let path = format!("/bookings/{}/cancel", zone.sold);
    zone.while_it_moves(sys.call("POST", &path, json!({})), &keys::stock_sold(&zone.id, &ga), 9_999).await;
}
