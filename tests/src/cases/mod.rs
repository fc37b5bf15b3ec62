//! Every file of `events/`: what it needs to be there, and the whole answer compared with `<case>.expected.json` beside it.
//! Whoever has a function, in this process or as a binary, has it answer a [`Case`].
//!
//! The events are about one show, one hold and one booking that never were. Each event gets its own: the show that
//! `events/define-show/put.json` defines, under a fresh id, a hold of E7 and E8, and, where it asks for a booking, that
//! hold confirmed; and cancelled, where it asks for a refund or a restore. In the answer they have their first names again.

mod scene;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::like;
use crate::servers::{self, Dynamo, Redis};
use crate::sys::Sys;

const EXPECTED: &str = ".expected.json";
/// The function that has no route.
const SCHEDULED: &str = "reconcile";
/// Routes whose answers depend on everything there is.
const EVERYTHING: [&str; 3] = ["GET /shows", "GET /refunds", "POST /refunds/{refundId}/settle"];

/// An event of a function.
#[derive(Debug, Clone)]
pub struct Case {
    /// The function, as its folder is called.
    pub function: String,
    /// `ok`
    pub name: String,
}

/// Every case of every function, in order.
pub fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    for function in names_in(&folder()) {
        let files = names_in(&folder().join(&function));
        let names = files.iter().filter(|file| !file.ends_with(EXPECTED)).filter_map(|file| file.strip_suffix(".json"));
        cases.extend(names.map(|name| Case { function: function.clone(), name: name.to_owned() }));
    }
    cases
}

/// The files that expect the answer to an event that is not there.
pub fn expectations_without_event() -> Vec<String> {
    let mut alone = Vec::new();
    for function in names_in(&folder()) {
        let files = names_in(&folder().join(&function));
        let names = files.iter().filter_map(|file| file.strip_suffix(EXPECTED));
        let missing = names.filter(|name| !files.contains(&format!("{name}.json")));
        alone.extend(missing.map(|name| format!("events/{function}/{name}{EXPECTED}")));
    }
    alone
}

impl Case {
    /// Whether it is about everything there is, so that it needs stores where nothing else is.
    pub fn is_about_everything(&self) -> bool {
        self.function == SCHEDULED || EVERYTHING.contains(&&*scene::route(&self.event()))
    }

    /// The event, as its file has it.
    pub fn event(&self) -> String {
        text(&format!("{}/{}.json", self.function, self.name))
    }

    /// Makes what the event is about, has `invoke` answer it, and tells what is not as expected.
    ///
    /// # Panics
    /// When what it is about cannot be made, or the answer is no JSON.
    pub async fn faults(&self, sys: &Sys, invoke: impl AsyncFnOnce(String) -> Value) -> Vec<String> {
        let expected = value(&format!("{}/{}{EXPECTED}", self.function, self.name));
        let seen = if self.function == SCHEDULED {
            invoke(self.event()).await
        } else {
            let names = scene::set_up(sys, &self.event()).await;
            let answer = invoke(names.given(self.event())).await;
            seen(serde_json::from_str(&names.taken_back(answer.to_string())).unwrap())
        };
        let faults = like::faults(&seen, &expected).into_iter();
        faults.map(|fault| format!("events/{}/{}: {fault}", self.function, self.name)).collect()
    }
}

/// The stores of a case: those that it may share, or its own.
#[derive(Debug)]
pub struct Stores {
    /// Where Redis answers.
    pub redis_url: String,
    /// Where DynamoDB answers.
    pub dynamo_endpoint: String,
    _own: Option<(Redis, Dynamo)>,
}

impl Stores {
    /// Those that every test of this process has.
    pub async fn shared() -> Stores {
        let (redis_url, dynamo_endpoint) = (servers::redis().url(), servers::dynamo().await.endpoint());
        Stores { redis_url, dynamo_endpoint, _own: None }
    }

    /// Empty ones.
    pub async fn own() -> Stores {
        let (redis, dynamo) = (servers::own_redis(&[]), servers::own_dynamo().await);
        Stores { redis_url: redis.url(), dynamo_endpoint: dynamo.endpoint(), _own: Some((redis, dynamo)) }
    }

    /// Those at these addresses.
    pub fn at(redis_url: &str, dynamo_endpoint: &str) -> Stores {
        Stores { redis_url: redis_url.to_owned(), dynamo_endpoint: dynamo_endpoint.to_owned(), _own: None }
    }

    /// Those that this case needs.
    pub async fn of(case: &Case) -> Stores {
        if case.is_about_everything() { Stores::own().await } else { Stores::shared().await }
    }

    /// The product on them.
    pub fn sys(&self) -> Sys {
        Sys::with(&self.redis_url, &self.dynamo_endpoint, &[])
    }
}

/// All of an answer that says something: what is empty says nothing. With its body read.
fn seen(mut answer: Value) -> Value {
    let body = match answer["body"].as_str() {
        None | Some("") => Value::Null,
        Some(text) => serde_json::from_str(text).unwrap(),
    };
    answer["body"] = body;
    for name in ["cookies", "multiValueHeaders", "isBase64Encoded"] {
        let says_nothing = |value: &Value| match value {
            Value::Array(entries) => entries.is_empty(),
            Value::Object(entries) => entries.is_empty(),
            other => *other == Value::Bool(false),
        };
        if answer.get(name).is_some_and(says_nothing) {
            answer.as_object_mut().unwrap().remove(name);
        }
    }
    answer
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../events")
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn text(path: &str) -> String {
    fs::read_to_string(folder().join(path)).unwrap_or_else(|error| panic!("events/{path}: {error}"))
}

fn value(path: &str) -> Value {
    serde_json::from_str(&text(path)).unwrap_or_else(|error| panic!("events/{path}: {error}"))
}
