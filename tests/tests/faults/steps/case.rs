//! One step of an operation is lost, in one way.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex};

use holdfast_tests::steps::{Lose, Step, Then};
use serde_json::{Value, json};
use tokio::task::{JoinError, JoinSet};

use super::lane::{Lane, Stores};
use super::operation::Operation;
use super::scenes::Scene;

/// Cases under way at once. Where a transaction is lost they wait for a process that waits for stores that are gone; else
/// they are work, and more of them at once would only be late.
const LANES: usize = 2;

/// What follows on the loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Follows {
    /// The product's own repeat gets through: the caller sees nothing of it.
    ItsOwnRepeat,
    /// The process is killed, and the caller comes again.
    TheCallersRepeat,
    /// The process is killed, and the caller never comes again.
    Nobody,
}

/// A case: the step, what of it is lost, and what follows. Several steps are lost only where the product repeats each.
#[derive(Clone)]
pub struct Case {
    pub operation: Operation,
    pub steps: Vec<Step>,
    pub lose: Lose,
    pub follows: Follows,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps: Vec<String> = self.steps.iter().map(|step| format!("{} {}", step.name, step.nth)).collect();
        let Case { operation, lose, follows, .. } = self;
        write!(f, "{operation:?}, {lose:?} of {} lost, then {follows:?}", steps.join(", "))
    }
}

impl Case {
    /// Calls the operation, loses the step, and judges the answer.
    pub async fn run(&self, lane: &Lane, scene: &Scene) {
        let then = if self.follows == Follows::ItsOwnRepeat { Then::Recovers } else { Then::Gone };
        let process = lane.process(&self.steps, then);
        lane.steps.fail(&self.steps, self.lose, then);
        let answer = self.operation.act(&process, scene).await;
        let unmet = lane.steps.unmet();
        assert!(unmet.is_empty(), "{unmet:?} was never called; the answer is {} {}", answer.status, answer.body);
        // What could not be told to Redis any more does not change a decision, and is answered like any other.
        if then == Then::Recovers || answer.status != 503 {
            self.operation.assert_success(scene, &answer);
        }
    }

    /// The caller comes again, in another process, and is answered as if nothing had been.
    pub async fn come_again(&self, stores: &Stores, scene: &Scene) {
        if self.follows == Follows::TheCallersRepeat {
            let answer = self.operation.act(&stores.plain, scene).await;
            self.operation.assert_success(scene, &answer);
        }
    }
}

/// Runs something for each of these, some at a time, each on a lane of its own: what a killed process still sends goes nowhere.
///
/// # Panics
/// With all that went wrong.
pub async fn on_lanes<T, F>(stores: &Arc<Stores>, all: Vec<T>, run: impl Fn(Arc<Lane>, T) -> F + Clone + Send + 'static)
where
    T: Clone + fmt::Display + Send + 'static,
    F: Future<Output = ()> + Send + 'static,
{
    let (count, queue) = (all.len(), Arc::new(Mutex::new(VecDeque::from(all))));
    let mut lanes = JoinSet::new();
    for _ in 0..LANES.min(count) {
        let (stores, queue, run) = (Arc::clone(stores), Arc::clone(&queue), run.clone());
        lanes.spawn(async move {
            let mut failed = Vec::new();
            loop {
                let Some(next) = queue.lock().unwrap().pop_front() else { return failed };
                let lane = Arc::new(Lane::open(&stores).await);
                if let Err(error) = tokio::spawn(run(lane, next.clone())).await {
                    failed.push(format!("{next}: {}", words(error)));
                }
            }
        });
    }
    let failed = lanes.join_all().await.concat();
    assert!(failed.is_empty(), "{} of {count}:\n{}", failed.len(), failed.join("\n"));
}

fn words(error: JoinError) -> String {
    let panic = error.into_panic();
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
}

/// Fails the test unless a run came to its end without an error.
#[track_caller]
pub fn assert_complete(report: &Value) {
    assert_eq!((&report["complete"], &report["errors"]), (&json!(true), &json!([])), "{report}");
}

/// Fails the test if a run found anything to do, but for what has lapsed and the events since the last one.
#[track_caller]
pub fn assert_nothing_repaired(report: &Value) {
    assert_complete(report);
    for show in report["shows"].as_array().unwrap() {
        let repairs = show["repairs"].as_object().unwrap();
        let repaired = repairs.iter().filter(|(kind, count)| *kind != "expired" && **count != 0).count();
        assert_eq!((repaired, &show["drift"]), (0, &json!(0)), "{report}");
    }
}
