//! A restore holds its places under a token of its own. Whoever should learn that token can do nothing with it.

use holdfast::domain::{BookingId, HoldToken};
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::sys::{Sys, paid};
use serde_json::{Value, json};

use crate::cancel::{booked, id, post};
use crate::expect::{assert_problem, assert_success, in_version};
use crate::hold::never_issued;
use crate::lists::PATIENT;
use crate::other_units::naming;

/// The token under which the first restore of a booking holds its places.
fn token_of_restore(booking: &Value) -> String {
    let booking = BookingId::parse(id(booking)).unwrap();
    HoldToken::of_restore(booking, 2).to_string()
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
            assert_problem(&sys.confirm(&show, &token, body).await, "hold_lost", never_issued());
        }
        let stolen = with_seats(paid("pay_stolen"), &["E1", "E2"]);
        for _ in 0..2 {
            assert_problem(&sys.confirm(&show, &token, stolen.clone()).await, "hold_lost", never_issued());
        }
        for refused in [sys.extend(&show, &token, 900).await, sys.release(&show, &token).await] {
            assert_eq!(refused.status, 409, "{}", refused.body);
        }
        // The restore has its places still.
        let taken = sys.hold(&show, &["E1", "E2"]).await.expect_problem(409, "seat_unavailable");
        assert_eq!([&taken["seats"][0]["reason"], &taken["seats"][1]["reason"]], ["held", "held"]);
        gate.open();
    });
    let booking = in_version(&booking, 3);
    assert_success(&restored, 200, booking.clone());
    assert_success(&sys.get(&format!("/bookings/{}", id(&booking))).await, 200, in_version(&booking, 3));
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
        assert_problem(&sys.confirm(&show, &token, stolen).await, "hold_lost", never_issued());
        let count = json!({"zone": "GA", "capacity": 10, "remaining": 8, "held": 2, "sold": 0});
        assert_success(&sys.get(&format!("/shows/{show}/stock/GA")).await, 200, count);
        gate.open();
    });
    assert_success(&restored, 200, in_version(&booking, 3));
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
    assert_problem(&sys.confirm(&show, &token, json!({})).await, "hold_lost", never_issued());
    let named = with_seats(json!({}), &["E1", "E2"]);
    assert_problem(&sys.confirm(&show, &token, named).await, "hold_lost", never_issued());
    let stolen = with_seats(paid("pay_stolen"), &["E1", "E2"]);
    assert_problem(&sys.confirm(&show, &token, stolen).await, "hold_lost", never_issued());
    assert_success(&sys.get(&format!("/bookings/{}", id(&booking))).await, 200, in_version(&booking, 3));
    assert_agreement(&sys, &show).await;
}
