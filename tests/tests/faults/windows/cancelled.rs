//! Windows around a cancel and a restore.

use holdfast::adapters::redis::keys;
use holdfast::domain::ShowId;
use holdfast_tests::image::{Image, booking_of};
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::poll::until;
use holdfast_tests::sys::{Answer, Client, Sys, paid};
use holdfast_tests::{raw, servers};
use serde_json::{Value, json};

use crate::outages::UNHURRIED;

/// What only a mark or a free of this token's booking carries.
fn version_of(show: &str, token: &str) -> String {
    keys::booking(&ShowId::parse(show).unwrap(), booking_of(show, token))
}

async fn change(client: &Client, show: &str, token: &str, what: &str) -> Answer {
    client.call("POST", &format!("/bookings/{}/{what}", booking_of(show, token)), Value::Null).await
}

async fn buy(client: &Client, show: &str, seats: &[&str], reference: &str) -> String {
    let token = client.hold(show, seats).await.text("holdToken").to_owned();
    client.confirm(show, &token, paid(reference)).await.expect(201);
    token
}

/// Opens the gate before a script's call, and waits until it has run and changed nothing of the show.
async fn changes_nothing(sys: &Sys, show: &str, late: &holdfast_tests::gate::Gate, script: &'static str) {
    let mut redis = raw::redis(&servers::redis().url()).await;
    let before = Image::without(&mut redis, show, &uuid::Uuid::nil().to_string()).await;
    let mark = sys.monitor().mark();
    late.open();
    until("the late call has run", || async {
        sys.monitor().seen_of_show(mark, show).iter().any(|seen| seen.script == Some(script)).then_some(())
    })
    .await;
    let now = Image::without(&mut redis, show, &uuid::Uuid::nil().to_string()).await;
    before.assert_same(&now, &format!("a late {script}"));
    assert_agreement(sys, show).await;
}

/// A mark that comes after the cancel, a free that comes after the seat was sold again: versions in mark and free. Here the
/// mark: the seat is somebody else's by then, or nobody's.
#[tokio::test]
async fn a_mark_that_comes_after_the_cancel_changes_nothing() {
    let (sys, proxy, _front) = Sys::fragile(&UNHURRIED).await;
    for sold_again in [true, false] {
        let show = sys.define(json!({})).await;
        let token = sys.hold(&show, &["E7", "E8"]).await.text("holdToken").to_owned();
        // The first call of the mark stays on its way, and the process sends another one.
        let late = proxy.hold(1, version_of(&show, &token));
        sys.confirm(&show, &token, paid("pay_1")).await.expect(201);
        late.reached().await;
        change(&sys, &show, &token, "cancel").await.expect(200);
        if sold_again {
            buy(&sys, &show, &["E7"], "pay_2").await;
        }
        changes_nothing(&sys, &show, &late, "mark").await;
        sys.hold(&show, &["E8"]).await.expect(201);
    }
}

/// A mark that comes after the cancel, a free that comes after the seat was sold again: versions in mark and free. Here the
/// free: the seat was sold to somebody else, or to the same booking, by a restore.
#[tokio::test]
async fn a_free_that_comes_after_the_seat_was_sold_again_changes_nothing() {
    let (sys, proxy, _front) = Sys::fragile(&UNHURRIED).await;
    for restored in [true, false] {
        let show = sys.define(json!({})).await;
        let token = buy(&sys, &show, &["E7"], "pay_1").await;
        let late = proxy.hold(1, version_of(&show, &token));
        change(&sys, &show, &token, "cancel").await.expect(200);
        late.reached().await;
        if restored {
            change(&sys, &show, &token, "restore").await.expect(200);
        } else {
            buy(&sys, &show, &["E7"], "pay_2").await;
        }
        changes_nothing(&sys, &show, &late, "free").await;
        let taken = sys.hold(&show, &["E7"]).await.expect_problem(409, "seat_unavailable");
        assert_eq!(taken["seats"], json!([{"seat": "E7", "reason": "sold"}]));
    }
}

