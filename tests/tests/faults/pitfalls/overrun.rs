//! A confirm that takes longer than its function may.

use std::time::Duration;

use holdfast_tests::image::booking_of;
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::sys::{Sys, paid};
use serde_json::json;
use tokio::time::Instant;

use crate::outages::assert_unavailable;

const TRANSACTION: &str = "TransactWriteItems";

/// Nothing but the function's own time-out ends a call.
const ENDLESS: [(&str, &str); 2] = [("REQUEST_BUDGET_MS", "60000"), ("DYNAMODB_RESPONSE_TIMEOUT_MS", "60000")];

/// The template's time-out of a function.
const TIME_OUT: Duration = Duration::from_secs(5);

#[tokio::test]
async fn pitfall_45_a_confirm_that_overruns_its_function_is_the_same_booking_now_and_later() {
    let (sys, proxy, front) = Sys::fragile(&ENDLESS).await;
    let repeating = Sys::with(&proxy.url(), &front.endpoint(), &[]);
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E7"]).await.text("holdToken").to_owned();
    let gate = front.on(TRANSACTION).hold_before();
    let begun = Instant::now();
    let (first, second) = tokio::join!(sys.confirm(&show, &token, paid("pay_1")), async {
        gate.reached().await;
        repeating.confirm(&show, &token, paid("pay_1")).await
    });
    assert_unavailable(&first);
    assert!(begun.elapsed() < TIME_OUT, "answered before it is stopped, after {:?}", begun.elapsed());
    let booking = second.expect(201);
    assert_eq!(booking["bookingId"], booking_of(&show, &token).to_string());
    // The first one's transaction lands after all that.
    gate.open();
    assert_eq!(sys.confirm(&show, &token, paid("pay_1")).await.expect(200), booking);
    sys.reconcile(json!({"showId": show})).await;
    assert_eq!(sys.confirm(&show, &token, paid("pay_1")).await.expect(200), booking);
    assert_agreement(&sys, &show).await;
}

/// The same, and every repeat overruns as well.
#[tokio::test]
async fn pitfall_45_confirms_that_all_overrun_are_one_booking_in_the_end() {
    let (sys, proxy, front) = Sys::fragile(&ENDLESS).await;
    let repeating = Sys::with(&proxy.url(), &front.endpoint(), &[]);
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E7"]).await.text("holdToken").to_owned();
    let gate = front.on(TRANSACTION).always().hold_before();
    let (first, ()) = tokio::join!(sys.confirm(&show, &token, paid("pay_1")), async {
        gate.reached().await;
        let second = repeating.confirm(&show, &token, paid("pay_1")).await;
        assert!([(409, "in_progress"), (503, "unavailable")].contains(&(second.status, second.code())), "{second:?}");
        assert!(!second.header("retry-after").is_empty());
        for answer in [repeating.release(&show, &token).await, repeating.extend(&show, &token, 600).await] {
            answer.expect_problem(409, "in_progress");
        }
    });
    assert_unavailable(&first);
    front.clear();
    gate.open();
    let later = repeating.confirm(&show, &token, paid("pay_1")).await;
    assert!(matches!(later.status, 200 | 201), "{later:?}");
    assert_eq!(sys.confirm(&show, &token, paid("pay_1")).await.expect(200), later.body);
    sys.reconcile(json!({"showId": show})).await;
    assert_agreement(&sys, &show).await;
}
