//! Money that no process may forget (INV-10): whatever is killed, a payment that Redis once kept with a hold is on record
//! after one reconcile, and once. The ledger of all payments judges that, in `assert_agreement`.

use holdfast::adapters::redis::keys;
use holdfast::domain::{HoldToken, Places, SeatId, ShowId, ZoneId};
use holdfast::ops::cancel::{CancelWish, cancel};
use holdfast::ops::restore::restore;
use holdfast_tests::image::{booking_of, lapse};
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::sys::paid;
use redis::AsyncCommands;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::killing::Killed::{
    self, AfterScript, AfterSecondTransaction, AfterTransaction, BeforeScript, BeforeSecondTransaction,
    BeforeTransaction,
};
use super::killing::Killing;
use crate::refunds::is_due;

/// A hold of two seats, and one of two units.
async fn holds(killing: &Killing) -> [(String, Places); 2] {
    let (sys, show) = (&killing.sys, &killing.show);
    let seats = sys.hold(show, &["E7", "E8"]).await.text("holdToken").to_owned();
    let units = sys.decrement(show, "GA", 2).await.expect(201);
    let number = |unit: &Value| unit.as_str().unwrap().strip_prefix("GA-").unwrap().parse().unwrap();
    let numbers = units["units"].as_array().unwrap().iter().map(number).collect();
    let places = Places::Units { zone: ZoneId::parse("GA").unwrap(), numbers };
    let ids = ["E7", "E8"].map(|seat| SeatId::parse(seat).unwrap());
    [(seats, Places::Seats(ids.to_vec())), (units["holdToken"].as_str().unwrap().to_owned(), places)]
}

/// Where the confirm dies that brings a later payment. The last two are of one that is refused as a second payment.
const LATER: [Killed; 7] = [
    AfterScript("pin"),
    BeforeTransaction,
    AfterTransaction,
    BeforeScript("mark"),
    AfterScript("mark"),
    BeforeSecondTransaction,
    AfterSecondTransaction,
];

/// A confirm with this body died here; one with a later payment dies at each of its steps.
async fn a_later_payment(first: Value, died: Killed, later: &[Killed]) {
    let mut steps = JoinSet::new();
    for step in later {
        steps.spawn(a_later_payment_dies(first.clone(), died, *step));
    }
    steps.join_all().await;
}

async fn a_later_payment_dies(first: Value, died: Killed, step: Killed) {
    let killing = Killing::start().await;
    let (sys, show) = (&killing.sys, &killing.show);
    for (token, _) in holds(&killing).await {
        let late = format!("pay_late_{token}");
        killing.confirm(died, &token, &first).await;
        killing.confirm(step, &token, &paid(&late)).await;
        killing.reconcile().await;
        assert_agreement(sys, show).await;
        let again = sys.confirm(show, &token, paid(&late)).await;
        if first["payment"].is_null() {
            // It is what the booking is paid with.
            assert_eq!(again.expect(200)["payment"]["reference"], json!(late), "{died:?}, {step:?}");
            assert!(!is_due(sys, show, &token, &late).await, "{died:?}, {step:?}");
        } else {
            again.expect_problem(422, "idempotency_mismatch");
            assert!(is_due(sys, show, &token, &late).await, "{died:?}, {step:?}");
        }
        assert_agreement(sys, show).await;
    }
}

/// The first claim is one without a payment: it is booked with the later one.
#[tokio::test]
async fn pitfall_4_a_payment_that_comes_after_an_unpaid_pin_is_the_bookings_own() {
    a_later_payment(json!({}), BeforeTransaction, &LATER[..5]).await;
}

/// The booking is there, without a payment: it takes the later one as its own.
#[tokio::test]
async fn pitfall_4_a_payment_that_comes_after_an_unpaid_booking_is_its_own() {
    a_later_payment(json!({}), AfterTransaction, &LATER).await;
}

