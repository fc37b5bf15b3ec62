//! Which request meets which fault, and what came.

use std::sync::{Mutex, MutexGuard, PoisonError};

use hyper::body::Bytes;
use serde_json::Value;

use super::faults::Fault;

/// On which side of the store's work a fault strikes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    Before,
    After,
}

/// A rule: which requests, how many of them, and what happens.
#[derive(Debug)]
pub(super) struct Rule {
    pub operation: Option<String>,
    pub containing: Option<String>,
    pub skip: usize,
    pub times: usize,
    pub when: When,
    pub fault: Fault,
}

#[derive(Debug, Default)]
struct State {
    rules: Vec<Rule>,
    requests: Vec<(String, Bytes)>,
}

/// The rules and the requests of a front.
#[derive(Debug, Default)]
pub(super) struct Rules(Mutex<State>);

impl Rules {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn add(&self, rule: Rule) {
        self.lock().rules.push(rule);
    }

    pub fn clear(&self) {
        self.lock().rules.clear();
    }

    pub fn strikes_left(&self) -> usize {
        self.lock().rules.iter().fold(0, |sum, rule| sum.saturating_add(rule.times))
    }

    pub fn requests(&self, operation: &str) -> Vec<Value> {
        let state = self.lock();
        let of_operation = state.requests.iter().filter(|(name, _)| name == operation);
        of_operation.map(|(_, body)| serde_json::from_slice(body).unwrap()).collect()
    }

    pub fn operations(&self) -> Vec<String> {
        self.lock().requests.iter().map(|(name, _)| name.clone()).collect()
    }

    pub fn forget_requests(&self) {
        self.lock().requests.clear();
    }

    /// Notes the request; the first rule that is its own and whose turn it is says what happens to it.
    pub fn meet(&self, operation: &str, body: &Bytes) -> Option<(When, Fault)> {
        let mut state = self.lock();
        state.requests.push((operation.to_owned(), body.clone()));
        for rule in state.rules.iter_mut().filter(|rule| rule.matches(operation, body)) {
            if rule.skip > 0 {
                rule.skip -= 1;
                continue;
            }
            if rule.times != usize::MAX {
                rule.times -= 1;
            }
            let met = (rule.when, rule.fault.clone());
            state.rules.retain(|rule| rule.times > 0);
            return Some(met);
        }
        None
    }
}

impl Rule {
    fn matches(&self, operation: &str, body: &[u8]) -> bool {
        let is_operation = self.operation.as_ref().is_none_or(|wanted| wanted == operation);
        let contains = |text: &String| body.windows(text.len()).any(|window| window == text.as_bytes());
        is_operation && self.containing.as_ref().is_none_or(contains)
    }
}
