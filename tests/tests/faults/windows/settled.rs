//! What a confirm leaves behind that dies on its way, and nobody repeats: reconcile.

use holdfast::adapters::redis::keys;
use holdfast::domain::ShowId;
use holdfast_tests::dynamo_front::Fault;
use holdfast_tests::image::booking_of;
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::proxy::{After, Lose};
use holdfast_tests::sys::{Sys, paid};
use serde_json::{Value, json};

use crate::outages::{UNHURRIED, assert_unavailable};

/// How long a transaction is repeated that cannot be written.
const UNTIL_IT_GIVES_UP: [(&str, &str); 1] = [("REQUEST_BUDGET_MS", "1500")];

/// A script is sent four times at most.
const ATTEMPTS: usize = 4;

async fn reconcile(show: &str) -> Value {
    let report = Sys::shared().await.reconcile(json!({"showId": show})).await;
    assert_eq!((&report["complete"], &report["errors"]), (&json!(true), &json!([])), "{report}");
    report["shows"][0].clone()
}

/// Between pin and transaction: reconcile settles the token (`confirming:`). Who paid is booked, who did not is refused.
#[tokio::test]
async fn a_token_whose_confirm_died_after_the_pin_is_settled_by_reconcile() {
    let (sys, proxy, front) = Sys::fragile(&UNHURRIED).await;
    let dying = Sys::with(&proxy.url(), &front.endpoint(), &UNTIL_IT_GIVES_UP);
    let show = sys.define(json!({})).await;
    let seats = sys.hold(&show, &["E7", "E8"]).await.text("holdToken").to_owned();
    let units = sys.decrement(&show, "GA", 2).await.text("holdToken").to_owned();
    let unpaid = sys.hold(&show, &["E9"]).await.text("holdToken").to_owned();
    front.on("TransactWriteItems").always().before(Fault::Reset);
    for (token, body) in [(&seats, paid("pay_1")), (&units, paid("pay_2")), (&unpaid, json!({}))] {
        assert_unavailable(&dying.confirm(&show, token, body).await);
        assert_eq!(sys.hold_status(&show, token).await.expect(200)["state"], "confirming");
    }
    front.clear();
    assert_eq!(reconcile(&show).await["repairs"]["settled"], 3);
    for (token, reference) in [(&seats, "pay_1"), (&units, "pay_2")] {
        let booking = sys.get(&format!("/bookings/{}", booking_of(&show, token))).await.expect(200);
        assert_eq!((&booking["status"], &booking["payment"]["reference"]), (&json!("confirmed"), &json!(reference)));
        assert_eq!(sys.confirm(&show, token, paid(reference)).await.expect(200), booking);
    }
    assert_eq!(sys.hold_status(&show, &unpaid).await.expect(200)["state"], "refused");
    sys.hold(&show, &["E9"]).await.expect(201);
    assert_agreement(&sys, &show).await;
    assert_eq!(reconcile(&show).await["repairs"]["settled"], 0);
}

/// After the transaction, before the mark: reconcile, and read repair at the next confirm. Here reconcile.
#[tokio::test]
async fn a_lost_mark_is_made_up_for_by_reconcile() {
    let (sys, proxy, _front) = Sys::fragile(&UNHURRIED).await;
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E7"]).await.text("holdToken").to_owned();
    let mark = keys::booking(&ShowId::parse(&show).unwrap(), booking_of(&show, &token));
    (0..ATTEMPTS).for_each(|_| proxy.lose(Lose::Request, 1, &mark, After::Cut));
    sys.confirm(&show, &token, paid("pay_1")).await.expect(201);
    assert_eq!(proxy.rules_left(), 0);
    assert_eq!(sys.hold_status(&show, &token).await.expect(200)["state"], "confirming");

    assert_eq!(reconcile(&show).await["repairs"]["settled"], 1);
    assert_eq!(sys.hold_status(&show, &token).await.expect(200)["state"], "confirmed");
    let taken = sys.hold(&show, &["E7"]).await.expect_problem(409, "seat_unavailable");
    assert_eq!(taken["seats"], json!([{"seat": "E7", "reason": "sold"}]));
    assert_agreement(&sys, &show).await;
}
