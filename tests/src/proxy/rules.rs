//! The rules that meet one request each.

use std::sync::{Arc, Mutex, PoisonError};

use crate::gate::Gate;

/// What is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lose {
    /// The request: the store never sees it.
    Request,
    /// The reply: the store has done the work.
    Reply,
}

/// How the connection goes on after the loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum After {
    /// It is closed.
    Cut,
    /// It stays open, and nothing is answered on it any more.
    Mute,
}

/// What a rule does to its request.
#[derive(Debug, Clone)]
pub(super) enum Action {
    Lose(Lose, After),
    Hold(Arc<Gate>),
}

#[derive(Debug)]
struct Rule {
    /// How many requests that match still go before the one that is meant.
    before: usize,
    what: Vec<u8>,
    action: Action,
}

/// The rules that wait for their request. Each meets one, and is gone.
#[derive(Debug, Default)]
pub(super) struct Rules(Mutex<Vec<Rule>>);

impl Rules {
    pub fn add(&self, nth: usize, what: &[u8], action: Action) {
        assert!(nth > 0 && !what.is_empty(), "requests are counted from 1, and told by their bytes");
        let rule = Rule { before: nth - 1, what: what.to_vec(), action };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(rule);
    }

    pub fn left(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Lets each rule count the request; the first whose turn it is says what happens.
    pub fn meet(&self, request: &[u8]) -> Option<Action> {
        let mut rules = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut met = None;
        for (at, rule) in rules.iter_mut().enumerate().filter(|(_, rule)| contains(request, &rule.what)) {
            if rule.before > 0 {
                rule.before -= 1;
            } else if met.is_none() {
                met = Some(at);
            }
        }
        met.map(|at| rules.remove(at).action)
    }
}

fn contains(bytes: &[u8], what: &[u8]) -> bool {
    bytes.windows(what.len()).any(|window| window == what)
}
