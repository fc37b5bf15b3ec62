//! `POST /bookings/{bookingId}/restore`: a cancelled booking has its places again, if all are free.

use holdfast::domain::{BookingId, RefundId};
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::sys::{Client, Sys, paid};
use serde_json::{Value, json};

use crate::cancel::{booked, id, not_restorable, post};
use crate::confirm::due;
use crate::expect::{assert_problem, assert_success, in_version};
use crate::hold::replace;

const REFUNDED: &str = "The money of the booking went back already.";

/// A paid booking of these seats that was cancelled: its token, and what the confirm answered.
async fn cancelled(sys: &Client, show: &str, seats: &[&str]) -> (String, Value) {
    let (token, booking) = booked(sys, show, seats, paid("pay_1")).await;
    post(sys, &booking, "cancel", json!({"reason": "rain"})).await.expect(200);
    (token, booking)
}

/// That a restore is refused because these are not free.
async fn is_refused(sys: &Client, booking: &Value, places: &[&str]) {
    let mut wanted = not_restorable(id(booking), "places", "Places of the booking are not free.");
    wanted["places"] = json!(places);
    for _ in 0..2 {
        assert_problem(&post(sys, booking, "restore", Value::Null).await, "not_restorable", wanted.clone());
    }
    assert_eq!(sys.get(&format!("/bookings/{}", id(booking))).await.expect(200)["refund"], due("pay_1")["refund"]);
}

#[tokio::test]
async fn a_restored_booking_is_what_it_was() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let (token, booking) = cancelled(&sys, &show, &["E1", "E2"]).await;
    let booking = in_version(&booking, 3);
    for body in [Value::Null, json!({})] {
        assert_success(&post(&sys, &booking, "restore", body).await, 200, booking.clone());
    }
    assert_success(&sys.get(&format!("/bookings/{}", id(&booking))).await, 200, booking.clone());
    assert_success(&sys.confirm(&show, &token, paid("pay_1")).await, 200, booking.clone());
    let taken = sys.hold(&show, &["E2", "E3"]).await.expect_problem(409, "seat_unavailable");
    assert_eq!(taken["seats"], json!([{"seat": "E2", "reason": "sold"}]));
    assert_agreement(&sys, &show).await;
    // And it can be cancelled again: then the money is due again.
    let again = post(&sys, &booking, "cancel", Value::Null).await.expect(200);
    assert_eq!((&again["status"], &again["refund"]), (&json!("cancelled"), &due("pay_1")["refund"]));
    assert_eq!(again["reason"], Value::Null);
    sys.hold(&show, &["E1", "E2"]).await.expect(201);
    assert_agreement(&sys, &show).await;
}

#[tokio::test]
async fn a_booking_that_stands_is_answered_as_it_is() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let (token, booking) = booked(&sys, &show, &["E1"], paid("pay_1")).await;
    assert_success(&post(&sys, &booking, "restore", Value::Null).await, 200, booking.clone());
    assert_success(&sys.confirm(&show, &token, paid("pay_1")).await, 200, booking);
    assert_agreement(&sys, &show).await;
}

#[tokio::test]
async fn a_seat_that_somebody_holds_or_bought_is_in_the_way() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let (_, booking) = cancelled(&sys, &show, &["E1", "E2", "E3"]).await;
    let holder = sys.hold(&show, &["E2", "E9"]).await.text("holdToken").to_owned();
    is_refused(&sys, &booking, &["E2"]).await;
    assert_eq!(sys.hold_status(&show, &holder).await.expect(200)["state"], "active");
    sys.confirm(&show, &holder, paid("pay_2")).await.expect(201);
    is_refused(&sys, &booking, &["E2"]).await;
    // None was taken.
    let others = sys.hold(&show, &["E1", "E3"]).await.text("holdToken").to_owned();
    is_refused(&sys, &booking, &["E1", "E2", "E3"]).await;
    sys.release(&show, &others).await.expect(204);
    assert_agreement(&sys, &show).await;
    // Cancelled, too: now all are free.
    let theirs = json!({"bookingId": holdfast_tests::image::booking_of(&show, &holder).to_string()});
    post(&sys, &theirs, "cancel", Value::Null).await.expect(200);
    let restored = in_version(&booking, 3);
    assert_success(&post(&sys, &booking, "restore", Value::Null).await, 200, restored);
    assert_agreement(&sys, &show).await;
}

