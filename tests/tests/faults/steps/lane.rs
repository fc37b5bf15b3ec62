//! The ways to the stores: a clean one, for the test, for whoever comes after a crash, and for the schedule; and lanes, on
//! which steps are lost.

use std::sync::Arc;

use holdfast::adapters::redis::scripts;
use holdfast_tests::dynamo_front::Front;
use holdfast_tests::proxy::Proxy;
use holdfast_tests::servers::{self, Dynamo};
use holdfast_tests::steps::{Step, Steps, Then};
use holdfast_tests::sys::Sys;
use serde_json::{Value, json};

use super::operation::Operation;

/// A process that has its time: every loss closes the connection, so that nothing is found out by waiting.
const UNHURRIED: [(&str, &str); 3] =
    [("REQUEST_BUDGET_MS", "4500"), ("REDIS_RESPONSE_TIMEOUT_MS", "4500"), ("DYNAMODB_RESPONSE_TIMEOUT_MS", "4500")];
/// How long a transaction is repeated against stores that are gone: everything else gives up by itself.
const UNTIL_IT_GIVES_UP: [(&str, &str); 1] = [("REQUEST_BUDGET_MS", "2500")];
/// What the schedule's own run may take over a step: where a show is loaded in it, a busy machine takes long. A token that is
/// younger than that is waited for, so where there are any it is the default.
const PATIENCE: [(&str, &str); 1] = [("REQUEST_BUDGET_MS", "10000")];

/// The stores of one operation's cases, and the ways on which nothing is lost.
pub struct Stores {
    /// The test's own, and that of a caller who comes again.
    pub plain: Sys,
    schedule: Sys,
    dynamo: Dynamo,
}

impl Stores {
    /// A table of its own: the judges read it all.
    pub async fn open(operation: Operation) -> Arc<Stores> {
        let (redis, dynamo) = (servers::redis().url(), servers::own_dynamo().await);
        let plain = Sys::with(&redis, &dynamo.endpoint(), &UNHURRIED);
        let patience: &[(&str, &str)] = if operation.is_about_a_show() { &PATIENCE } else { &[] };
        let schedule = Sys::with(&redis, &dynamo.endpoint(), patience);
        // A server that does not know a script yet is told it by a second call, which is no step.
        let mut connection = plain.redis().await;
        for script in scripts::all() {
            let mut load = redis::cmd("SCRIPT");
            let _: String = load.arg("LOAD").arg(&script.source).query_async(&mut connection).await.unwrap();
        }
        Arc::new(Stores { plain, schedule, dynamo })
    }

    /// One run of the real function over a show, or over all, and its report.
    pub async fn reconcile(&self, operation: Operation, show: &str) -> Value {
        // By hand: a run that was killed has the lease for some seconds, and the schedule gives way to it.
        let event = if operation == Operation::Schedule { json!({}) } else { json!({"showId": show}) };
        self.schedule.reconcile(event).await
    }
}

/// A way on which steps are lost.
pub struct Lane {
    /// The stores behind it.
    pub stores: Arc<Stores>,
    /// What was recorded, and is to be lost.
    pub steps: Arc<Steps>,
    proxy: Proxy,
    front: Front,
}

impl Lane {
    pub async fn open(stores: &Arc<Stores>) -> Lane {
        let proxy = Proxy::redis(servers::redis().addr()).await;
        let front = Front::start(&stores.dynamo.endpoint()).await;
        let steps = Steps::new();
        proxy.follow(&steps);
        front.follow(&steps);
        Lane { stores: Arc::clone(stores), steps, proxy, front }
    }

    /// A process of the product's whose calls are recorded, or that loses these.
    pub fn process(&self, lost: &[Step], then: Then) -> Sys {
        let in_a_transaction = then == Then::Gone && lost.iter().any(|step| step.name == "TransactWriteItems");
        let vars: &[(&str, &str)] = if in_a_transaction { &UNTIL_IT_GIVES_UP } else { &UNHURRIED };
        Sys::with(&self.proxy.url(), &self.front.endpoint(), vars)
    }
}
