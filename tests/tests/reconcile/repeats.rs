//! One run, three of the same event, two at once: the same state.

use holdfast_tests::invariants::assert_agreement;
use serde_json::json;

use crate::alone::{Alone, complete, schedule};
use crate::drift::Drift;
use crate::house::{House, Plot};
use crate::snapshot::{Snapshot, State};

#[tokio::test]
async fn pitfall_46_the_same_event_three_times_and_two_runs_at_once_are_as_one_run() {
    let sys = Alone::start(&[]).await;
    let plots: Vec<Plot> = ('A'..).map(Plot).take(Drift::ALL.len()).collect();
    let house = House::on(sys.again(), &plots).await;
    for (drift, plot) in Drift::ALL.iter().zip(plots) {
        drift.make(&house, plot).await;
    }
    let apart = Snapshot::take(&sys).await;
    complete(&sys.reconcile(schedule()).await);
    assert_agreement(&sys, &house.show).await;
    let as_one = State::of(&sys, &house.id).await;

    // The same event, delivered three times.
    apart.put_back(&sys).await;
    let reports = [sys.reconcile(schedule()).await, sys.reconcile(schedule()).await, sys.reconcile(schedule()).await];
    reports.iter().for_each(|report| drop(complete(report)));
    assert_ne!(reports[0]["shows"][0]["drift"], 0);
    for report in &reports[1..] {
        assert_eq!(report["shows"][0]["drift"], 0, "{report}");
    }
    let three = State::of(&sys, &house.id).await;
    as_one.assert_same(&three);
    assert_eq!(as_one.events, three.events, "and nothing happened twice");

    // Two at once: neither gives way. Each settles in its own order, so that events may differ.
    apart.put_back(&sys).await;
    let others = sys.clients(1);
    let (one, two) = tokio::join!(sys.reconcile(json!({})), others[0].reconcile(json!({"showId": house.show})));
    complete(&one);
    complete(&two);
    as_one.assert_same(&State::of(&sys, &house.id).await);
    assert_agreement(&sys, &house.show).await;
}
