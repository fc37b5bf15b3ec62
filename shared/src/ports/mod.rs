//! What the operations need of the stores, one verb each. An operation names its ports in its signature, and the policy
//! of its function in `template.yaml` grants the verbs of DynamoDB that they use. `adapters` fulfil them.
//!
//! [`arbiter`] has those of Redis that holds need, [`inventory`] those that load and replace a show, [`survey`] those of a
//! reconcile; [`record`] has those of DynamoDB.

pub mod arbiter;
pub mod inventory;
pub mod record;
pub mod survey;

pub use arbiter::*;
pub use inventory::*;
pub use record::*;
pub use survey::*;

use crate::domain::Refusal;
use crate::{Deadline, Failure};

/// A decision: done, or refused.
pub type Decision<T> = Result<T, Refusal>;

/// What a script says of a show that it may not know.
#[derive(Debug)]
pub enum Touch<T> {
    /// Redis knows the show, and this is the answer.
    Known(T),
    /// Redis does not know the show.
    NotLoaded,
    /// A part of the work is done, as much as one call may: call again.
    Again,
    /// The answer depends on a replacement of the show: under way for so many ms or, when negative, given up.
    Closing {
        /// What is left of the closing mark.
        left_ms: i64,
    },
}

/// An answer of Redis.
pub type Touched<T> = Result<Touch<T>, Failure>;

/// When the request has to be answered.
pub trait Timed {
    /// The deadline.
    fn deadline(&self) -> Deadline;
}

/// Stores that a long run asks step by step.
pub trait Stepwise: Timed + Sized {
    /// The same stores, for one step: it has the time that a request has, and ends with the run at the latest.
    fn step(&self) -> Self;
    /// The time that a request has.
    fn budget(&self) -> std::time::Duration;
}
