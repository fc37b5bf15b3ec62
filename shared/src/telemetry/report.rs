//! What is told of a reconcile.

use std::time::Duration;

use serde_json::{Map, Value};

use super::{Invocation, Metric, Metrics, embed, fields, write};
use crate::config::LogLevel;
use crate::domain::{Repairs, Report, ShowReport};

/// What is told of one reconcile.
pub struct ReportLines<'a> {
    /// Whose lines they are.
    pub invocation: &'a Invocation,
    /// What was done.
    pub report: &'a Report,
    /// What really happened, when nothing was done.
    pub cause: Option<&'a str>,
    /// From the event to the report.
    pub took: Duration,
}

impl ReportLines<'_> {
    /// Writes a line for the run, one for each show that was repaired, and one for each error: those that the level lets
    /// through.
    pub fn write(&self, level: LogLevel, metrics: bool) {
        let mut lines = self.lines();
        let measured = metrics && !self.report.dry_run;
        if let Some((_, line)) = lines.first_mut().filter(|_| measured) {
            self.measure(line);
        }
        for (index, (alarming, line)) in lines.into_iter().enumerate() {
            if alarming || level >= LogLevel::Info || measured && index == 0 {
                write(line);
            }
        }
    }

    /// Each line, and whether an operator should look at it.
    fn lines(&self) -> Vec<(bool, Map<String, Value>)> {
        let Report { shows, errors, .. } = self.report;
        let drift = shows.iter().any(|show| show.drift > 0);
        let noun = if shows.len() == 1 { "show" } else { "shows" };
        let mut run = self.line(drift || !errors.is_empty(), format!("checked {} {noun}", shows.len()));
        run.1.extend(counts(shows));
        run.1.extend(fields([
            ("reconcile.dry_run", self.report.dry_run.into()),
            ("reconcile.complete", self.report.complete.into()),
            ("reconcile.errors", errors.len().into()),
            ("error.cause", self.cause.into()),
            ("request.duration_ms", (self.took.as_secs_f64() * 1000.0).into()),
        ]));

        let repaired = shows.iter().filter(|show| show.repairs != Repairs::default()).map(|show| {
            let mut line = self.line(show.drift > 0, format!("repaired show {}", show.show_id));
            line.1.extend(counts(std::slice::from_ref(show)));
            line.1.extend(fields([("show.id", show.show_id.as_str().into())]));
            line
        });
        let failed = errors.iter().map(|error| {
            let mut line = self.line(true, format!("met {}", error.code));
            // The faults of an event name what its sender put there.
            let detail = (error.code != "invalid_request").then_some(error.detail.as_str());
            line.1.extend(fields([
                ("show.id", error.show_id.as_deref().into()),
                ("problem.code", error.code.into()),
                ("problem.detail", detail.into()),
            ]));
            line
        });
        // It ends holds early: they have a TTL.
        let evicts = self.report.gauges.cache.iter().find(|node| node.eviction_policy != "noeviction").map(|node| {
            let mut line = self.line(true, format!("met a cache with {}", node.eviction_policy));
            line.1.extend(fields([("redis.maxmemory_policy", node.eviction_policy.as_str().into())]));
            line
        });
        std::iter::once(run).chain(repaired).chain(failed).chain(evicts).collect()
    }

    /// Adds the metrics of a run to its line.
    fn measure(&self, line: &mut Map<String, Value>) {
        let Report { shows, gauges, .. } = self.report;
        let sum = |count: fn(&ShowReport) -> u64| shows.iter().map(count).sum::<u64>() as f64;
        let mut values = vec![
            (Metric::Drift, sum(|show| show.drift)),
            (Metric::Repairs, sum(|show| show.repairs.all())),
            (Metric::ReconcileErrors, self.report.errors.len() as f64),
        ];
        // The state of the whole is only known to a run over all shows.
        if let Some(due) = gauges.refunds_due {
            values.push((Metric::RefundsDue, due as f64));
            values.push((Metric::HoldsAlive, gauges.holds_alive as f64));
        }
        // And the cache's only if all of it has answered: a sum without one of them would look like a change.
        if !gauges.cache.is_empty() {
            let evicted = gauges.cache.iter().map(|node| node.evicted_keys).sum::<u64>() as f64;
            values.push((Metric::CacheEvictedKeys, evicted));
        }
        if let Some(percent) = gauges.cache.iter().filter_map(|node| node.memory_percent).max() {
            values.push((Metric::CacheMemoryPercent, percent as f64));
        }
        embed(line, &[Metrics { dimensions: &[("Function", &self.invocation.deployed_as)], values: &values }]);
    }

    fn line(&self, alarming: bool, did: String) -> (bool, Map<String, Value>) {
        let line = fields([
            ("level", if alarming { "warn" } else { "info" }.into()),
            ("message", format!("{} {did}", self.invocation.function).into()),
        ]);
        (alarming, line.chain(self.invocation.fields()).collect())
    }
}

