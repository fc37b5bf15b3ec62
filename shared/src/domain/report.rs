//! What a reconcile answers: per show what was checked, what was repaired, and what was drained (contract: "Reconcile").

use serde::Serialize;

use super::ShowId;

/// The report of one run. A dry run tells what the run straight after it repairs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Whether nothing was changed.
    pub dry_run: bool,
    /// Whether every show that asked for it was checked to its end. The next run goes on where this one stopped.
    pub complete: bool,
    /// How long it took.
    pub duration_ms: u64,
    /// What could not be done.
    pub errors: Vec<ReportError>,
    /// One entry for each show that was checked.
    pub shows: Vec<ShowReport>,
    /// What is measured besides, for metrics: no part of the answer.
    #[serde(skip)]
    pub gauges: Gauges,
}

/// The state of the whole system, as far as a run over all shows finds it out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gauges {
    /// Places of live holds, and tokens that are being confirmed, of the shows that were checked.
    pub holds_alive: u64,
    /// Refunds that are due.
    pub refunds_due: Option<u64>,
    /// The nodes of the cache.
    pub cache: Vec<CacheNode>,
}

/// What a node of the cache says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CacheNode {
    /// How much of its memory is used, in percent; `None`: it has no limit.
    pub memory_percent: Option<u64>,
    /// Keys that it has thrown away for want of memory, since it was started.
    pub evicted_keys: u64,
    /// What it does for want of memory; anything but `noeviction` may end holds early.
    pub eviction_policy: String,
}

/// Something that could not be done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportError {
    /// The show, if it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub show_id: Option<String>,
    /// A problem code of the contract: `show_not_found`, `unavailable`, `internal`, `invalid_request`.
    pub code: &'static str,
    /// In words.
    pub detail: String,
}

/// One show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ShowReport {
    /// The show.
    pub show_id: ShowId,
    /// Names the loading that was checked; `None`: Redis does not have the show, and a dry run does not load it.
    pub epoch: Option<String>,
    /// How much was looked at.
    pub checked: Checked,
    /// What was repaired, by kind.
    pub repairs: Repairs,
    /// How far the stores had come apart: marked + freed + holdsLost + unitsRecounted.
    pub drift: u64,
    /// Events that were written to the audit items.
    pub events_drained: u64,
    /// Events that the stream had dropped before they were drained.
    pub events_missed: u64,
}

/// How much was looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Checked {
    /// Places whose state was compared.
    pub places: u64,
    /// Tokens that were being confirmed.
    pub tokens: u64,
}

/// Repairs by kind. `docs/OPERATIONS.md` tells what each means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Repairs {
    /// Tokens whose confirm had died, and that were brought to their end.
    pub settled: u64,
    /// Places that the record has as sold, and Redis did not.
    pub marked: u64,
    /// Places that Redis had as sold, and the record does not.
    pub freed: u64,
    /// Places of lapsed holds that were tidied away.
    pub expired: u64,
    /// Live holds that ended, for the record has one of their places as sold to somebody else.
    pub holds_lost: u64,
    /// Units that were in two states or in none, and counters that were wrong.
    pub units_recounted: u64,
    /// Whether Redis got another version of the show: 1, or 0.
    pub policy_updated: u64,
}

impl Repairs {
    /// Everything that was repaired but what lapsed, which is housekeeping.
    #[must_use]
    pub fn all(&self) -> u64 {
        self.drift() + self.settled + self.policy_updated
    }

    /// marked + freed + holdsLost + unitsRecounted
    #[must_use]
    pub fn drift(&self) -> u64 {
        self.marked + self.freed + self.holds_lost + self.units_recounted
    }
}
