//! How long a request waited for each store.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The waits for one store, in the course of one request. A clone counts into the same.
#[derive(Clone, Debug, Default)]
pub struct Meter(Arc<Waits>);

#[derive(Debug, Default)]
struct Waits {
    calls: AtomicU64,
    micros: AtomicU64,
}

/// A wait that goes on until this is dropped.
#[derive(Debug)]
pub(crate) struct Wait<'a> {
    meter: &'a Meter,
    since: Instant,
}

impl Meter {
    /// Counts a call, and the time until the answer is dropped.
    pub(crate) fn wait(&self) -> Wait<'_> {
        self.0.calls.fetch_add(1, Ordering::Relaxed);
        Wait { meter: self, since: Instant::now() }
    }

    /// How many calls there were.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.0.calls.load(Ordering::Relaxed)
    }

    /// How long they took, in all. Calls side by side count each.
    #[must_use]
    pub fn waited(&self) -> Duration {
        Duration::from_micros(self.0.micros.load(Ordering::Relaxed))
    }
}

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        let micros = u64::try_from(self.since.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.meter.0.micros.fetch_add(micros, Ordering::Relaxed);
    }
}

/// The waits of one request for both stores.
#[derive(Clone, Debug, Default)]
pub struct Meters {
    /// For Redis.
    pub redis: Meter,
    /// For DynamoDB.
    pub dynamo: Meter,
}
