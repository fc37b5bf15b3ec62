//! A confirm that is killed at each of its steps: before it, so that the step never happens, or after it. One reconcile later
//! every seat is free or booked, and the repeated confirm is the same booking.

use holdfast_tests::image::booking_of;
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::sys::paid;
use serde_json::json;

use super::killing::Killed::{self, AfterScript, AfterTransaction, BeforeScript, BeforeTransaction};
use super::killing::Killing;

/// Two at a time.
const STEPS: [[Killed; 2]; 4] = [
    [BeforeScript("hold_status"), AfterScript("hold_status")],
    [BeforeScript("pin"), AfterScript("pin")],
    [BeforeTransaction, AfterTransaction],
    [BeforeScript("mark"), AfterScript("mark")],
];

impl Killed {
    fn is_pinned(self) -> bool {
        !matches!(self, BeforeScript("hold_status" | "pin") | AfterScript("hold_status"))
    }

    fn is_booked(self) -> bool {
        self.is_pinned() && !matches!(self, AfterScript("pin") | BeforeTransaction)
    }
}

async fn killed(step: Killed, is_paid: bool) {
    let killing = Killing::start().await;
    let (sys, show) = (&killing.sys, &killing.show);
    let token = sys.hold(show, &["E7", "E8"]).await.text("holdToken").to_owned();
    let body = if is_paid { paid("pay_1") } else { json!({}) };
    killing.confirm(step, &token, &body).await;
    killing.reconcile().await;
    assert_agreement(sys, show).await;
    let state = sys.hold_status(show, &token).await.expect(200)["state"].clone();
    let again = sys.confirm(show, &token, body).await;
    let id = json!(booking_of(show, &token).to_string());
    match (step.is_pinned(), step.is_booked() || is_paid) {
        (false, _) => {
            assert_eq!(state, "active", "{step:?}");
            assert_eq!(again.expect(201)["bookingId"], id);
        }
        (true, true) => {
            assert_eq!(state, "confirmed", "{step:?}");
            assert_eq!(again.expect(200)["bookingId"], id);
        }
        (true, false) => {
            assert_eq!(state, "refused", "{step:?}");
            again.expect_problem(409, "hold_lost");
            sys.hold(show, &["E7", "E8"]).await.expect(201);
        }
    }
    assert_agreement(sys, show).await;
}

#[tokio::test]
async fn pitfall_4_a_paid_confirm_that_is_killed_at_any_step_is_one_booking() {
    for [one, other] in STEPS {
        tokio::join!(killed(one, true), killed(other, true));
    }
}

#[tokio::test]
async fn pitfall_4_an_unpaid_confirm_that_is_killed_at_any_step_leaves_its_seats_free_or_booked() {
    for [one, other] in STEPS {
        tokio::join!(killed(one, false), killed(other, false));
    }
}
