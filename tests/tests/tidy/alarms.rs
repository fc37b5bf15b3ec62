//! Metrics and alarms: what the code and the template have, and what the docs tell an operator to do about them.

use std::collections::BTreeSet;

use holdfast::telemetry::{Metric, NAMESPACE};

use crate::template;
use crate::tree::read;

/// The rows of the table under `## Metrics and alarms`: metric, what it says, alarm, what to do.
fn table() -> Vec<[String; 4]> {
    let page = read("docs/OPERATIONS.md");
    let (_, section) = page.split_once("\n## Metrics and alarms\n").expect("docs/OPERATIONS.md has that part");
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    let cells = rows.map(|row| row.trim_end_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect());
    cells
        .map(|cells: Vec<String>| cells.try_into().unwrap_or_else(|row| panic!("{row:?} has not four cells")))
        .collect()
}

/// What the docs list, once each.
fn once(listed: Vec<String>) -> BTreeSet<String> {
    let unique: BTreeSet<String> = listed.iter().cloned().collect();
    assert_eq!(unique.len(), listed.len(), "something is listed twice: {listed:?}");
    unique
}

#[test]
fn the_docs_list_every_metric_of_ours_and_no_other() {
    let own = format!("{NAMESPACE}` `");
    let listed =
        table().into_iter().filter_map(|[metric, ..]| Some(metric.strip_prefix(&own)?.trim_matches('`').to_owned()));
    assert_eq!(once(listed.collect()), Metric::ALL.iter().map(|metric| metric.name().to_owned()).collect());
}

#[test]
fn the_docs_list_every_alarm_and_no_other() {
    let listed = table().into_iter().filter(|[_, _, alarm, _]| alarm != "none");
    let names = listed.map(|[_, _, alarm, _]| alarm.split('`').nth(1).unwrap_or_default().to_owned());
    assert_eq!(once(names.collect()), template::alarms());
}

#[test]
fn the_template_watches_no_metric_that_nobody_writes() {
    let written: BTreeSet<String> = Metric::ALL.iter().map(|metric| metric.name().to_owned()).collect();
    let watched = template::metrics_watched(NAMESPACE);
    assert!(!watched.is_empty() && watched.is_subset(&written), "{watched:?} are not all of {written:?}");
}

#[test]
fn every_row_says_what_to_do() {
    for [metric, says, alarm, what_to_do] in table() {
        assert!(![says, alarm, what_to_do].iter().any(String::is_empty), "{metric}");
    }
}
