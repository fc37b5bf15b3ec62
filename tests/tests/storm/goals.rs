//! What came to pass how often: a storm in which nothing happened proves nothing.

use std::collections::BTreeMap;
use std::sync::Mutex;

/// Counts by name.
#[derive(Debug, Default)]
pub struct Goals(Mutex<BTreeMap<String, u64>>);

/// What has to come to pass in a whole storm.
const SOMETIMES: &[&str] = &[
    "hold 201",
    "hold 409 seat_unavailable",
    "hold 404 unknown_seat",
    "hold again under its key",
    "decrement 201",
    "decrement 409 sold_out",
    "extend 200",
    "extend 409 hold_lost",
    "extend 409 extend_limit",
    "release 204",
    "release 409 hold_lost",
    "confirm 201",
    "confirm 200",
    "confirm 409 hold_lost",
    "confirm 409 seat_already_sold",
    "confirm 409 already_cancelled",
    "confirm 422 hold_mismatch",
    "confirm 422 idempotency_mismatch",
    "confirm 503 unavailable",
    "confirm that died",
    "rescue of a hold that lapsed",
    "rescue of a hold that Redis lost",
    "refund due",
    "cancel 200",
    "restore 200",
    "restore 409 not_restorable",
    "replace 200",
    "replace 409 in_use",
    "status confirming",
    "sale that Redis forgot",
    "kill of Redis",
    "reconcile complete",
    "reconcile that gave way",
    "reconcile settled",
    "reconcile marked",
    "reconcile expired",
    "reconcile eventsDrained",
];

impl Goals {
    pub fn met(&self, name: impl Into<String>) {
        self.add(name, 1);
    }

    pub fn add(&self, name: impl Into<String>, count: u64) {
        *self.0.lock().unwrap().entry(name.into()).or_default() += count;
    }

    pub fn print(&self) {
        for (name, count) in self.0.lock().unwrap().iter() {
            println!("{count:>8} {name}");
        }
    }

    pub fn assert_reached(&self) {
        let met = self.0.lock().unwrap();
        let never: Vec<_> = SOMETIMES.iter().filter(|name| met.get(**name).is_none_or(|count| *count == 0)).collect();
        assert!(never.is_empty(), "never came to pass: {never:?}");
    }
}
