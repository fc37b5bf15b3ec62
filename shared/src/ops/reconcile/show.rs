//! One show, from its events to its places. Each step counts in a dry run what it would repair: so the counts are put right
//! before anything that depends on them, and events are drained before the repairs make new ones.

use std::collections::HashSet;
use std::time::Duration;

use super::compare::Comparison;
use super::{drain, layout};
use crate::domain::show::Zone;
use crate::domain::{HoldToken, PinnedToken, Show, ShowId, ShowReport, Survey};
use crate::failure::RETRY_AFTER;
use crate::ops::settle::settle;
use crate::ops::{Outcome, loading};
use crate::{Failure, Stores, Touch};

/// Units of one recount.
const UNITS_PER_CALL: u32 = 1_000;
/// Keys of holds that are forgotten at once.
const KEYS_PER_CALL: usize = 1_000;
/// Tokens of one page of the list of those that are being confirmed.
const TOKENS_PER_CALL: usize = 500;

/// What came of a show.
pub(super) struct CheckedShow {
    /// What was checked and repaired.
    pub report: ShowReport,
    /// What could not be done.
    pub failed: Vec<Failure>,
    /// The shard of its places to go on with, if the time was up.
    pub stopped: Option<u8>,
    /// Places of live holds, and tokens that are being confirmed.
    pub live: u64,
}

/// Why a check does not go on.
pub(super) enum Stopped {
    /// The time was up before this shard of its places was compared.
    Late { shard: u8 },
    /// A store did not answer.
    Failed(Failure),
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Self {
        Stopped::Failed(failure)
    }
}

/// The check of one show.
pub(super) struct ShowCheck<'a> {
    pub stores: &'a Stores,
    pub dry_run: bool,
}

impl<'a> ShowCheck<'a> {
    pub fn new(stores: &'a Stores, dry_run: bool) -> Self {
        Self { stores, dry_run }
    }

    /// Checks a show, its places from shard `from` on. `clean` is the version that was in order before; a show that
    /// `is_over` leaves Redis.
    pub async fn run(&self, show: &Show, from: u8, clean: Option<u64>, is_over: bool) -> CheckedShow {
        let mut report = ShowReport {
            show_id: show.show_id.clone(),
            epoch: None,
            checked: Default::default(),
            repairs: Default::default(),
            drift: 0,
            events_drained: 0,
            events_missed: 0,
        };
        let (mut failed, mut live) = (Vec::new(), 0);
        let checked = self.check(show, from, clean, is_over, (&mut report, &mut failed, &mut live)).await;
        report.drift = report.repairs.drift();
        let stopped = match checked {
            Ok(()) => None,
            Err(Stopped::Late { shard }) => Some(shard),
            Err(Stopped::Failed(failure)) => {
                failed.push(failure);
                None
            }
        };
        CheckedShow { report, failed, stopped, live }
    }

    async fn check(
        &self,
        show: &Show,
        from: u8,
        clean: Option<u64>,
        is_over: bool,
        (report, failed, live): (&mut ShowReport, &mut Vec<Failure>, &mut u64),
    ) -> Result<(), Stopped> {
        let id = &show.show_id;
        let Some(survey) = self.survey(show).await? else { return Ok(()) };
        report.epoch = Some(survey.epoch.clone());
        *live = survey.live;
        // Events that cannot be written now are no reason not to settle what was paid.
        let drained = match drain::drain(self, show, report).await {
            Ok(last) => Some(last),
            Err(Stopped::Failed(failure)) => {
                failed.push(failure);
                None
            }
            Err(late) => return Err(late),
        };
        for zone in &show.zones {
            report.repairs.units_recounted += self.recount(show, zone).await?;
        }
        report.repairs.policy_updated = u64::from(layout::put_right(self, show, &survey).await?);
        for zone in show.zones.iter().map(|zone| Some(&zone.id)).chain([None]) {
            let step = self.stores.step();
            let expired = loading::known(&step, id, || step.redis.expire_holds(id, zone, self.dry_run)).await;
            report.repairs.expired += on_record(expired)?;
        }

        let pinned = self.pinned(show).await?;
        report.checked.tokens = pinned.len() as u64;
        let (old, young): (Vec<_>, Vec<_>) = pinned.iter().partition(|pinned| self.age_left(pinned).is_zero());
        self.settle(show, &old, report, failed).await?;
        Comparison::new(self, show, &pinned).await?.run(from, report).await?;
        self.settle_young(show, &young, report, failed).await?;

        if self.dry_run {
            return Ok(());
        }
        if clean != Some(show.version) && failed.is_empty() {
            // Not recorded is not clean: the next run looks again.
            self.stores.step().record.mark_clean(id, show.version).await.ok();
        }
        if let Some(last) = drained.filter(|_| is_over && survey.live == 0) {
            self.stores.step().redis.unload_show(show, &survey.epoch, &last).await?;
        }
        Ok(())
    }

    /// What Redis has of the show. A real run loads it; `None`: a dry run does not, and there is nothing to compare.
    async fn survey(&self, show: &Show) -> Result<Option<Survey>, Stopped> {
        if self.dry_run {
            let surveyed = self.stores.step().redis.survey_show(&show.show_id).await?;
            return Ok(match surveyed {
                Touch::Known(survey) => Some(survey),
                Touch::NotLoaded | Touch::Again | Touch::Closing { .. } => None,
            });
        }
        let step = self.stores.step();
        Ok(Some(on_record(loading::known(&step, &show.show_id, || step.redis.survey_show(&show.show_id)).await)?))
    }

