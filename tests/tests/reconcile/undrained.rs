//! Events that cannot be written now: the rest of a show is done all the same, and the next run drains them.

use holdfast::adapters::redis::keys;
use holdfast_tests::dynamo_front::{Fault, Front};
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::servers;
use holdfast_tests::sys::Sys;
use serde_json::{Value, json};

use crate::house::{House, Plot};

async fn streamed(house: &House) -> u64 {
    redis::cmd("XLEN").arg(keys::events(&house.id)).query_async(&mut house.redis.clone()).await.unwrap()
}

#[tokio::test]
async fn a_drain_that_is_throttled_keeps_no_token_from_its_end_and_no_place_from_its_buyer() {
    let front = Front::start(&servers::dynamo().await.endpoint()).await;
    let (sys, plot) = (Sys::with(&servers::redis().url(), &front.endpoint(), &[]), Plot('A'));
    let house = House::on(sys, &[plot]).await;
    let paid = house.hold(plot, &[1, 2]).await;
    house.pin(&paid, &plot.seats(&[1, 2]), true).await;
    house.record(&uuid::Uuid::new_v4().to_string(), &plot.seats(&[4])).await;
    let before = streamed(&house).await;

    front.on("BatchWriteItem").always().before(Fault::throughput_exceeded());
    let report = house.sys.reconcile(json!({"showId": house.show})).await;
    assert_eq!(report["complete"], false);
    let [error] = report["errors"].as_array().unwrap().as_slice() else { panic!("one error: {report}") };
    assert_eq!((&error["showId"], &error["code"]), (&json!(house.show), &json!("unavailable")));
    let repairs = &report["shows"][0]["repairs"];
    assert_eq!((&repairs["settled"], &repairs["marked"]), (&json!(1), &json!(1)), "{report}");
    house.is_booked(&paid).await;
    house.are_sold(plot, &[1, 2, 4]).await;
    assert_agreement(&house.sys, &house.show).await;

    front.clear();
    let next = house.reconcile(false).await;
    assert!(
        next["eventsDrained"].as_u64() > Some(before),
        "those of before, and those that the first run made: {next}"
    );
    let all = json!(streamed(&house).await);
    assert_eq!((&next["eventsDrained"], &next["eventsMissed"]), (&all, &json!(0)));
    let none: Value = house.reconcile(false).await;
    assert_eq!((&none["eventsDrained"], &none["drift"]), (&json!(0), &json!(0)));
}
