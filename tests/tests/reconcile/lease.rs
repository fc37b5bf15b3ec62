//! Runs at the same time: the schedule gives way, whoever asks by hand does not, and a run that died stops nobody for long.

use aws_sdk_dynamodb::types::AttributeValue;
use holdfast::Deadline;
use holdfast::adapters::dynamo::keys;
use holdfast::ops::reconcile::{ReconcileWish, reconcile};
use holdfast_tests::poll::until;
use holdfast_tests::servers::TABLE;
use serde_json::json;
use std::time::Duration;

use crate::alone::{Alone, complete, schedule};

/// What the tests below stop a run at: it has its lease, and looks at its show.
const AT_WORK: (&str, &str) = ("Query", "booking, version");

#[tokio::test]
async fn the_schedule_gives_way_and_whoever_asks_by_hand_does_not() {
    // The first run waits at a gate for as long as the other one takes.
    let patient = [("DYNAMODB_RESPONSE_TIMEOUT_MS", "20000"), ("REQUEST_BUDGET_MS", "20000")];
    let sys = Alone::start(&patient).await;
    let show = sys.define(json!({})).await;
    sys.get(&format!("/shows/{show}/stock/GA")).await.expect(200);
    for first in [schedule(), json!({})] {
        let gate = sys.front.on(AT_WORK.0).containing(AT_WORK.1).hold_before();
        let (first, ()) = tokio::join!(sys.reconcile(first), async {
            gate.reached().await;
            let second = sys.reconcile(schedule()).await;
            assert_eq!(
                (&second["complete"], &second["shows"], &second["errors"]),
                (&json!(false), &json!([]), &json!([]))
            );
            assert_eq!(complete(&sys.reconcile(json!({})).await), std::slice::from_ref(&show));
            gate.open();
        });
        assert_eq!(complete(&first), std::slice::from_ref(&show));
        // And the next one of the schedule has its turn.
        assert_eq!(complete(&sys.reconcile(schedule()).await), std::slice::from_ref(&show));
    }
}

/// Runs of one show, and dry runs, are in nobody's way.
#[tokio::test]
async fn a_run_of_one_show_and_a_dry_run_need_no_lease() {
    // The first run waits at a gate for as long as the other one takes.
    let patient = [("DYNAMODB_RESPONSE_TIMEOUT_MS", "20000"), ("REQUEST_BUDGET_MS", "20000")];
    let sys = Alone::start(&patient).await;
    let show = sys.define(json!({})).await;
    sys.get(&format!("/shows/{show}/stock/GA")).await.expect(200);
    for first in [json!({"showId": show}), json!({"dryRun": true})] {
        let gate = sys.front.on(AT_WORK.0).containing(AT_WORK.1).hold_before();
        let (first, ()) = tokio::join!(sys.reconcile(first), async {
            gate.reached().await;
            assert_eq!(complete(&sys.reconcile(schedule()).await), std::slice::from_ref(&show));
            gate.open();
        });
        assert_eq!(complete(&first), std::slice::from_ref(&show));
    }
}

#[tokio::test]
async fn the_lease_of_a_run_that_died_ends_by_itself() {
    let sys = Alone::start(&[]).await;
    let show = sys.define(json!({})).await;
    sys.get(&format!("/shows/{show}/stock/GA")).await.expect(200);
    let gate = sys.front.on(AT_WORK.0).containing(AT_WORK.1).hold_before();
    let stores = sys.app().stores(Deadline::after(Duration::from_secs(60)));
    let dying = tokio::spawn(async move { reconcile(&stores, &ReconcileWish::default()).await });
    gate.reached().await;
    dying.abort();
    assert!(dying.await.unwrap_err().is_cancelled());
    assert_eq!(sys.reconcile(schedule()).await["complete"], false, "nobody knows yet that it is dead");

    // As if nine of its ten seconds had passed.
    let earlier = sys.dynamo().update_item().table_name(TABLE).set_key(Some(keys::lease().attributes()));
    let earlier =
        earlier.update_expression("SET #until = #until - :passed").expression_attribute_names("#until", "until");
    earlier.expression_attribute_values(":passed", AttributeValue::N("9000".to_owned())).send().await.unwrap();
    let report = until("the lease ends", || async {
        let report = sys.reconcile(schedule()).await;
        (report["complete"] == true).then_some(report)
    })
    .await;
    assert_eq!(complete(&report), [show]);
}
