//! The units that were answered first stay known, whatever units a booking has since: who names them means this booking.

use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::sys::{Sys, paid};
use serde_json::{Value, json};

use crate::cancel::post;
use crate::expect::{assert_problem, assert_success};
use crate::life::until_state;
use crate::other_units::{Split, names, naming};

/// Fails the test unless a confirm that names either means `booking`, and one that names others does not.
async fn is_known_by(sys: &Sys, show: &str, token: &str, first: &Value, booking: &Value) {
    for named in [first, &booking["units"]] {
        for body in [json!({}), paid("pay_1")] {
            assert_success(&sys.confirm(show, token, naming(body, named)).await, 200, booking.clone());
        }
    }
    let mismatch = sys.confirm(show, token, naming(json!({}), &json!(["GA-1", "GA-9"]))).await;
    assert_problem(&mismatch, "hold_mismatch", json!({"bookingId": booking["bookingId"]}));
}

/// Each time somebody else had taken units of it before, as Redis knows.
#[tokio::test]
async fn over_a_rescue_a_cancel_and_a_restore() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({"hold": {"defaultTtlSeconds": 1}})).await;
    let hold = sys.decrement(&show, "GA", 2).await;
    let (token, first) = (hold.text("holdToken"), hold.body["units"].clone());
    until_state(&sys, &show, token, "expired").await;
    let path = format!("/shows/{show}/stock/GA/decrement");
    let take = async |quantity: u32| {
        let taken = sys.call("POST", &path, json!({"quantity": quantity, "ttlSeconds": 600})).await.expect(201);
        names(&taken["units"])
    };
    take(2).await;
    let booking = sys.confirm(&show, token, naming(paid("pay_1"), &first)).await.expect(201);
    assert_eq!(booking["units"], json!(["GA-3", "GA-4"]));
    is_known_by(&sys, &show, token, &first, &booking).await;

    post(&sys, &booking, "cancel", Value::Null).await.expect(200);
    take(1).await;
    let restored = post(&sys, &booking, "restore", Value::Null).await.expect(200);
    assert_ne!(restored["units"], booking["units"], "one of them is gone");
    is_known_by(&sys, &show, token, &first, &restored).await;
    assert_agreement(&sys, &show).await;

    // And once more, from what it was restored with.
    post(&sys, &booking, "cancel", Value::Null).await.expect(200);
    take(2).await;
    let again = post(&sys, &booking, "restore", Value::Null).await.expect(200);
    assert_ne!(again["units"], restored["units"]);
    is_known_by(&sys, &show, token, &first, &again).await;
    assert_agreement(&sys, &show).await;
}

/// Each time it is the guard that finds units sold which Redis has as free.
#[tokio::test]
async fn over_what_the_guard_refuses_of_a_confirm_and_of_a_restore() {
    let split = Split::open().await;
    let (sys, show) = (&split.sys, split.sys.define(json!({})).await);
    let hold = sys.decrement(&show, "GA", 3).await;
    let (token, first) = (hold.text("holdToken"), hold.body["units"].clone());
    assert_eq!(split.sell_behind(&show, 2).await, ["GA-1", "GA-2"]);
    let booking = sys.confirm(&show, token, naming(paid("pay_1"), &first)).await.expect(201);
    is_known_by(sys, &show, token, &first, &booking).await;

    post(sys, &booking, "cancel", Value::Null).await.expect(200);
    let sold = split.sell_behind(&show, 1).await;
    assert!(names(&booking["units"]).contains(&sold[0]), "{sold:?} was one of {booking}");
    let restored = post(sys, &booking, "restore", Value::Null).await.expect(200);
    assert!(!names(&restored["units"]).contains(&sold[0]), "{restored}");
    is_known_by(sys, &show, token, &first, &restored).await;
    // The record alone knows it, too.
    split.flush().await;
    is_known_by(sys, &show, token, &first, &restored).await;
    assert_agreement(sys, &show).await;
}