#[tokio::test]
async fn a_seat_that_the_show_does_not_have_any_more_is_in_the_way() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let (_, booking) = cancelled(&sys, &show, &["E1", "E20"]).await;
    let fewer = json!([{"id": "stalls", "rows": [{"id": "E", "from": 1, "to": 19}]}]);
    replace(&sys, &show, json!({"sections": fewer})).await.expect(200);
    is_refused(&sys, &booking, &["E20"]).await;
    sys.hold(&show, &["E1"]).await.expect(201);
}

/// A restore is no new sale: only the places count.
#[tokio::test]
async fn neither_sale_window_nor_limits_are_in_the_way() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let (_, booking) = cancelled(&sys, &show, &["E1", "E2"]).await;
    let closed = json!({
        "sale": {"closesAt": "2020-01-01T00:00:00Z"}, "limits": {"maxPlacesPerHold": 1}, "lateConfirm": "refuse",
    });
    replace(&sys, &show, closed).await.expect(200);
    let restored = in_version(&booking, 3);
    assert_success(&post(&sys, &booking, "restore", Value::Null).await, 200, restored);
    assert_agreement(&sys, &show).await;
}

#[tokio::test]
async fn money_that_is_back_is_in_the_way() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let (_, settled) = cancelled(&sys, &show, &["E1"]).await;
    let refund = RefundId::of(BookingId::parse(id(&settled)).unwrap(), "pay_1");
    sys.call("POST", &format!("/refunds/{refund}/settle"), Value::Null).await.expect(200);
    let (_, refunded) = booked(&sys, &show, &["E2"], paid("pay_1")).await;
    post(&sys, &refunded, "cancel", json!({"refunded": true})).await.expect(200);
    for booking in [&settled, &refunded] {
        for _ in 0..2 {
            let answer = post(&sys, booking, "restore", Value::Null).await;
            assert_problem(&answer, "not_restorable", not_restorable(id(booking), "refunded", REFUNDED));
        }
    }
    assert_agreement(&sys, &show).await;
    // What was tried holds nothing.
    sys.hold(&show, &["E1", "E2"]).await.expect(201);
}

#[tokio::test]
async fn units_that_are_gone_are_replaced_by_others_of_the_zone() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let token = sys.decrement(&show, "GA", 3).await.text("holdToken").to_owned();
    let booking = sys.confirm(&show, &token, paid("pay_1")).await.expect(201);
    post(&sys, &booking, "cancel", Value::Null).await.expect(200);
    let rival = sys.decrement(&show, "GA", 2).await;
    assert_eq!(rival.body["units"], json!(["GA-1", "GA-2"]));
    let restored = post(&sys, &booking, "restore", Value::Null).await;
    let mut wanted = in_version(&booking, 3);
    wanted["units"] = restored.body["units"].clone();
    assert_success(&restored, 200, wanted.clone());
    let units: Vec<&str> =
        restored.body["units"].as_array().unwrap().iter().map(|unit| unit.as_str().unwrap()).collect();
    assert!(units.len() == 3 && units.contains(&"GA-3") && !units.contains(&"GA-1"), "{units:?}");
    assert_success(&post(&sys, &booking, "restore", Value::Null).await, 200, wanted.clone());
    // Who names the units that were answered first, or those of the booking, means this booking.
    for named in [&booking["units"], &wanted["units"]] {
        let body = json!({"zone": "GA", "units": named});
        assert_success(&sys.confirm(&show, &token, body).await, 200, wanted.clone());
    }
    let count = json!({"zone": "GA", "capacity": 10, "remaining": 5, "held": 2, "sold": 3});
    assert_success(&sys.get(&format!("/shows/{show}/stock/GA")).await, 200, count);
    assert_agreement(&sys, &show).await;

    // None are left: those that are gone are named.
    post(&sys, &booking, "cancel", Value::Null).await.expect(200);
    sys.decrement(&show, "GA", 8).await.expect(201);
    is_refused(&sys, &booking, &units).await;
    assert_agreement(&sys, &show).await;
}
