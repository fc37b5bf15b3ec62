//! The calls that an operation makes to both stores: recorded once, then failed one by one.
//!
//! A proxy in front of Redis and a front before DynamoDB follow the same [`Steps`]. A step is named by its script, or by
//! its DynamoDB action and the kind of item (`pin`, `GetItem booking`), and counted: `Query sold`, the third one. One of
//! them is then lost on its way, or its reply is; afterwards the stores are there again, or gone for both of them alike,
//! as they are for a process that was killed.

mod names;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub(crate) use names::{of_dynamo, of_redis};

pub use crate::proxy::Lose;

/// What follows on the loss of a request, or of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// The next call gets through.
    Recovers,
    /// Neither store is reached any more: whatever the process still sends goes nowhere.
    Gone,
}

/// One call of an operation: its name, and which of that name it is, from 1.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Step {
    /// `pin`, `GetItem booking`
    pub name: String,
    /// From 1.
    pub nth: usize,
}

#[derive(Debug, Default)]
struct State {
    seen: Vec<String>,
    /// What is to be lost, and was not met yet.
    faults: Vec<Step>,
    how: Option<(Lose, Then)>,
    gone: bool,
}

/// What both lines to the stores have in common.
#[derive(Debug, Default)]
pub struct Steps(Mutex<State>);

/// What is to be done with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Met {
    Pass,
    Lost,
    LosesItsReply,
}

impl Steps {
    /// Nothing recorded, and nothing to fail.
    pub fn new() -> Arc<Steps> {
        Arc::default()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins anew, without a fault.
    pub fn record(&self) {
        *self.lock() = State::default();
    }

    /// Begins anew, and loses these steps.
    pub fn fail(&self, steps: &[Step], lose: Lose, then: Then) {
        *self.lock() = State { faults: steps.to_vec(), how: Some((lose, then)), ..State::default() };
    }

    /// The steps that were to be lost, and were not met yet.
    pub fn unmet(&self) -> Vec<Step> {
        self.lock().faults.clone()
    }

    /// What was recorded: each name with how often it came, in the order of their first calls. Calls that are made side
    /// by side come in any order, but as often.
    pub fn recorded(&self) -> Vec<(String, usize)> {
        let mut recorded: Vec<(String, usize)> = Vec::new();
        for name in &self.lock().seen {
            match recorded.iter_mut().find(|(other, _)| other == name) {
                Some((_, count)) => *count += 1,
                None => recorded.push((name.clone(), 1)),
            }
        }
        recorded
    }

    /// Notes a request. `None` is one that is no step: it opens a connection.
    pub(crate) fn meet(&self, name: Option<String>) -> Met {
        let mut state = self.lock();
        if state.gone {
            return Met::Lost;
        }
        let Some(name) = name else { return Met::Pass };
        state.seen.push(name.clone());
        let nth = state.seen.iter().filter(|seen| **seen == name).count();
        let met = state.faults.iter().position(|step| step.name == name && step.nth == nth);
        let (Some(at), Some((lose, then))) = (met, state.how) else { return Met::Pass };
        state.faults.remove(at);
        match lose {
            Lose::Reply => Met::LosesItsReply,
            Lose::Request => {
                state.gone = then == Then::Gone;
                Met::Lost
            }
        }
    }

    /// Whether no store is reached.
    pub(crate) fn is_gone(&self) -> bool {
        self.lock().gone
    }

    /// The store has done the work, and its reply is lost now.
    pub(crate) fn reply_is_lost(&self) {
        let mut state = self.lock();
        state.gone = matches!(state.how, Some((_, Then::Gone)));
    }
}
