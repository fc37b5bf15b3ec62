//! A confirm that is killed at each of its steps: before it, so that the step never happens, or after it. One reconcile later
//! every seat is free or booked, and the repeated confirm is the same booking.

use std::sync::Arc;
use std::time::Duration;

use holdfast::Deadline;
use holdfast::adapters::redis::scripts;
use holdfast::domain::{Buyer, HoldToken, Payment, ShowId};
use holdfast::ops::confirm::{ConfirmWish, confirm};
use holdfast_tests::gate::Gate;
use holdfast_tests::image::booking_of;
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::sys::{Client, Sys, paid};
use serde_json::{Value, json};

const TRANSACTION: &str = "TransactWriteItems";

/// How long a busy machine takes is no part of the question.
const PATIENT: [(&str, &str); 4] = [
    ("REQUEST_BUDGET_MS", "3000"),
    ("REDIS_RESPONSE_TIMEOUT_MS", "1500"),
    ("REDIS_CONNECT_TIMEOUT_MS", "1500"),
    ("DYNAMODB_RESPONSE_TIMEOUT_MS", "3000"),
];

/// Where it is killed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Killed {
    BeforeScript(&'static str),
    AfterScript(&'static str),
    BeforeTransaction,
    AfterTransaction,
}

use Killed::{AfterScript, AfterTransaction, BeforeScript, BeforeTransaction};

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

fn wish(show: &str, token: &str, body: &Value) -> ConfirmWish {
    ConfirmWish {
        show: ShowId::parse(show).unwrap(),
        token: HoldToken::parse(token).unwrap(),
        payment: serde_json::from_value::<Option<Payment>>(body["payment"].clone()).unwrap(),
        order: None,
        places: None,
        buyer: Buyer::default(),
    }
}

/// Lets a confirm run until the gate, and ends it there.
async fn dies_at(gate: &Gate, client: &Client, show: &str, token: &str, body: &Value) {
    let (stores, wish) = (client.app().stores(Deadline::after(Duration::from_secs(60))), wish(show, token, body));
    let dying = tokio::spawn(async move { confirm(&stores, &wish).await.map(drop) });
    gate.reached().await;
    dying.abort();
    assert!(dying.await.unwrap_err().is_cancelled());
}

/// The bytes by which the request of a script is known.
fn request_of(script: &str) -> String {
    scripts::all().into_iter().find(|one| one.name == script).unwrap().sha1.clone()
}

async fn killed(step: Killed, is_paid: bool) {
    let (sys, proxy, front) = Sys::fragile(&PATIENT).await;
    let show = sys.define(json!({})).await;
    let dying = sys.clients(1).remove(0);
    // Its connection, and its scripts, are there already.
    let token = dying.hold(&show, &["E1", "E2"]).await.text("holdToken").to_owned();
    dying.confirm(&show, &token, json!({})).await.expect(201);

    let token = dying.hold(&show, &["E7", "E8"]).await.text("holdToken").to_owned();
    let body = if is_paid { paid("pay_1") } else { json!({}) };
    match step {
        BeforeScript(script) | AfterScript(script) => {
            let gate: Arc<Gate> = proxy.hold(1, request_of(script));
            dies_at(&gate, &dying, &show, &token, &body).await;
            if step == BeforeScript(script) {
                proxy.cut_now();
            } else {
                gate.open();
                // Behind it on its connection: what is answered now was asked after it was done.
                dying.hold_status(&show, &token).await.expect(200);
            }
        }
        BeforeTransaction => dies_at(&front.on(TRANSACTION).hold_before(), &dying, &show, &token, &body).await,
        AfterTransaction => dies_at(&front.on(TRANSACTION).hold_after(), &dying, &show, &token, &body).await,
    }
    drop(dying);

    let report = sys.reconcile(json!({"showId": show})).await;
    assert_eq!((&report["complete"], &report["errors"]), (&json!(true), &json!([])), "{step:?}: {report}");
    assert_agreement(&sys, &show).await;
    let state = sys.hold_status(&show, &token).await.expect(200)["state"].clone();
    let again = sys.confirm(&show, &token, body).await;
    let id = json!(booking_of(&show, &token).to_string());
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
            sys.hold(&show, &["E7", "E8"]).await.expect(201);
        }
    }
    assert_agreement(&sys, &show).await;
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
