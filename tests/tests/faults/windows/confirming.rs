//! Windows around the transaction of a confirm.

use std::time::Duration;

use holdfast::Deadline;
use holdfast::domain::{Buyer, HoldToken, Payment, ShowId};
use holdfast::ops::confirm::{ConfirmWish, confirm};
use holdfast_tests::image::{booking_of, lose_hold};
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::poll::until;
use holdfast_tests::sys::{Sys, paid};
use serde_json::json;

use crate::outages::{UNHURRIED, assert_unavailable};

const TRANSACTION: &str = "TransactWriteItems";

/// Release or extend while the transaction runs: the state is `confirming`.
#[tokio::test]
async fn release_and_extend_while_the_transaction_runs_are_in_progress() {
    let vars = [("DYNAMODB_RESPONSE_TIMEOUT_MS", "4500"), ("REQUEST_BUDGET_MS", "4500")];
    let (sys, _proxy, front) = Sys::fragile(&vars).await;
    let show = sys.define(json!({})).await;
    for token in [
        sys.hold(&show, &["E7"]).await.text("holdToken").to_owned(),
        sys.decrement(&show, "GA", 2).await.text("holdToken").to_owned(),
    ] {
        let gate = front.on(TRANSACTION).hold_before();
        let reference = format!("pay_{token}");
        let (booked, ()) = tokio::join!(sys.confirm(&show, &token, paid(&reference)), async {
            gate.reached().await;
            let status = sys.hold_status(&show, &token).await.expect(200);
            assert_eq!(status["state"], "confirming");
            for answer in [sys.release(&show, &token).await, sys.extend(&show, &token, 900).await] {
                assert!(!answer.header("retry-after").is_empty());
                answer.expect_problem(409, "in_progress");
            }
            let after = sys.hold_status(&show, &token).await.expect(200);
            assert_eq!(after["expiresAt"], status["expiresAt"]);
            gate.open();
        });
        booked.expect(201);
        // And once it is confirmed, there is nothing to give back.
        for answer in [sys.release(&show, &token).await, sys.extend(&show, &token, 900).await] {
            let lost = answer.expect_problem(409, "hold_lost");
            assert_eq!(lost["bookingId"], booking_of(&show, &token).to_string());
        }
    }
    assert_agreement(&sys, &show).await;
}

/// Between pin and transaction the process dies: the seat stays pinned, and the repeated confirm finishes it.
#[tokio::test]
async fn a_process_that_dies_after_the_pin_leaves_a_confirm_that_can_be_finished() {
    let (sys, _proxy, front) = Sys::fragile(&UNHURRIED).await;
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E7"]).await.text("holdToken").to_owned();
    let gate = front.on(TRANSACTION).hold_before();
    let wish = ConfirmWish {
        show: ShowId::parse(&show).unwrap(),
        token: HoldToken::from_stored(&token).unwrap(),
        payment: Some(serde_json::from_value::<Payment>(paid("pay_1")["payment"].clone()).unwrap()),
        order: None,
        places: None,
        buyer: Buyer::default(),
    };
    let stores = sys.app().stores(Deadline::after(Duration::from_secs(60)));
    let dying = tokio::spawn(async move { confirm(&stores, &wish).await.map(drop) });
    gate.reached().await;
    dying.abort();
    assert!(dying.await.unwrap_err().is_cancelled());

    assert_eq!(sys.hold_status(&show, &token).await.expect(200)["state"], "confirming");
    let rival = sys.clients(1).remove(0);
    rival.hold(&show, &["E7"]).await.expect_problem(409, "seat_unavailable");
    sys.release(&show, &token).await.expect_problem(409, "in_progress");
    let booking = rival.confirm(&show, &token, paid("pay_1")).await.expect(201);
    // The dead one's transaction was on its way, and lands now: it is the same one.
    gate.open();
    assert_eq!(rival.confirm(&show, &token, paid("pay_1")).await.expect(200), booking);
    assert_agreement(&sys, &show).await;
}