/// What was counted in these shows, in all.
fn counts(shows: &[ShowReport]) -> impl Iterator<Item = (String, Value)> {
    let sum = |count: fn(&ShowReport) -> u64| Value::from(shows.iter().map(count).sum::<u64>());
    fields([
        ("reconcile.places", sum(|show| show.checked.places)),
        ("reconcile.tokens", sum(|show| show.checked.tokens)),
        ("reconcile.settled", sum(|show| show.repairs.settled)),
        ("reconcile.marked", sum(|show| show.repairs.marked)),
        ("reconcile.freed", sum(|show| show.repairs.freed)),
        ("reconcile.expired", sum(|show| show.repairs.expired)),
        ("reconcile.holds_lost", sum(|show| show.repairs.holds_lost)),
        ("reconcile.units_recounted", sum(|show| show.repairs.units_recounted)),
        ("reconcile.policy_updated", sum(|show| show.repairs.policy_updated)),
        ("reconcile.drift", sum(|show| show.drift)),
        ("reconcile.events_drained", sum(|show| show.events_drained)),
        ("reconcile.events_missed", sum(|show| show.events_missed)),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{CacheNode, Gauges, ReportError, ShowId};

    fn show(id: &str, repairs: Repairs) -> Result<ShowReport, &'static str> {
        let (checked, drift) = (Default::default(), repairs.drift());
        let show_id = ShowId::parse(id)?;
        Ok(ShowReport { show_id, epoch: None, checked, repairs, drift, events_drained: 2, events_missed: 0 })
    }

    fn told(report: &Report) -> Vec<(String, String, Value, Value)> {
        let took = Duration::from_millis(41);
        let invocation = &Invocation::new("reconcile", "", "r", None);
        let lines = ReportLines { invocation, report, cause: None, took };
        let field = |line: &Map<String, Value>, name| line.get(name).cloned().unwrap_or_default();
        let text = |line: &Map<String, Value>, name| field(line, name).as_str().unwrap_or_default().to_owned();
        let lines = lines.lines().into_iter().map(|(_, line)| {
            let counted = (field(&line, "reconcile.drift"), field(&line, "reconcile.events_drained"));
            (text(&line, "level"), text(&line, "message"), counted.0, counted.1)
        });
        lines.collect()
    }

    #[test]
    fn a_run_sums_up_and_names_what_was_repaired_and_what_failed() -> Result<(), &'static str> {
        let marked = Repairs { marked: 2, ..Repairs::default() };
        let settled = Repairs { settled: 1, ..Repairs::default() };
        let error = ReportError { show_id: Some("d".to_owned()), code: "unavailable", detail: "late".to_owned() };
        let shows = vec![show("a", Repairs::default())?, show("b", settled)?, show("c", marked)?];
        let line = |level: &str, message: &str, drift: Value, drained: Value| {
            (level.to_owned(), message.to_owned(), drift, drained)
        };

        let quiet = Report { shows: shows.iter().take(2).cloned().collect(), ..Report::default() };
        let expected = [
            line("info", "reconcile checked 2 shows", 0.into(), 4.into()),
            line("info", "reconcile repaired show b", 0.into(), 2.into()),
        ];
        assert_eq!(told(&quiet), expected);

        let loud = Report { shows, errors: vec![error], ..Report::default() };
        let expected = [
            line("warn", "reconcile checked 3 shows", 2.into(), 6.into()),
            line("info", "reconcile repaired show b", 0.into(), 2.into()),
            line("warn", "reconcile repaired show c", 2.into(), 2.into()),
            line("warn", "reconcile met unavailable", Value::Null, Value::Null),
        ];
        assert_eq!(told(&loud), expected);
        Ok(())
    }

    #[test]
    fn a_cache_that_did_not_answer_as_a_whole_has_no_metric() {
        let evicted = |cache: Vec<CacheNode>| {
            let report = Report { gauges: Gauges { cache, ..Gauges::default() }, ..Report::default() };
            let (cause, took) = (None, Duration::ZERO);
            let invocation = &Invocation::new("reconcile", "", "r", None);
            let lines = ReportLines { invocation, report: &report, cause, took };
            let mut line = Map::new();
            lines.measure(&mut line);
            line.get("CacheEvictedKeys").and_then(Value::as_f64)
        };
        let node = |evicted_keys| CacheNode { evicted_keys, ..CacheNode::default() };
        assert_eq!(evicted(vec![node(1), node(2)]), Some(3.0));
        assert_eq!(evicted(Vec::new()), None);
    }
}
