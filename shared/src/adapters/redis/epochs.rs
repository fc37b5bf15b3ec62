//! The epochs of shows, as this process last heard of them. The tokens of a request with an `Idempotency-Key` are derived from
//! the epoch; a script that meets another one answers its own, and the tokens are derived again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::domain::{Request, ShowId};

/// Shows that a process remembers. Forgetting one costs a round trip.
const MAX_SHOWS: usize = 1_000;
/// Stands for an epoch that this process has not heard of. No show has it.
const UNKNOWN: &str = "unknown";

/// A clone shares what is remembered.
#[derive(Clone, Default)]
pub(super) struct Epochs(Arc<Mutex<HashMap<ShowId, String>>>);

impl Epochs {
    /// The epoch that the tokens of a request are to be derived from; empty: they depend on none.
    pub fn of(&self, show: &ShowId, request: &Request) -> String {
        if !request.is_keyed() {
            return String::new();
        }
        let epochs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        epochs.get(show).map_or(UNKNOWN, String::as_str).to_owned()
    }

    /// Remembers the epoch of a show.
    pub fn learn(&self, show: &ShowId, epoch: &str) {
        let mut epochs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if epochs.len() >= MAX_SHOWS {
            epochs.clear();
        }
        epochs.insert(show.clone(), epoch.to_owned());
    }
}