/// Confirm repeated when Redis has lost the hold, and the booking exists: the booking item is the answer.
#[tokio::test]
async fn a_confirm_repeated_after_redis_was_flushed_is_the_same_booking_and_no_refund() {
    let sys = Sys::own(&[], &UNHURRIED).await;
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E7", "E8"]).await.text("holdToken").to_owned();
    let booking = sys.confirm(&show, &token, paid("pay_1")).await.expect(201);
    let _: () = redis::cmd("FLUSHALL").query_async(&mut sys.redis().await).await.unwrap();
    let mut with_seats = paid("pay_1");
    with_seats["seats"] = json!(["E7", "E8"]);
    for body in [paid("pay_1"), with_seats, json!({})] {
        assert_eq!(sys.confirm(&show, &token, body).await.expect(200), booking);
    }
    // The judge knows a payment that is booked and due back.
    assert_agreement(&sys, &show).await;
    sys.hold(&show, &["E7"]).await.expect_problem(409, "seat_unavailable");
    let status = sys.hold_status(&show, &token).await.expect(200);
    assert_eq!((&status["state"], &status["bookingId"]), (&json!("confirmed"), &booking["bookingId"]));
}

/// Lapsed, refused, refund written, then repeated when the seat is free again: the refused booking is the answer.
#[tokio::test]
async fn a_refusal_repeated_when_the_seat_is_free_again_is_the_same_refusal() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let token = sys.hold_for(&show, &["E7"], 1).await.text("holdToken").to_owned();
    let next = until("the hold lapses", || async {
        let answer = sys.hold(&show, &["E7"]).await;
        (answer.status == 201).then(|| answer.text("holdToken").to_owned())
    })
    .await;
    let first = sys.confirm(&show, &token, paid("pay_1")).await.expect_problem(409, "hold_lost");
    assert_eq!(first["refund"], json!({"reference": "pay_1", "status": "due"}));
    let booking = sys.get(&format!("/bookings/{}", booking_of(&show, &token))).await.expect(200);
    assert_eq!((&booking["status"], &booking["code"]), (&json!("refused"), &json!("hold_lost")));

    sys.release(&show, &next).await.expect(204);
    let repeated = sys.confirm(&show, &token, paid("pay_1")).await.expect_problem(409, "hold_lost");
    assert_eq!(repeated["refund"], first["refund"]);
    assert_eq!(sys.get(&format!("/bookings/{}", booking_of(&show, &token))).await.expect(200), booking);
    // It did not take the seat either.
    sys.hold(&show, &["E7"]).await.expect(201);
    assert_agreement(&sys, &show).await;
}

/// A slow transaction lands after its caller gave up and was refused: one of them wins.
#[tokio::test]
async fn a_slow_transaction_that_lands_after_a_refusal_changes_nothing() {
    let (sys, _proxy, front) = Sys::fragile(&[]).await;
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E7"]).await.text("holdToken").to_owned();
    let gate = front.on(TRANSACTION).always().hold_before();
    assert_unavailable(&sys.confirm(&show, &token, paid("pay_1")).await);
    let slow = front.count(TRANSACTION);
    front.clear();
    // Redis loses the pin, so that the repeat finds nothing to confirm.
    lose_hold(&mut sys.redis().await, &show, &token, &["E7"]).await;
    let refused = sys.confirm(&show, &token, paid("pay_1")).await.expect_problem(409, "hold_lost");
    assert_eq!(refused["refund"]["status"], "due");
    assert!(slow >= 2, "{slow} attempts wait");
    gate.open();
    // The seat goes to somebody else, whatever the slow ones do: they find the refusal.
    let next = sys.hold(&show, &["E7"]).await.text("holdToken").to_owned();
    sys.confirm(&show, &next, paid("pay_2")).await.expect(201);
    sys.confirm(&show, &token, paid("pay_1")).await.expect_problem(409, "hold_lost");
    assert_agreement(&sys, &show).await;
}
