//! A restore holds its places under a token of its own. Whoever should learn that token can do nothing with it.

use holdfast::domain::{BookingId, TokenSecret};
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::loaded::TOKEN_SECRET;
use holdfast_tests::sys::{Sys, paid};
use serde_json::{Value, json};

use crate::cancel::{booked, id, post};
use crate::confirm::{due, is_on_record};
use crate::expect::{assert_problem, assert_success};
use crate::lists::PATIENT;
use crate::other_units::naming;

/// The token under which the first restore of a booking holds its places.
fn token_of_restore(booking: &Value) -> String {
    let booking = BookingId::parse(id(booking)).unwrap();
    TokenSecret::new(TOKEN_SECRET).unwrap().own_token(booking, 2).to_string()
}

fn with_seats(mut body: Value, seats: &[&str]) -> Value {
    body["seats"] = json!(seats);
    body
}

#[tokio::test]
async fn the_token_of_a_restore_that_is_under_way_is_as_good_as_an_invented_one() {
    let (sys, _proxy, front) = Sys::fragile(&PATIENT).await;
    let show = sys.define(json!({})).await;
    let (_, booking) = booked(&sys, &show, &["E1", "E2"], paid("pay_1")).await;
    post(&sys, &booking, "cancel", Value::Null).await.expect(200);
    let token = token_of_restore(&booking);
    let gate = front.on("TransactWriteItems").hold_before();
    let (restored, ()) = tokio::join!(post(&sys, &booking, "restore", Value::Null), async {
        gate.reached().await;
        for body in [json!({}), with_seats(json!({}), &["E1", "E2"])] {
            assert_problem(&sys.confirm(&show, &token, body).await, "hold_lost", json!({}));
        }
        let stolen = with_seats(paid("pay_stolen"), &["E1", "E2"]);
        for _ in 0..2 {
            assert_problem(&sys.confirm(&show, &token, stolen.clone()).await, "hold_lost", due("pay_stolen"));
        }
        assert!(is_on_record(&sys, "pay_stolen", &show, &token).await);
        for refused in [sys.extend(&show, &token, 900).await, sys.release(&show, &token).await] {
            assert_eq!(refused.status, 409, "{}", refused.body);
        }
        // The restore has its places still.
        let taken = sys.hold(&show, &["E1", "E2"]).await.expect_problem(409, "seat_unavailable");
        assert_eq!([&taken["seats"][0]["reason"], &taken["seats"][1]["reason"]], ["held", "held"]);
        gate.open();
    });
    assert_success(&restored, 200, booking.clone());
    assert_success(&sys.get(&format!("/bookings/{}", id(&booking))).await, 200, booking);
    assert_agreement(&sys, &show).await;
}

/// The same of units, of which others could take the place of those that are gone.
#[tokio::test]
async fn the_token_of_a_restore_takes_no_other_units() {
    let (sys, _proxy, front) = Sys::fragile(&PATIENT).await;
    let show = sys.define(json!({})).await;
    let units = sys.decrement(&show, "GA", 2).await.text("holdToken").to_owned();
    let booking = sys.confirm(&show, &units, paid("pay_1")).await.expect(201);
    post(&sys, &booking, "cancel", Value::Null).await.expect(200);
    let token = token_of_restore(&booking);
    let gate = front.on("TransactWriteItems").hold_before();
    let (restored, ()) = tokio::join!(post(&sys, &booking, "restore", Value::Null), async {
        gate.reached().await;
        let stolen = naming(paid("pay_stolen"), &booking["units"]);
        assert_problem(&sys.confirm(&show, &token, stolen).await, "hold_lost", due("pay_stolen"));
        let count = json!({"zone": "GA", "capacity": 10, "remaining": 8, "held": 2, "sold": 0});
        assert_success(&sys.get(&format!("/shows/{show}/stock/GA")).await, 200, count);
        gate.open();
    });
    assert_success(&restored, 200, booking);
    assert_agreement(&sys, &show).await;
}

/// Afterwards, too: nothing is known of it that a confirm could answer with.
#[tokio::test]
async fn the_token_of_a_restore_that_is_done_is_as_good_as_an_invented_one() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let (_, booking) = booked(&sys, &show, &["E1", "E2"], paid("pay_1")).await;
    post(&sys, &booking, "cancel", Value::Null).await.expect(200);
    post(&sys, &booking, "restore", Value::Null).await.expect(200);
    let token = token_of_restore(&booking);
    assert_problem(&sys.confirm(&show, &token, json!({})).await, "hold_lost", json!({}));
    let named = with_seats(json!({}), &["E1", "E2"]);
    assert_problem(&sys.confirm(&show, &token, named).await, "hold_lost", json!({}));
    let stolen = with_seats(paid("pay_stolen"), &["E1", "E2"]);
    assert_problem(&sys.confirm(&show, &token, stolen).await, "hold_lost", due("pay_stolen"));
    assert_success(&sys.get(&format!("/bookings/{}", id(&booking))).await, 200, booking);
    assert_agreement(&sys, &show).await;
}
