//! What came to pass how often: a storm in which nothing happened proves nothing.

use std::collections::BTreeMap;
use std::sync::Mutex;

/// Counts by name.
#[derive(Debug, Default)]
pub struct Goals(Mutex<BTreeMap<String, u64>>);

/// What has to come to pass in a whole storm: what comes dozens of times. What is rarer is printed, and not asked for: which
/// of it comes is chance.
const OFTEN: &[&str] = &[
    "hold 201",
    "hold 409 seat_unavailable",
    "decrement 201",
    "extend 200",
    "release 204",
    "confirm 201",
    "confirm 409 hold_lost",
    "confirm 409 seat_already_sold",
    "confirm 503 unavailable",
    "confirm that died",
    "rescue of a hold that lapsed",
    "refund due",
    "cancel 200",
    "restore 200",
    "replace 200",
    "sale that Redis forgot",
    "kill of Redis",
    "reconcile complete",
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
        let never: Vec<_> = OFTEN.iter().filter(|name| met.get(**name).is_none_or(|count| *count == 0)).collect();
        assert!(never.is_empty(), "never came to pass: {never:?}");
    }
}
