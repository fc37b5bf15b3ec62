//! One run over all shows, or over one: which shows it looks at, how it stops in time, and where it goes on.

use std::time::{Duration, Instant};

use futures_util::{StreamExt, TryStreamExt, stream};
use jiff::{SignedDuration, Timestamp};

use super::position::Position;
use super::show::{CheckedShow, ShowCheck};
use crate::domain::places::SHARDS;
use crate::domain::{Repairs, Report, ReportError, Show, ShowEntry, ShowId};
use crate::{Failure, Stores, Touch};

/// Shows of one page of the list.
const PAGE: usize = 100;
/// Shards of the list that are asked for at once.
const SHARDS_AT_ONCE: usize = 16;
/// Refunds of one shard that are counted at most.
const REFUNDS_PER_SHARD: usize = 1_000;
/// Shows that are asked for at once whether Redis has them.
const SURVEYS_AT_ONCE: usize = 16;
/// How long a lease lasts: a run that died stops the next one no longer.
const LEASE_MS: u64 = 10_000;
/// How old a lease gets before it is kept.
const KEPT_AFTER: Duration = Duration::from_secs(3);
/// How long after its sale has closed a show stays in Redis.
const KEPT_LOADED: SignedDuration = SignedDuration::from_hours(24);

/// What a run is asked to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReconcileWish {
    /// One show; `None`: every show that is loaded, on sale, or changed since its last clean run.
    pub show: Option<ShowId>,
    /// Whether to report only.
    pub dry_run: bool,
    /// Whether Redis is to forget the show first, with its holds: what it has is wrong, or of another release.
    pub forget: bool,
    /// Whether the schedule asks: such a run gives way to another one that is under way.
    pub scheduled: bool,
}

/// Reconciles. It never fails: what could not be done is in the report.
pub async fn reconcile(stores: &Stores, wish: &ReconcileWish) -> Report {
    let report = Report { dry_run: wish.dry_run, complete: true, ..Report::default() };
    let mut run = Run { stores, dry_run: wish.dry_run, report, lease: None };
    match &wish.show {
        Some(show) => run.one(show, wish.forget).await,
        None if wish.dry_run => run.all(Position::default()).await,
        None => run.leased(!wish.scheduled).await,
    }
    run.report
}

struct Lease {
    owner: String,
    kept: Instant,
}

struct Run<'a> {
    stores: &'a Stores,
    dry_run: bool,
    report: Report,
    lease: Option<Lease>,
}

