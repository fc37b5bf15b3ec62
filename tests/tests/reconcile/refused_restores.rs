//! A restore that died after its pin, and is refused then: it holds nothing any more, and no run goes through with it
//! when its places are free again.

use holdfast::adapters::redis::keys;
use holdfast::domain::{BookingId, Claim, HoldToken, Places};
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::proxy::{After, Lose};
use holdfast_tests::sys::{Answer, Sys};
use redis::AsyncCommands;
use serde_json::{Value, json};

use crate::house::{House, Plot};
use crate::left_behind::lapse;

/// For tests in which no time is up.
const UNHURRIED: [(&str, &str); 1] = [("REQUEST_BUDGET_MS", "4500")];
/// A script is sent four times at most.
const ATTEMPTS: usize = 4;

/// The booking of two seats that was cancelled, and whose restore died after its pin.
struct Dead {
    booking: String,
    reference: String,
    /// What the restore holds under.
    token: HoldToken,
    places: Places,
}

async fn died_after_its_pin(house: &House, plot: Plot) -> Dead {
    let (token, booking) = house.sell(plot, &[1, 2]).await;
    cancel(house, &booking).await;
    let (id, places) = (BookingId::parse(&booking).unwrap(), plot.seats(&[1, 2]));
    let restore = HoldToken::of_restore(id, 2);
    house.pin_as(restore, &places, &Claim::default(), Some(id)).await;
    Dead { booking, reference: format!("pay_{token}"), token: restore, places }
}

async fn cancel(house: &House, booking: &str) {
    house.sys.call("POST", &format!("/bookings/{booking}/cancel"), json!({})).await.expect(200);
}

async fn restore(house: &House, dead: &Dead) -> Answer {
    house.sys.call("POST", &format!("/bookings/{}/restore", dead.booking), Value::Null).await
}

/// Fails the test unless nobody will settle the restore any more.
async fn is_over(house: &House, dead: &Dead) {
    let pinned: Option<f64> =
        house.redis.clone().zscore(keys::confirming(&house.id), dead.token.to_string()).await.unwrap();
    assert_eq!(pinned, None);
    let report = house.reconcile(false).await;
    assert_eq!((&report["checked"]["tokens"], &report["repairs"]["settled"]), (&json!(0), &json!(0)), "{report}");
}

/// Fails the test unless the booking is cancelled, with its refund in this status.
async fn stays_cancelled(house: &House, dead: &Dead, refund: &str) {
    let booking = house.sys.get(&format!("/bookings/{}", dead.booking)).await.expect(200);
    assert_eq!((&booking["status"], &booking["refund"]["status"]), (&json!("cancelled"), &json!(refund)), "{booking}");
    assert_agreement(&house.sys, &house.show).await;
}

/// Its pin has lapsed, and somebody else holds one of its seats.
#[tokio::test]
async fn one_whose_seat_somebody_holds_is_not_restored_once_they_let_go() {
    for by_reconcile in [false, true] {
        let (house, plot) = House::open().await;
        let dead = died_after_its_pin(&house, plot).await;
        lapse(&house, dead.token, &dead.places).await;
        let rival = house.hold(plot, &[2]).await;
        if by_reconcile {
            assert_eq!(house.reconcile(false).await["repairs"]["settled"], 1);
        } else {
            let refused = restore(&house, &dead).await.expect_problem(409, "not_restorable");
            assert_eq!(refused["places"], json!([plot.seat(2)]));
        }
        is_over(&house, &dead).await;
        house.sys.release(&house.show, &rival).await.expect(204);
        is_over(&house, &dead).await;
        stays_cancelled(&house, &dead, "due").await;
        house.are_for_sale(plot, &[1, 2]).await;
        // Whoever wants it now may have it.
        restore(&house, &dead).await.expect(200);
        assert_agreement(&house.sys, &house.show).await;
    }
}

/// Its places are still pinned, and the guard finds one of them sold to somebody of whom Redis does not know.
#[tokio::test]
async fn one_that_the_guard_refuses_is_not_restored_once_the_sale_is_cancelled() {
    for repair_is_lost in [false, true] {
        let (sys, proxy, _front) = Sys::fragile(&UNHURRIED).await;
        let plot = Plot('A');
        let house = House::on(sys, &[plot]).await;
        let dead = died_after_its_pin(&house, plot).await;
        let rival = house.record(&uuid::Uuid::new_v4().to_string(), &plot.seats(&[2])).await.id;
        if repair_is_lost {
            let mark = keys::booking(&house.id, rival);
            (0..ATTEMPTS).for_each(|_| proxy.lose(Lose::Request, 1, &mark, After::Cut));
        }
        let refused = restore(&house, &dead).await.expect_problem(409, "not_restorable");
        assert_eq!((&refused["places"], proxy.rules_left()), (&json!([plot.seat(2)]), 0));
        is_over(&house, &dead).await;
        house.are_sold(plot, &[2]).await;
        cancel(&house, &rival.to_string()).await;
        is_over(&house, &dead).await;
        stays_cancelled(&house, &dead, "due").await;
        house.are_for_sale(plot, &[1, 2]).await;
    }
}

/// The money went back after its pin.
#[tokio::test]
async fn one_whose_refund_was_settled_holds_nothing() {
    for by_reconcile in [false, true] {
        let (house, plot) = House::open().await;
        let dead = died_after_its_pin(&house, plot).await;
        house.sys.settle(&dead.booking, &dead.reference).await.expect(200);
        if by_reconcile {
            assert_eq!(house.reconcile(false).await["repairs"]["settled"], 1);
        } else {
            let refused = restore(&house, &dead).await.expect_problem(409, "not_restorable");
            assert_eq!(refused["reason"], "refunded");
        }
        is_over(&house, &dead).await;
        stays_cancelled(&house, &dead, "settled").await;
        house.are_for_sale(plot, &[1, 2]).await;
    }
}
