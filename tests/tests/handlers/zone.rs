//! A zone: decrement, count, and the life of a hold of units.

use holdfast_tests::sys::{Sys, paid};
use serde_json::{Value, json};

use crate::expect::{assert_problem, assert_success};

/// A hold of units.
fn held(show: &str, token: &str, units: &[&str], state: &str, expires_in_ms: Value) -> Value {
    json!({
        "holdToken": token, "showId": show, "zone": "GA", "units": units, "state": state,
        "expiresInMs": expires_in_ms, "expiresAt": "<time>",
    })
}

/// The count of the zone of 10.
async fn assert_count(sys: &Sys, show: &str, held: u64, sold: u64) {
    let count = json!({"zone": "GA", "capacity": 10, "remaining": 10 - held - sold, "held": held, "sold": sold});
    assert_success(&sys.get(&format!("/shows/{show}/stock/GA")).await, 200, count);
}

#[tokio::test]
async fn a_hold_of_units_lives_like_one_of_seats() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    assert_count(&sys, &show, 0, 0).await;
    let units = ["GA-1", "GA-2"];
    let granted = sys.decrement(&show, "GA", 2).await;
    let mut wanted = held(&show, "<uuid>", &units, "active", 300_000.into());
    wanted["remaining"] = 8.into();
    assert_success(&granted, 201, wanted);
    let token = granted.text("holdToken");
    let status = sys.hold_status(&show, token).await;
    assert_success(&status, 200, held(&show, token, &units, "active", "<int>".into()));
    let extended = sys.extend(&show, token, 600).await;
    assert_success(&extended, 200, held(&show, token, &units, "active", 600_000.into()));
    assert_count(&sys, &show, 2, 0).await;

    let booking = sys.confirm(&show, token, paid("pay_1")).await;
    let booked = json!({
        "bookingId": "<uuid>", "showId": show, "zone": "GA", "units": units, "status": "confirmed",
        "confirmedAt": "<time>", "payment": {"reference": "pay_1", "amount": "55000", "currency": "KRW"},
        "version": 1,
    });
    assert_success(&booking, 201, booked);
    let id = booking.text("bookingId");
    assert_success(&sys.get(&format!("/bookings/{id}")).await, 200, booking.body.clone());
    let mut wanted = held(&show, token, &units, "confirmed", 0.into());
    wanted["bookingId"] = id.into();
    assert_success(&sys.hold_status(&show, token).await, 200, wanted);
    assert_count(&sys, &show, 0, 2).await;
}

#[tokio::test]
async fn a_released_unit_is_for_sale_again() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let token = sys.decrement(&show, "GA", 10).await.text("holdToken").to_owned();
    assert_count(&sys, &show, 10, 0).await;
    for _ in 0..2 {
        assert_success(&sys.release(&show, &token).await, 204, Value::Null);
        assert_count(&sys, &show, 0, 0).await;
    }
    sys.decrement(&show, "GA", 10).await.expect(201);
    assert_problem(&sys.decrement(&show, "GA", 1).await, "sold_out", json!({"remaining": 0}));
}

#[tokio::test]
async fn a_zone_is_not_sold_in_part() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    sys.decrement(&show, "GA", 7).await.expect(201);
    assert_problem(&sys.decrement(&show, "GA", 4).await, "sold_out", json!({"remaining": 3}));
    assert_count(&sys, &show, 7, 0).await;
    assert_eq!(sys.decrement(&show, "GA", 3).await.expect(201)["remaining"], 0);
}

#[tokio::test]
async fn lapsed_units_come_back_at_the_next_touch() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({"hold": {"defaultTtlSeconds": 1}})).await;
    let token = sys.decrement(&show, "GA", 10).await.text("holdToken").to_owned();
    crate::life::until_state(&sys, &show, &token, "expired").await;
    assert_count(&sys, &show, 0, 0).await;
    assert_problem(&sys.release(&show, &token).await, "hold_lost", json!({}));
    assert_eq!(sys.decrement(&show, "GA", 10).await.expect(201)["remaining"], 0);
}

#[tokio::test]
async fn a_zone_that_the_show_does_not_have_is_not_found() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    assert_problem(&sys.decrement(&show, "stalls", 1).await, "zone_not_found", json!({}));
    assert_problem(&sys.get(&format!("/shows/{show}/stock/ga")).await, "zone_not_found", json!({}));
}

#[tokio::test]
async fn a_confirm_may_name_its_units() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let token = sys.decrement(&show, "GA", 3).await.text("holdToken").to_owned();
    for other in [
        json!({"zone": "GA", "units": ["GA-1", "GA-2"]}),
        json!({"zone": "GA", "units": ["GA-1", "GA-2", "GA-4"]}),
        json!({"zone": "GB", "units": ["GB-1", "GB-2", "GB-3"]}),
        json!({"seats": ["E1", "E2", "E3"]}),
    ] {
        assert_problem(&sys.confirm(&show, &token, other).await, "hold_mismatch", json!({}));
    }
    let named = json!({"zone": "GA", "units": ["GA-3", "GA-1", "GA-2"]});
    let booking = sys.confirm(&show, &token, named.clone()).await.expect(201);
    assert_eq!(booking["units"], json!(["GA-1", "GA-2", "GA-3"]));
    // A repeat, whatever the order.
    assert_success(&sys.confirm(&show, &token, named).await, 200, booking);
}
