//! What could not be done. A decided no is a [`Refusal`](crate::domain::Refusal) and no failure.

use std::error::Error;
use std::time::Duration;

/// How long a caller is told to wait before it repeats a request that came to no decision: the longest `Retry-After`.
pub const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Why an operation has no decision.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// A store did not answer in time, or the show is being loaded. What happened is *not known*: the caller repeats.
    #[error("{what}")]
    Unavailable {
        /// What was waited for, for the log.
        what: String,
        /// The last thing that went wrong.
        #[source]
        source: Option<Box<dyn Error + Send + Sync>>,
    },
    /// What a store has is in the layout of another release, which knows what to do with it. Nothing was done.
    #[error("{what}")]
    OtherLayout {
        /// What it is, for the log.
        what: String,
        /// What was answered, where a store refused it.
        #[source]
        source: Option<Box<dyn Error + Send + Sync>>,
    },
    /// The transaction of somebody else on the same token is still undecided when the time is up.
    #[error("another confirm of this token is under way")]
    Undecided,
    /// A fault of ours, or an answer of a store that nobody expected.
    #[error("{what}")]
    Internal {
        /// What was tried, for the log.
        what: String,
        /// What went wrong.
        #[source]
        source: Option<Box<dyn Error + Send + Sync>>,
    },
}

impl Failure {
    /// A store that did not answer in time.
    pub fn unavailable(what: impl Into<String>) -> Failure {
        Failure::Unavailable { what: what.into(), source: None }
    }

    /// A fault of ours.
    pub fn internal(what: impl Into<String>) -> Failure {
        Failure::Internal { what: what.into(), source: None }
    }

    /// The same, with what went wrong.
    pub fn internal_because(what: impl Into<String>, source: impl Into<Box<dyn Error + Send + Sync>>) -> Failure {
        Failure::Internal { what: what.into(), source: Some(source.into()) }
    }

    /// The failure and all of its sources, for the log.
    #[must_use]
    pub fn chain(&self) -> String {
        let mut text = self.to_string();
        let mut source = self.source();
        while let Some(error) = source {
            text = format!("{text}: {error}");
            source = error.source();
        }
        text
    }
}
