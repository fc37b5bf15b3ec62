//! What was acknowledged and not replicated: holds, pins and marks.

use holdfast_tests::dynamo_front::Front;
use holdfast_tests::servers;
use holdfast_tests::sys::{Client, Sys, paid};
use serde_json::{Value, json};

use super::Pair;
use crate::outages::UNHURRIED;

async fn stock(client: &Client, show: &str) -> Value {
    client.get(&format!("/shows/{show}/stock/GA")).await.expect(200)
}

#[tokio::test]
async fn pitfall_30_of_two_who_were_promised_a_seat_one_is_booked_and_one_gets_the_money_back() {
    let pair = Pair::start(&UNHURRIED).await;
    let (a, b) = (&pair.sys, &pair.sys.clients(1)[0]);
    let show = a.define(json!({})).await;
    a.hold(&show, &["E1"]).await.expect(201);
    pair.replicated().await;
    pair.part();
    let lost = a.hold(&show, &["E7", "E8"]).await.text("holdToken").to_owned();
    pair.promote().await;

    let rival = b.hold(&show, &["E7"]).await.text("holdToken").to_owned();
    b.confirm(&show, &rival, paid("pay_b")).await.expect(201);
    let mut body = paid("pay_a");
    body["seats"] = json!(["E7", "E8"]);
    for _ in 0..2 {
        let refused = a.confirm(&show, &lost, body.clone()).await.expect_problem(409, "hold_lost");
        assert_eq!(refused["refund"], json!({"reference": "pay_a", "status": "due"}));
    }
    // What nobody bought is for sale, and the hold that got through is still one.
    a.hold(&show, &["E8"]).await.expect(201);
    a.hold(&show, &["E1"]).await.expect_problem(409, "seat_unavailable");
    pair.agrees(&show).await;
}

/// The same two, and the promotion comes between the first one's pin and transaction: the guard decides.
#[tokio::test]
async fn pitfall_30_a_confirm_whose_pin_is_lost_meets_the_guard() {
    let pair = Pair::start(&UNHURRIED).await;
    let front = Front::start(&servers::dynamo().await.endpoint()).await;
    let vars = [("REQUEST_BUDGET_MS", "4500"), ("DYNAMODB_RESPONSE_TIMEOUT_MS", "4500")];
    let (a, b) = (Sys::with(&pair.address.url(), &front.endpoint(), &vars), &pair.sys);
    let show = b.define(json!({})).await;
    b.hold(&show, &["E1"]).await.expect(201);
    pair.replicated().await;
    pair.part();
    let lost = a.hold(&show, &["E7", "E8"]).await.text("holdToken").to_owned();
    let gate = front.on("TransactWriteItems").hold_before();
    let (refused, ()) = tokio::join!(a.confirm(&show, &lost, paid("pay_a")), async {
        gate.reached().await;
        pair.promote().await;
        let rival = b.hold(&show, &["E7"]).await.text("holdToken").to_owned();
        b.confirm(&show, &rival, paid("pay_b")).await.expect(201);
        gate.open();
    });
    let refused = refused.expect_problem(409, "seat_already_sold");
    assert_eq!((&refused["seats"], &refused["refund"]["reference"]), (&json!(["E7"]), &json!("pay_a")));
    b.hold(&show, &["E8"]).await.expect(201);
    pair.agrees(&show).await;
}

#[tokio::test]
async fn pitfall_30_who_was_promised_units_gets_others() {
    let pair = Pair::start(&UNHURRIED).await;
    let (a, b) = (&pair.sys, &pair.sys.clients(1)[0]);
    let show = a.define(json!({})).await;
    a.decrement(&show, "GA", 1).await.expect(201);
    pair.replicated().await;
    pair.part();
    let lost = a.decrement(&show, "GA", 2).await;
    assert_eq!(lost.body["units"], json!(["GA-2", "GA-3"]));
    pair.promote().await;

    let rival = b.decrement(&show, "GA", 2).await;
    assert_eq!(rival.body["units"], json!(["GA-2", "GA-3"]), "the new primary never heard of the first");
    b.confirm(&show, rival.text("holdToken"), paid("pay_b")).await.expect(201);
    let mut body = paid("pay_a");
    (body["zone"], body["units"]) = (json!("GA"), json!(["GA-2", "GA-3"]));
    let booking = a.confirm(&show, lost.text("holdToken"), body.clone()).await.expect(201);
    assert_eq!(booking["units"], json!(["GA-4", "GA-5"]));
    assert_eq!(a.confirm(&show, lost.text("holdToken"), body).await.expect(200), booking);
    pair.agrees(&show).await;
    let counts = json!({"zone": "GA", "capacity": 10, "remaining": 5, "held": 1, "sold": 4});
    assert_eq!(stock(a, &show).await, counts);
}

/// Sold, and the mark is gone with the old primary; of one sale the hold is gone, too, and somebody holds the seat again.
#[tokio::test]
async fn pitfall_30_sales_whose_marks_were_lost_are_marked_by_one_reconcile() {
    let pair = Pair::start(&UNHURRIED).await;
    let (a, b) = (&pair.sys, &pair.sys.clients(1)[0]);
    let show = a.define(json!({})).await;
    let seat = a.hold(&show, &["E7"]).await.text("holdToken").to_owned();
    pair.replicated().await;
    pair.part();
    a.confirm(&show, &seat, paid("pay_1")).await.expect(201);
    let later = a.hold(&show, &["E8"]).await.text("holdToken").to_owned();
    a.confirm(&show, &later, paid("pay_2")).await.expect(201);
    let units = a.decrement(&show, "GA", 3).await.text("holdToken").to_owned();
    a.confirm(&show, &units, paid("pay_3")).await.expect(201);
    pair.promote().await;
    let rival = b.hold(&show, &["E8", "E9"]).await.text("holdToken").to_owned();
    assert_eq!(stock(b, &show).await["sold"], 0, "the new primary never heard of the sales");

    let report = pair.agrees(&show).await;
    assert_eq!((&report["repairs"]["marked"], &report["repairs"]["holdsLost"]), (&json!(5), &json!(1)), "{report}");
    let taken = b.hold(&show, &["E7", "E8"]).await.expect_problem(409, "seat_unavailable");
    let sold = json!([{"seat": "E7", "reason": "sold"}, {"seat": "E8", "reason": "sold"}]);
    assert_eq!(taken["seats"], sold);
    // The hold of a seat that is sold has ended as a whole, and its owner is told.
    b.release(&show, &rival).await.expect_problem(409, "hold_lost");
    b.hold(&show, &["E9"]).await.expect(201);
    let counts = json!({"zone": "GA", "capacity": 10, "remaining": 7, "held": 0, "sold": 3});
    assert_eq!(stock(b, &show).await, counts);
    a.confirm(&show, &seat, paid("pay_1")).await.expect(200);
}
