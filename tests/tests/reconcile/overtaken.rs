//! What a run has read is old by the time at which it acts on it: a confirm pins meanwhile, a sale is cancelled.

use holdfast::adapters::dynamo::keys::sold_shard;
use holdfast::domain::places::shard_of;
use holdfast::domain::{Cancellation, Repairs, Verdict};
use holdfast_tests::dynamo_front::{Front, Plan};
use holdfast_tests::image::booking_of;
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::servers;
use holdfast_tests::sys::{Sys, paid};
use serde_json::json;

use crate::house::{House, Plot};

/// What waits at a gate has time.
const PATIENT: [(&str, &str); 2] = [("REQUEST_BUDGET_MS", "4500"), ("DYNAMODB_RESPONSE_TIMEOUT_MS", "4500")];
const PLOT: Plot = Plot('A');

async fn fronted() -> (House, Front) {
    let front = Front::start(&servers::dynamo().await.endpoint()).await;
    let sys = Sys::with(&servers::redis().url(), &front.endpoint(), &PATIENT);
    (House::on(sys, &[PLOT]).await, front)
}

/// The query for what is sold in the shard of a place: after the list of what is pinned.
fn sales<'f>(front: &'f Front, house: &House, place: &str) -> Plan<'f> {
    front.on("Query").containing(sold_shard(&house.id, shard_of(place)))
}

/// The next run, of the schedule's own process: it does not wait so long for a confirm that may be at work.
async fn next_run(house: &House) -> serde_json::Value {
    let sys = Sys::shared().await;
    let next = House { sys, show: house.show.clone(), id: house.id.clone(), redis: house.redis.clone() };
    next.reconcile(false).await["repairs"].clone()
}

/// Redis let it hold a seat that is sold to somebody else. Its payment is due back, and the rest of it is for sale.
#[tokio::test]
async fn a_confirm_that_pins_during_a_run_and_dies_is_not_lost_to_a_sale() {
    let (house, front) = fronted().await;
    let token = house.hold(PLOT, &[1, 2]).await;
    house.record(&uuid::Uuid::new_v4().to_string(), &PLOT.seats(&[2])).await;
    let gate = sales(&front, &house, &PLOT.seat(2)).hold_before();
    let (report, ()) = tokio::join!(house.reconcile(false), async {
        gate.reached().await;
        house.pin(&token, &PLOT.seats(&[1, 2]), true).await;
        gate.open();
    });
    assert_eq!((&report["checked"]["tokens"], &report["repairs"]["holdsLost"]), (&json!(0), &json!(0)), "{report}");
    assert_eq!(house.state(&token).await, "confirming");
    assert_eq!(next_run(&house).await["settled"], 1);

    let reference = format!("pay_{token}");
    let booking = house.sys.get(&format!("/bookings/{}", booking_of(&house.show, &token))).await.expect(200);
    let due = json!({"reference": reference, "status": "due"});
    assert_eq!((&booking["status"], &booking["refund"]), (&json!("refused"), &due), "{booking}");
    assert_eq!(house.sys.confirm(&house.show, &token, paid(&reference)).await.expect(409)["refund"], due);
    house.are_sold(PLOT, &[2]).await;
    house.are_for_sale(PLOT, &[1]).await;
    assert_agreement(&house.sys, &house.show).await;
    assert_eq!(next_run(&house).await, json!(Repairs::default()));
}

/// The same of units: others take the place of the one that is sold, and it is booked.
#[tokio::test]
async fn a_confirm_of_units_that_pins_during_a_run_and_dies_is_booked() {
    let (house, front) = fronted().await;
    let token = house.take(PLOT, 2).await;
    house.record(&uuid::Uuid::new_v4().to_string(), &PLOT.units(&[2])).await;
    let gate = sales(&front, &house, &PLOT.units(&[2]).ids()[0]).hold_before();
    let (report, ()) = tokio::join!(house.reconcile(false), async {
        gate.reached().await;
        house.pin(&token, &PLOT.units(&[1, 2]), true).await;
        gate.open();
    });
    assert_eq!(report["repairs"]["holdsLost"], 0, "{report}");
    assert_eq!(next_run(&house).await["settled"], 1);
    house.is_booked(&token).await;
    assert_eq!(house.left(PLOT).await, 7);
    assert_agreement(&house.sys, &house.show).await;
    assert_eq!(next_run(&house).await, json!(Repairs::default()));
}

/// The sale was read, and cancelled before it was looked for in Redis, which may or may not have heard of either.
#[tokio::test]
async fn a_sale_that_was_cancelled_since_it_was_read_ends_no_hold() {
    for redis_knows in [true, false] {
        let (house, front) = fronted().await;
        house.are_for_sale(PLOT, &[1, 2]).await;
        let buyer = uuid::Uuid::new_v4().to_string();
        let booking = if redis_knows { house.sell(PLOT, &[2]).await.1 } else { String::new() };
        let unknown = if redis_knows { None } else { Some(house.record(&buyer, &PLOT.seats(&[2])).await) };
        let gate = sales(&front, &house, &PLOT.seat(2)).hold_after();
        let (report, holder) = tokio::join!(house.reconcile(false), async {
            gate.reached().await;
            if let Some(booking) = unknown {
                let cancellation = Cancellation { reason: None, refunded: false, at_ms: 1_796_000_000_456 };
                let cancelled = booking.cancelled(cancellation);
                assert!(matches!(house.stores().record.decide_booking(&cancelled).await.unwrap(), Verdict::Written));
            } else {
                house.sys.call("POST", &format!("/bookings/{booking}/cancel"), json!({})).await.expect(200);
            }
            let holder = house.hold(PLOT, &[1, 2]).await;
            gate.open();
            holder
        });
        assert_eq!(report["repairs"], json!(Repairs::default()), "{report}");
        assert_eq!(house.state(&holder).await, "active");
        house.sys.extend(&house.show, &holder, 600).await.expect(200);
        house.sys.confirm(&house.show, &holder, paid("pay_1")).await.expect(201);
        assert_agreement(&house.sys, &house.show).await;
    }
}

/// The same, and nobody holds the seat: it stays for sale.
#[tokio::test]
async fn a_sale_that_was_cancelled_since_it_was_read_is_not_marked() {
    let (house, front) = fronted().await;
    let (_, booking) = house.sell(PLOT, &[2]).await;
    let gate = sales(&front, &house, &PLOT.seat(2)).hold_after();
    let (report, ()) = tokio::join!(house.reconcile(false), async {
        gate.reached().await;
        house.sys.call("POST", &format!("/bookings/{booking}/cancel"), json!({})).await.expect(200);
        gate.open();
    });
    assert_eq!(report["repairs"], json!(Repairs::default()), "{report}");
    house.are_for_sale(PLOT, &[2]).await;
    assert_agreement(&house.sys, &house.show).await;
}