    async fn recount(&self, show: &Show, zone: &Zone) -> Result<u64, Failure> {
        let mut wrong = 0;
        let mut first = 1;
        while first <= zone.capacity {
            let last = zone.capacity.min(first + UNITS_PER_CALL - 1);
            let step = self.stores.step();
            let recount = || step.redis.recount_units(&show.show_id, &zone.id, first, last, self.dry_run);
            wrong += on_record(loading::known(&step, &show.show_id, recount).await)?;
            first = last + 1;
        }
        Ok(wrong)
    }

    /// Whether no token is being confirmed, as far as anybody can tell: a list that is none tells nothing.
    pub async fn confirms_nothing(&self, show: &Show) -> bool {
        match self.pinned(show).await {
            Ok(pinned) => pinned.is_empty(),
            Err(failure) => matches!(failure, Failure::Internal { .. }),
        }
    }

    /// All tokens that are being confirmed.
    async fn pinned(&self, show: &Show) -> Result<Vec<PinnedToken>, Failure> {
        let mut tokens = Vec::new();
        loop {
            let first = tokens.len();
            let step = self.stores.step();
            let list = || step.redis.list_pinned(&show.show_id, first, TOKENS_PER_CALL);
            let page = on_record(loading::known(&step, &show.show_id, list).await)?;
            let is_last = page.len() < TOKENS_PER_CALL;
            tokens.extend(page);
            if is_last {
                return Ok(tokens);
            }
        }
    }

    async fn is_pinned(&self, show: &Show, token: HoldToken) -> Result<bool, Failure> {
        Ok(self.pinned(show).await?.iter().any(|pinned| pinned.token == token))
    }

    /// Has Redis forget the show. Whatever a load makes goes at once, so that one that comes meanwhile has its own whole; a hold
    /// that comes meanwhile is lost.
    /// Unless all that is paid `is_settled`, it refuses while somebody has a token that is being confirmed: Redis alone may know of
    /// his payment.
    pub async fn forget(&self, show: &ShowId, is_settled: bool) -> Result<(), Failure> {
        let (mut of_the_show, mut of_holds, mut cursor) = (Vec::new(), Vec::new(), None::<String>);
        loop {
            let found = self.stores.step().redis.find_keys(show, cursor.as_deref()).await?;
            if found.confirms && !is_settled {
                return Err(Failure::unavailable("tokens are being confirmed that cannot be settled here"));
            }
            of_the_show.extend(found.of_the_show);
            of_holds.extend(found.of_holds);
            cursor = found.cursor;
            if cursor.is_none() {
                break;
            }
            if self.in_time(0).is_err() {
                return Err(Failure::unavailable("all keys of Redis, in the time of a run"));
            }
        }
        for keys in std::iter::once(&of_the_show[..]).chain(of_holds.chunks(KEYS_PER_CALL)) {
            self.stores.step().redis.drop_keys(show, keys).await?;
        }
        Ok(())
    }

    /// How long the confirm of a token may still be under way, or about to be repeated: a request may take no longer than its
    /// budget, and its caller is told to come again after `Retry-After`.
    fn age_left(&self, pinned: &PinnedToken) -> Duration {
        (self.stores.budget() + RETRY_AFTER).saturating_sub(Duration::from_millis(pinned.age_ms))
    }

    async fn settle(
        &self,
        show: &Show,
        tokens: &[&PinnedToken],
        report: &mut ShowReport,
        failed: &mut Vec<Failure>,
    ) -> Result<(), Stopped> {
        for pinned in tokens {
            if !self.dry_run {
                self.in_time(0)?;
                match settle(&self.stores.step(), &show.show_id, pinned.token).await {
                    Ok(()) => {}
                    // What cannot be settled now never can: the rest of its show goes on. A token that ended since it was
                    // listed has nothing to settle.
                    Err(failure @ (Failure::Internal { .. } | Failure::OtherLayout { .. })) => {
                        if self.is_pinned(show, pinned.token).await? {
                            failed.push(failure);
                        }
                        continue;
                    }
                    Err(failure @ (Failure::Unavailable { .. } | Failure::Undecided)) => return Err(failure.into()),
                }
            }
            report.repairs.settled += 1;
        }
        Ok(())
    }

    /// Tokens that were pinned just now have a confirm at work: it gets the time that it has. Those that are still there
    /// then are settled as well, so that one run settles all that was pinned before it began.
    async fn settle_young(
        &self,
        show: &Show,
        young: &[&PinnedToken],
        report: &mut ShowReport,
        failed: &mut Vec<Failure>,
    ) -> Result<(), Stopped> {
        if self.dry_run || young.is_empty() {
            return self.settle(show, young, report, failed).await;
        }
        let still = |pinned: Vec<PinnedToken>| pinned.into_iter().map(|pinned| pinned.token).collect::<HashSet<_>>();
        loop {
            let pinned = self.pinned(show).await?;
            let theirs = pinned.iter().filter(|pinned| young.iter().any(|young| young.token == pinned.token));
            let Some(wait) = theirs.map(|pinned| self.age_left(pinned)).max() else { return Ok(()) };
            if wait.is_zero() {
                let left = still(pinned);
                let left: Vec<_> = young.iter().copied().filter(|young| left.contains(&young.token)).collect();
                return self.settle(show, &left, report, failed).await;
            }
            tokio::time::sleep(wait.min(self.stores.deadline().left())).await;
            self.in_time(0)?;
        }
    }

    /// Whether there is time left for another step; `shard` is where to go on if not.
    pub fn in_time(&self, shard: u8) -> Result<(), Stopped> {
        if self.stores.deadline().left() < self.stores.budget() { Err(Stopped::Late { shard }) } else { Ok(()) }
    }
}

/// The answer about a show that is on record, which nothing refuses.
pub(super) fn on_record<T>(answer: Outcome<T>) -> Result<T, Failure> {
    answer?.map_err(|_| Failure::internal("a show on record is gone"))
}