impl Run<'_> {
    /// All shows, under the lease, from where the last run stopped.
    async fn leased(&mut self, force: bool) {
        let owner = uuid::Uuid::new_v4().to_string();
        match self.stores.step().record.take_lease(&owner, LEASE_MS, force).await {
            Ok(Some(stopped_at)) => {
                self.lease = Some(Lease { owner, kept: Instant::now() });
                self.all(Position::parse(&stopped_at)).await;
                self.gauge().await;
            }
            // Another run is under way.
            Ok(None) => self.report.complete = false,
            Err(failure) => self.failed(None, &failure),
        }
    }

    /// Looks at what is only measured. A store that does not answer leaves it out: that is told elsewhere.
    async fn gauge(&mut self) {
        let stores = self.stores;
        let refunds = stream::iter(0..SHARDS).map(|shard| async move {
            stores.step().record.list_refunds(shard, None, REFUNDS_PER_SHARD).await.map(|due| due.len() as u64)
        });
        let refunds: Result<Vec<u64>, _> = refunds.buffered(SHARDS_AT_ONCE).try_collect().await;
        self.report.gauges.refunds_due = refunds.ok().map(|due| due.into_iter().sum());
        self.report.gauges.cache = stores.step().redis.inspect_cache().await.unwrap_or_default();
    }

    async fn all(&mut self, from: Position) {
        let stopped = self.pages(from).await;
        self.report.complete &= stopped.is_none();
        if let Some(Lease { owner, .. }) = &self.lease {
            let stopped_at = stopped.as_ref().map(Position::stored).unwrap_or_default();
            if let Err(failure) = self.stores.step().record.end_lease(owner, &stopped_at).await {
                self.failed(None, &failure);
            }
        }
    }

    /// Goes through the list; answers where it stopped, if it did not come to the end.
    async fn pages(&mut self, from: Position) -> Option<Position> {
        let mut compared = from.compared;
        let stores = self.stores;
        // The first pages side by side: most shards have few shows, or none.
        let first = |shard| async move { (shard, stores.step().record.list_shows(shard, None, PAGE).await) };
        let firsts: Vec<_> = stream::iter(from.shard..SHARDS).map(first).buffered(SHARDS_AT_ONCE).collect().await;
        for (shard, mut page) in firsts {
            // The show that the last run stopped in comes again: its shard is gone through from the beginning.
            let mut skip_to = from.show.as_ref().filter(|_| shard == from.shard);
            let mut here = Position { shard, show: None, compared: 0 };
            loop {
                let entries = match page {
                    Ok(entries) => entries,
                    Err(failure) => {
                        self.failed(None, &failure);
                        match failure {
                            // An entry that cannot be read now never can: those of other shards have their turn.
                            Failure::Internal { .. } | Failure::OtherLayout { .. } => break,
                            Failure::Unavailable { .. } | Failure::Undecided => return Some(here),
                        }
                    }
                };
                if self.is_late() {
                    return Some(here);
                }
                let is_last = entries.len() < PAGE;
                here.show = entries.last().map(|entry| entry.show.clone());
                let entries = entries.into_iter().filter(|entry| skip_to.is_none_or(|show| entry.show >= *show));
                for entry in self.wanted(entries.collect()).await {
                    let compared = if skip_to == Some(&entry.show) { std::mem::take(&mut compared) } else { 0 };
                    skip_to = skip_to.filter(|show| entry.show < **show);
                    if let Some(stopped) = self.show(&entry, compared).await {
                        return Some(Position { shard, show: Some(entry.show), compared: stopped });
                    }
                }
                if is_last {
                    break;
                }
                let after = here.show.as_ref().map(ShowId::as_str);
                page = self.stores.step().record.list_shows(shard, after, PAGE).await;
            }
        }
        None
    }

    /// The entries of a page whose shows have to be looked at: on sale, changed since the last clean run, or loaded.
    async fn wanted(&self, entries: Vec<ShowEntry>) -> Vec<ShowEntry> {
        let now = Timestamp::now();
        let checked = entries.into_iter().map(|entry| async move {
            let wanted = is_on_sale(&entry, now) || entry.clean != Some(entry.version) || {
                let survey = self.stores.step().redis.survey_show(&entry.show).await;
                // One that could not be asked for is looked at, and fails there by its name.
                !matches!(survey, Ok(Touch::NotLoaded))
            };
            wanted.then_some(entry)
        });
        stream::iter(checked).buffered(SURVEYS_AT_ONCE).filter_map(std::future::ready).collect().await
    }

    /// One show, whatever its state.
    async fn one(&mut self, show: &ShowId, forget: bool) {
        let check = ShowCheck::new(self.stores, self.dry_run);
        match self.stores.step().record.read_show(show).await {
            Ok(Some(record)) => {
                if forget && !self.forget(&check, &record).await {
                    return;
                }
                let checked = check.run(&record, 0, None, false).await;
                self.report.complete &= self.take(show, checked).is_none();
            }
            Ok(None) => {
                // What Redis has of it, a table that was restored to an earlier point has not.
                if forget && let Err(failure) = check.forget(show, false).await {
                    return self.failed(Some(show), &failure);
                }
                self.report.errors.push(ReportError {
                    show_id: Some(show.to_string()),
                    code: "show_not_found",
                    detail: "There is no such show.".to_owned(),
                });
            }
            Err(failure) => self.failed(Some(show), &failure),
        }
    }

    /// Has Redis forget a show, once what is paid is settled, and answers whether it did. What cannot be read, or is in a layout
    /// that is not known here, is what it is to forget.
    async fn forget(&mut self, check: &ShowCheck<'_>, record: &Show) -> bool {
        let mut before = check.run(record, 0, None, false).await;
        let (unread, failed): (Vec<_>, Vec<_>) = before
            .failed
            .into_iter()
            .partition(|failure| matches!(failure, Failure::Internal { .. } | Failure::OtherLayout { .. }));
        let may_go_on = failed.is_empty() && before.stopped.is_none();
        before.failed = failed;
        if !may_go_on || before.report.repairs != Repairs::default() {
            self.report.complete &= may_go_on;
            self.take(&record.show_id, before);
        }
        if !may_go_on {
            return false;
        }
        let is_settled = unread.is_empty() || check.confirms_nothing(record).await;
        let forgotten = check.forget(&record.show_id, is_settled).await;
        if let Err(failure) = &forgotten {
            self.failed(Some(&record.show_id), failure);
        }
        forgotten.is_ok()
    }

    /// A show of the list, from a shard of its places on; answers the shard that it stopped before.
    async fn show(&mut self, entry: &ShowEntry, from: u8) -> Option<u8> {
        if self.is_late() {
            return Some(from);
        }
        self.keep_lease().await;
        let record = match self.stores.step().record.read_show(&entry.show).await {
            Ok(Some(record)) => record,
            Ok(None) => return None,
            Err(failure) => {
                self.failed(Some(&entry.show), &failure);
                return None;
            }
        };
        let closed_at = entry.closes_at.or(entry.starts_at);
        let is_over = closed_at.is_some_and(|at| at.duration_until(Timestamp::now()) > KEPT_LOADED);
        let check = ShowCheck::new(self.stores, self.dry_run);
        let checked = check.run(&record, from, entry.clean, is_over).await;
        self.take(&entry.show, checked)
    }

    /// Puts what came of a show into the report; answers the shard that it stopped before.
    fn take(&mut self, show: &ShowId, checked: CheckedShow) -> Option<u8> {
        self.report.shows.push(checked.report);
        self.report.gauges.holds_alive += checked.live;
        for failure in &checked.failed {
            self.failed(Some(show), failure);
        }
        checked.stopped
    }

    fn failed(&mut self, show: Option<&ShowId>, failure: &Failure) {
        let code = match failure {
            Failure::Unavailable { .. } | Failure::OtherLayout { .. } | Failure::Undecided => "unavailable",
            Failure::Internal { .. } => "internal",
        };
        let show_id = show.map(ToString::to_string);
        self.report.errors.push(ReportError { show_id, code, detail: failure.to_string() });
        self.report.complete = false;
    }

    /// Whether there is no time left for another step.
    fn is_late(&self) -> bool {
        self.stores.deadline().left() < self.stores.budget()
    }

    async fn keep_lease(&mut self) {
        let Some(lease) = self.lease.as_mut().filter(|lease| lease.kept.elapsed() > KEPT_AFTER) else { return };
        lease.kept = Instant::now();
        // One that could not be kept costs a run that does the same.
        self.stores.step().record.take_lease(&lease.owner, LEASE_MS, false).await.ok();
    }
}

/// Whether places of a show can be held now, by our own clock: this only chooses what to look at.
fn is_on_sale(entry: &ShowEntry, now: Timestamp) -> bool {
    let is_over = entry.closes_at.or(entry.starts_at).is_some_and(|closed_at| closed_at < now);
    entry.opens_at.is_none_or(|opens_at| opens_at <= now) && !is_over
}
