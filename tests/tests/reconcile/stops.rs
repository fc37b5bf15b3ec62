//! A run that has no time left stops, and the next one goes on where it stopped.

use std::collections::BTreeMap;
use std::time::Duration;

use holdfast::domain::Places;
use holdfast_tests::dynamo_front::Fault;
use holdfast_tests::invariants::assert_agreement;
use serde_json::{Value, json};

use crate::alone::{Alone, shows};
use crate::house::{House, Plot};

/// What a run keeps for its last step, and for what a busy machine takes over one.
const BUDGET: [(&str, &str); 1] = [("REQUEST_BUDGET_MS", "2500")];
const TIME_OUT: Duration = Duration::from_secs(6);

/// Runs by hand until one is complete, and answers the reports.
async fn runs(sys: &Alone) -> Vec<Value> {
    let mut reports = Vec::new();
    while reports.last().is_none_or(|report: &Value| report["complete"] == false) {
        let report = sys.reconcile_within(TIME_OUT, json!({})).await;
        assert_eq!(report["errors"], json!([]), "{report}");
        reports.push(report);
        assert!(reports.len() < 100, "it does not come to an end: {reports:?}");
    }
    reports
}

#[tokio::test]
async fn a_run_over_many_shows_goes_on_in_the_next_one() {
    const SHOWS: usize = 24;
    let sys = Alone::start(&BUDGET).await;
    let layout = json!({"sections": [{"id": "stalls", "rows": [{"id": "E", "from": 1, "to": 1}]}], "zones": null});
    for _ in 0..SHOWS {
        sys.define(layout.clone()).await;
    }
    // Each show takes so long by itself: there is no time for all of them.
    sys.front.on("GetItem").always().before(Fault::Slow(Duration::from_millis(200)));
    let reports = runs(&sys).await;
    assert!(reports.len() > 1, "{} shows took no longer than one run has", SHOWS);
    let mut seen = BTreeMap::new();
    for report in &reports {
        for show in shows(report) {
            *seen.entry(show).or_insert(0) += 1;
        }
    }
    assert_eq!(seen.len(), SHOWS, "every show had its turn");
    let again = seen.values().filter(|times| **times > 1).count();
    assert!(again < reports.len(), "only the show that a run stopped in comes again: {seen:?}");
    // It begins anew then.
    sys.front.clear();
    let all = sys.reconcile(json!({})).await;
    assert_eq!((&all["complete"], shows(&all).len()), (&json!(true), SHOWS));
}

#[tokio::test]
async fn a_run_that_stops_within_a_show_goes_on_there() {
    let sys = Alone::start(&BUDGET).await;
    let plots: Vec<Plot> = ('A'..='T').map(Plot).collect();
    let house = House::on(sys.again(), &plots).await;
    for plot in &plots {
        house.sys.get(&format!("/shows/{}/stock/{}", house.show, plot.zone())).await.expect(200);
    }
    let mut places = Vec::new();
    for plot in &plots {
        let Places::Seats(seats) = plot.seats(&[1, 2, 3, 4]) else { unreachable!() };
        house.record(&uuid::Uuid::new_v4().to_string(), &Places::Seats(seats.clone())).await;
        places.extend(seats);
    }
    // Eight shards are read at once, so that all of them take 64 / 8 times that.
    sys.front.on("Query").containing("booking, version").always().before(Fault::Slow(Duration::from_millis(500)));
    let reports = runs(&sys).await;
    // On a busy machine a run may come to no show at all.
    let of = |name: &str, field: &str| -> Vec<u64> {
        reports.iter().filter_map(|report| report["shows"][0][name][field].as_u64()).collect()
    };
    let (compared, marked) = (of("checked", "places"), of("repairs", "marked"));
    assert!(compared.len() > 1 && compared.iter().all(|some| *some < 300), "{compared:?} of 300");
    assert!(compared.iter().sum::<u64>() >= 300, "{compared:?} of 300");
    assert!(marked.iter().all(|some| *some < 80) && marked.iter().sum::<u64>() == 80, "{marked:?} of 80");
    sys.front.clear();
    assert_agreement(&house.sys, &house.show).await;
}
