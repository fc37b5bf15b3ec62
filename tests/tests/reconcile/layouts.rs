//! Seats that Redis has and the record does not: those that a PUT adds just now, and those that somebody holds.

use holdfast::adapters::redis::scripts::APPLY_SHOW;
use holdfast_tests::dynamo_front::Front;
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::proxy::Proxy;
use holdfast_tests::servers;
use holdfast_tests::sys::Sys;
use serde_json::{Value, json};

use crate::house::{House, Plot};

/// What waits at a gate has time.
const PATIENT: [(&str, &str); 3] =
    [("REQUEST_BUDGET_MS", "4500"), ("REDIS_RESPONSE_TIMEOUT_MS", "4500"), ("DYNAMODB_RESPONSE_TIMEOUT_MS", "4500")];

/// The body of a PUT that gives the row of a plot so many seats.
async fn with_row(house: &House, plot: Plot, to: u32) -> Value {
    let mut document = house.sys.get(&format!("/shows/{}", house.show)).await.expect(200);
    document["sections"] = json!([{"id": "stalls", "rows": [{"id": plot.0, "from": 1, "to": to}]}]);
    document
}

/// The run has read the show before the PUT, or after it; the PUT has added its seats, and is slow to tell the version.
#[tokio::test]
async fn seats_that_a_put_adds_during_a_run_are_there_when_both_have_ended() {
    for reads_before in [true, false] {
        let (house, plot) = House::open().await;
        house.are_for_sale(plot, &[1]).await;
        let proxy = Proxy::redis(servers::redis().addr()).await;
        let front = Front::start(&servers::dynamo().await.endpoint()).await;
        let slow = Sys::with(&proxy.url(), &servers::dynamo().await.endpoint(), &PATIENT);
        let runner = Sys::with(&servers::redis().url(), &front.endpoint(), &PATIENT);
        let (body, path) = (with_row(&house, plot, 7).await, format!("/shows/{}", house.show));

        let reads = reads_before.then(|| front.on("GetItem").containing(&house.show).hold_after());
        let applies = proxy.hold(1, &APPLY_SHOW.sha1);
        let (put, report) = tokio::join!(
            async {
                if let Some(reads) = &reads {
                    reads.reached().await;
                }
                slow.call("PUT", &path, body).await
            },
            async {
                if reads.is_none() {
                    applies.reached().await;
                }
                let run = runner.reconcile(json!({"showId": house.show}));
                let opens = async {
                    applies.reached().await;
                    reads.iter().for_each(|reads| reads.open());
                };
                let (report, ()) = tokio::join!(run, opens);
                applies.open();
                report
            }
        );
        put.expect(200);
        assert_eq!((&report["complete"], &report["errors"]), (&json!(true), &json!([])), "{report}");
        house.are_for_sale(plot, &[1, 6, 7]).await;
        assert_eq!(house.reconcile(false).await["repairs"]["policyUpdated"], 0);
        assert_agreement(&house.sys, &house.show).await;
    }
}

/// Redis has a seat that the show does not have, and somebody holds it: it stays theirs, and no run tells that it did
/// anything about it.
#[tokio::test]
async fn a_seat_too_many_goes_once_it_is_let_go_of() {
    let (house, plot) = House::open().await;
    house.are_for_sale(plot, &[1]).await;
    house.set_seat(&plot.seat(99), "").await;
    let token = house.hold(plot, &[99]).await;
    for dry_run in [true, false, true, false] {
        let report = house.reconcile(dry_run).await;
        assert_eq!(report["repairs"]["policyUpdated"], 0, "{report}");
    }
    assert_eq!(house.state(&token).await, "active");
    house.sys.release(&house.show, &token).await.expect(204);
    for dry_run in [true, false] {
        assert_eq!(house.reconcile(dry_run).await["repairs"]["policyUpdated"], 1);
    }
    house.sys.hold(&house.show, &[&plot.seat(99)]).await.expect_problem(404, "unknown_seat");
    assert_eq!(house.reconcile(false).await["repairs"]["policyUpdated"], 0);
    house.are_for_sale(plot, &[1, 2, 3, 4, 5]).await;
}
