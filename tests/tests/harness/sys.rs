//! The way through the whole product that every tier takes: a sale from the show to the booking, by its routes.

use holdfast_tests::dynamo_front::Fault;
use holdfast_tests::invariants::{assert_agreement, assert_invariants};
use holdfast_tests::sys::{Sys, paid};
use serde_json::json;

#[tokio::test]
async fn a_sale_goes_through_and_both_stores_agree() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let seats = sys.hold(&show, &["E7", "E8"]).await;
    let token = seats.text("holdToken").to_owned();
    assert_eq!(sys.hold_status(&show, &token).await.expect(200)["state"], "active");
    let units = sys.decrement(&show, "GA", 2).await.expect(201);
    assert_invariants(&sys, &show).await;

    let booking = sys.confirm(&show, &token, paid("pay_81")).await.expect(201);
    assert_eq!(booking["seats"], json!(["E7", "E8"]));
    let units = units["holdToken"].as_str().unwrap();
    sys.confirm(&show, units, json!(null)).await.expect(201);
    sys.hold(&show, &["E7"]).await.expect_problem(409, "seat_unavailable");
    assert_agreement(&sys, &show).await;
}

#[tokio::test]
async fn clients_are_environments_of_one_system() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let mut won = 0;
    for client in sys.clients(8) {
        won += usize::from(client.hold(&show, &["E1"]).await.status == 201);
    }
    assert_eq!(won, 1);
}

#[tokio::test]
async fn faults_on_the_way_reach_the_product() {
    let (sys, proxy, front) = Sys::fragile(&[]).await;
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E1"]).await.text("holdToken").to_owned();
    front.on("TransactWriteItems").before(Fault::conflict());
    proxy.drop_reply(1, &token);
    sys.confirm(&show, &token, paid("pay_1")).await.expect(201);
    assert_eq!((front.strikes_left(), proxy.rules_left()), (0, 0));
    assert_agreement(&sys, &show).await;
}

#[tokio::test]
async fn stores_of_its_own_may_be_killed() {
    let mut sys = Sys::own(&[], &[]).await;
    let show = sys.define(json!({})).await;
    sys.hold(&show, &["E1"]).await.expect(201);
    sys.own_redis().kill();
    sys.hold(&show, &["E2"]).await.expect_problem(503, "unavailable");
}
