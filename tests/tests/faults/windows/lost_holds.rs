//! Windows that a Redis opens that has lost something, or everything.

use holdfast::adapters::redis::keys;
use holdfast::domain::ShowId;
use holdfast_tests::image::lose_hold;
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::sys::{Sys, paid};
use redis::AsyncCommands;
use redis::aio::MultiplexedConnection;
use serde_json::json;

use crate::outages::UNHURRIED;

async fn flush(redis: &mut MultiplexedConnection) {
    let _: () = redis::cmd("FLUSHALL").query_async(redis).await.unwrap();
}

async fn epoch(redis: &mut MultiplexedConnection, show: &str) -> String {
    redis.hget(keys::show(&ShowId::parse(show).unwrap()), "epoch").await.unwrap()
}

/// Redis failed over and lost a hold, two people confirm: one booking, one refusal with refund.
#[tokio::test]
async fn of_two_who_have_the_same_seat_one_is_booked_and_one_gets_the_money_back() {
    let vars = [("DYNAMODB_RESPONSE_TIMEOUT_MS", "4500"), ("REQUEST_BUDGET_MS", "4500")];
    let (sys, _proxy, front) = Sys::fragile(&vars).await;
    let show = sys.define(json!({})).await;
    let first = sys.hold(&show, &["E6", "E7"]).await.text("holdToken").to_owned();
    let gate = front.on("TransactWriteItems").hold_before();
    let (refused, ()) = tokio::join!(sys.confirm(&show, &first, paid("pay_1")), async {
        gate.reached().await;
        lose_hold(&mut sys.redis().await, &show, &first, &["E6", "E7"]).await;
        let second = sys.hold(&show, &["E7", "E8"]).await.text("holdToken").to_owned();
        sys.confirm(&show, &second, paid("pay_2")).await.expect(201);
        gate.open();
    });
    let refused = refused.expect_problem(409, "seat_already_sold");
    assert_eq!((&refused["seats"], &refused["refund"]["reference"]), (&json!(["E7"]), &json!("pay_1")));
    // The seat that nobody bought is for sale.
    sys.hold(&show, &["E6"]).await.expect(201);
    assert_agreement(&sys, &show).await;
}

/// Redis restarted empty: load on first touch, under a new epoch.
#[tokio::test]
async fn a_redis_that_restarted_empty_is_loaded_under_a_new_epoch() {
    let sys = Sys::own(&[], &UNHURRIED).await;
    let show = sys.define(json!({})).await;
    let sold = sys.hold(&show, &["E1"]).await.text("holdToken").to_owned();
    sys.confirm(&show, &sold, json!({})).await.expect(201);
    let units = sys.decrement(&show, "GA", 3).await.text("holdToken").to_owned();
    sys.confirm(&show, &units, json!({})).await.expect(201);
    let held = sys.hold(&show, &["E2"]).await.text("holdToken").to_owned();
    sys.decrement(&show, "GA", 2).await.expect(201);
    let mut redis = sys.redis().await;
    let before = epoch(&mut redis, &show).await;
    flush(&mut redis).await;

    let taken = sys.hold(&show, &["E1", "E3"]).await.expect_problem(409, "seat_unavailable");
    assert_eq!(taken["seats"], json!([{"seat": "E1", "reason": "sold"}]));
    assert_ne!(epoch(&mut redis, &show).await, before);
    let count = sys.get(&format!("/shows/{show}/stock/GA")).await.expect(200);
    assert_eq!(count, json!({"zone": "GA", "capacity": 10, "remaining": 7, "held": 0, "sold": 3}));
    // Holds are what is lost, and their owners are told.
    sys.hold_status(&show, &held).await.expect_problem(404, "hold_not_found");
    sys.release(&show, &held).await.expect_problem(409, "hold_lost");
    sys.extend(&show, &held, 60).await.expect_problem(409, "hold_lost");
    sys.hold(&show, &["E2"]).await.expect(201);
    // No unit that was sold is handed out again.
    let rest = sys.decrement(&show, "GA", 7).await.text("holdToken").to_owned();
    sys.confirm(&show, &rest, json!({})).await.expect(201);
    sys.decrement(&show, "GA", 1).await.expect_problem(409, "sold_out");
    assert_agreement(&sys, &show).await;
}

/// A late confirm after Redis lost the hold: the caller's own places are judged as a new hold would be.
#[tokio::test]
async fn a_confirm_after_a_flush_is_rescued_by_its_seats_or_refused_with_the_refund() {
    let sys = Sys::own(&[], &UNHURRIED).await;
    let show = sys.define(json!({})).await;
    let mut tokens = Vec::new();
    for seat in ["E1", "E2", "E3"] {
        tokens.push(sys.hold(&show, &[seat]).await.text("holdToken").to_owned());
    }
    flush(&mut sys.redis().await).await;
    let with_seats = |seat: &str| {
        let mut body = paid(&format!("pay_{seat}"));
        body["seats"] = json!([seat]);
        body
    };
    // Free: rescued, and a repeat is the same booking.
    let booking = sys.confirm(&show, &tokens[0], with_seats("E1")).await.expect(201);
    assert_eq!(booking["seats"], json!(["E1"]));
    assert_eq!(sys.confirm(&show, &tokens[0], with_seats("E1")).await.expect(200), booking);
    // Somebody else has it now.
    let rival = sys.hold(&show, &["E2"]).await.text("holdToken").to_owned();
    let refused = sys.confirm(&show, &tokens[1], with_seats("E2")).await.expect_problem(409, "hold_lost");
    assert_eq!(refused["refund"], json!({"reference": "pay_E2", "status": "due"}));
    sys.confirm(&show, &rival, paid("pay_rival")).await.expect(201);
    // Nobody knows what it was for.
    let refused = sys.confirm(&show, &tokens[2], paid("pay_E3")).await.expect_problem(409, "hold_lost");
    assert_eq!(refused["refund"]["status"], "due");
    sys.hold(&show, &["E3"]).await.expect(201);
    assert_agreement(&sys, &show).await;
}

/// The same for a hold that has only lapsed: taken again if nobody has it, and the show says so.
#[tokio::test]
async fn a_confirm_after_the_lapse_is_rescued_unless_the_show_refuses() {
    let sys = Sys::shared().await;
    for (late, status) in [("rescue", 201), ("refuse", 409)] {
        let show = sys.define(json!({"lateConfirm": late})).await;
        let seats = sys.hold_for(&show, &["E7"], 1).await.text("holdToken").to_owned();
        let decrement = json!({"quantity": 2, "ttlSeconds": 1});
        let units = sys.call("POST", &format!("/shows/{show}/stock/GA/decrement"), decrement).await;
        let units = units.text("holdToken").to_owned();
        for token in [seats, units] {
            holdfast_tests::poll::until("the hold lapses", || async {
                (sys.hold_status(&show, &token).await.expect(200)["state"] == "expired").then_some(())
            })
            .await;
            let answer = sys.confirm(&show, &token, paid(&format!("pay_{token}"))).await;
            assert_eq!(answer.status, status, "{late}: {}", answer.body);
            if status == 409 {
                assert_eq!((answer.code(), &answer.body["refund"]["status"]), ("hold_lost", &json!("due")));
            }
        }
        assert_agreement(&sys, &show).await;
    }
}