/// Confirm repeated after a cancel: the booking item says cancelled; the client token is not reused.
#[tokio::test]
async fn a_confirm_repeated_after_a_cancel_is_told_so_and_books_nothing() {
    let (sys, _proxy, front) = Sys::fragile(&UNHURRIED).await;
    let show = sys.define(json!({})).await;
    let token = buy(&sys, &show, &["E7"], "pay_1").await;
    change(&sys, &show, &token, "cancel").await.expect(200);
    let mut with_seats = paid("pay_1");
    with_seats["seats"] = json!(["E7"]);
    for body in [paid("pay_1"), with_seats, json!({})] {
        let told = sys.confirm(&show, &token, body).await.expect_problem(409, "already_cancelled");
        assert_eq!(told["bookingId"], booking_of(&show, &token).to_string());
    }
    assert_agreement(&sys, &show).await;
    // Had the next decision the client token of the first, DynamoDB would answer it with the first one's success.
    buy(&sys, &show, &["E7"], "pay_2").await;
    let mut tokens: Vec<String> =
        front.requests("TransactWriteItems").iter().map(|request| request["ClientRequestToken"].to_string()).collect();
    let count = tokens.len();
    tokens.sort();
    tokens.dedup();
    assert_eq!((tokens.len(), count >= 3), (count, true), "each decision has a client token of its own");
    assert_agreement(&sys, &show).await;
}

/// Restore against a new hold: restore is a hold. Here the new one came first.
#[tokio::test]
async fn a_restore_takes_nothing_from_a_new_hold() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let token = buy(&sys, &show, &["E7", "E8"], "pay_1").await;
    change(&sys, &show, &token, "cancel").await.expect(200);
    let next = sys.hold(&show, &["E8"]).await.text("holdToken").to_owned();
    let before = sys.hold_status(&show, &next).await.expect(200);
    let refused = change(&sys, &show, &token, "restore").await.expect_problem(409, "not_restorable");
    assert_eq!(refused["places"], json!(["E8"]));
    assert_eq!(sys.hold_status(&show, &next).await.expect(200)["expiresAt"], before["expiresAt"]);
    // None of the booking's places was kept, and the money is still due.
    sys.hold(&show, &["E7"]).await.expect(201);
    let booking = sys.get(&format!("/bookings/{}", booking_of(&show, &token))).await.expect(200);
    assert_eq!((&booking["status"], &booking["refund"]["status"]), (&json!("cancelled"), &json!("due")));
    sys.confirm(&show, &next, paid("pay_2")).await.expect(201);
    change(&sys, &show, &token, "restore").await.expect_problem(409, "not_restorable");
    assert_agreement(&sys, &show).await;
}

/// Restore against a new hold: restore is a hold. Here the restore has its places, and its transaction is under way.
#[tokio::test]
async fn a_new_hold_takes_nothing_from_a_restore_that_is_under_way() {
    let vars = [("DYNAMODB_RESPONSE_TIMEOUT_MS", "4500"), ("REQUEST_BUDGET_MS", "4500")];
    let (sys, _proxy, front) = Sys::fragile(&vars).await;
    let show = sys.define(json!({})).await;
    let token = buy(&sys, &show, &["E7", "E8"], "pay_1").await;
    change(&sys, &show, &token, "cancel").await.expect(200);
    let gate = front.on("TransactWriteItems").hold_before();
    let (restored, ()) = tokio::join!(change(&sys, &show, &token, "restore"), async {
        gate.reached().await;
        let taken = sys.hold(&show, &["E8", "E9"]).await.expect_problem(409, "seat_unavailable");
        assert_eq!((&taken["seats"][0]["seat"], &taken["seats"][0]["reason"]), (&json!("E8"), &json!("held")));
        gate.open();
    });
    let restored = restored.expect(200);
    assert_eq!((&restored["status"], &restored["refund"]), (&json!("confirmed"), &Value::Null));
    sys.hold(&show, &["E9"]).await.expect(201);
    assert_agreement(&sys, &show).await;
}
