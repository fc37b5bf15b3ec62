//! The product on stores of its own, with a front before DynamoDB: for runs over all shows.

use std::ops::Deref;

use holdfast_tests::dynamo_front::Front;
use holdfast_tests::servers::{self, Dynamo, Redis};
use holdfast_tests::sys::Sys;
use serde_json::{Value, json};

/// A system that nobody else has shows in.
pub struct Alone {
    sys: Sys,
    pub front: Front,
    stores: (Redis, Dynamo),
}

impl Alone {
    pub async fn start(vars: &[(&str, &str)]) -> Alone {
        let stores = (servers::own_redis(&[]), servers::own_dynamo().await);
        let front = Front::start(&stores.1.endpoint()).await;
        let sys = Sys::with(&stores.0.url(), &front.endpoint(), vars);
        Alone { sys, front, stores }
    }

    /// The system, for a [`House`](crate::house::House) of its own.
    pub fn again(&self) -> Sys {
        Sys::with(&self.stores.0.url(), &self.front.endpoint(), &[])
    }

    /// Redis loses everything.
    pub async fn flush(&self) {
        let _: () = redis::cmd("FLUSHALL").query_async(&mut self.sys.redis().await).await.unwrap();
    }
}

impl Deref for Alone {
    type Target = Sys;

    fn deref(&self) -> &Sys {
        &self.sys
    }
}

/// What the schedule sends.
pub fn schedule() -> Value {
    json!({"version": "0", "id": "d3a1f8c2", "detail-type": "Scheduled Event", "source": "aws.scheduler", "detail": "{}"})
}

/// The shows of a report, in the order of their ids.
pub fn shows(report: &Value) -> Vec<String> {
    let shows = report["shows"].as_array().unwrap().iter();
    let mut shows: Vec<String> = shows.map(|show| show["showId"].as_str().unwrap().to_owned()).collect();
    shows.sort();
    shows
}

/// Fails the test unless the run came to its end without an error; answers its shows.
#[track_caller]
pub fn complete(report: &Value) -> Vec<String> {
    assert_eq!((&report["complete"], &report["errors"]), (&json!(true), &json!([])), "{report}");
    shows(report)
}