#[tokio::test]
async fn pitfall_4_a_second_payment_that_comes_after_a_pin_is_due_back() {
    a_later_payment(paid("pay_1"), BeforeTransaction, &LATER).await;
}

#[tokio::test]
async fn pitfall_4_a_second_payment_that_comes_after_a_booking_is_due_back() {
    a_later_payment(paid("pay_1"), AfterTransaction, &LATER).await;
}

/// A day and more without a reconcile: all that has a time is gone, and the payment is not.
#[tokio::test]
async fn pitfall_4_a_payment_waits_for_a_reconcile_that_comes_days_later() {
    for step in [AfterScript("pin"), BeforeTransaction] {
        let killing = Killing::start().await;
        let (sys, id) = (&killing.sys, ShowId::parse(&killing.show).unwrap());
        for (token, places) in holds(&killing).await {
            killing.confirm(step, &token, &paid("pay_1")).await;
            let hold = HoldToken::from_stored(&token).unwrap();
            let mut redis = sys.redis().await;
            let expires_ms: i64 = redis.pttl(keys::hold(&id, hold)).await.unwrap();
            assert_eq!(expires_ms, -1, "the record ends by itself");
            lapse(&mut redis, &id, hold, &places).await;
            assert_eq!(killing.reconcile().await["repairs"]["settled"], 1, "{step:?}");
            let booking = sys.get(&format!("/bookings/{}", booking_of(&killing.show, &token))).await.expect(200);
            assert_eq!((&booking["status"], &booking["payment"]["reference"]), (&json!("confirmed"), &json!("pay_1")));
            // What is on record need not be kept any more.
            let expires_ms: i64 = redis.pttl(keys::hold(&id, hold)).await.unwrap();
            assert!(expires_ms > 0, "the record is kept for ever");
            assert_agreement(sys, &killing.show).await;
        }
    }
}

/// What was due, and was withdrawn by the restore, is not due again once somebody has paid it back.
#[tokio::test]
async fn pitfall_4_what_a_later_cancel_paid_back_is_not_told_as_due() {
    let killing = Killing::start().await;
    let (sys, show) = (&killing.sys, &killing.show);
    for (token, _) in holds(&killing).await {
        let payment = format!("pay_{token}");
        sys.confirm(show, &token, paid(&payment)).await.expect(201);
        let id = booking_of(show, &token);
        // Each of the three dies with its transaction written, and Redis not told.
        for refunded in [false, true] {
            let wish = CancelWish { reason: None, refunded, version: None, only_unpaid: false };
            let dying = async move |stores| drop(cancel(&stores, id, &wish).await);
            killing.kill(AfterTransaction, &token, dying).await;
            killing.reconcile().await;
            if !refunded {
                let dying = async move |stores| drop(restore(&stores, id, None).await);
                killing.kill(AfterTransaction, &token, dying).await;
                killing.reconcile().await;
            }
        }
        let refused = sys.confirm(show, &token, paid(&payment)).await.expect_problem(409, "already_cancelled");
        assert_eq!(refused["refund"], json!({"reference": payment, "status": "settled"}));
        assert!(!is_due(sys, show, &token, &payment).await);
        assert_agreement(sys, show).await;
    }
}

/// Nobody refuses a confirm whose caller was told to come again in a moment.
#[tokio::test]
async fn pitfall_4_an_unpaid_pin_is_not_refused_before_its_caller_can_come_again() {
    let killing = Killing::start().await;
    let (sys, show) = (&killing.sys, &killing.show);
    for (token, _) in holds(&killing).await {
        killing.confirm(BeforeTransaction, &token, &json!({})).await;
        let rival = sys.clients(1).remove(0);
        let mut run = std::pin::pin!(killing.reconcile());
        let booked = tokio::select! {
            biased;
            answer = rival.confirm(show, &token, json!({})) => answer,
            report = &mut run => panic!("it did not wait: {report}"),
        };
        booked.expect(201);
        run.await;
        assert_agreement(sys, show).await;
    }
}
