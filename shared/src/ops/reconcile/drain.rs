//! The events of a show, from its stream to the audit items. They lie there under the epoch and the id of each, so that
//! draining them twice keeps them once.

use super::show::{ShowCheck, Stopped, on_record};
use crate::domain::{Drained, Show, ShowReport};
use crate::ops::loading;

/// Events of one step.
const EVENTS_PER_CALL: usize = 500;

/// Drains the events that came since the last run, and answers the id of the last one. What the stream had dropped before
/// is counted as missed.
pub(super) async fn drain(check: &ShowCheck<'_>, show: &Show, report: &mut ShowReport) -> Result<String, Stopped> {
    let id = &show.show_id;
    let before = check.stores.step().record.read_drained(id).await?;
    let mut drained = before.clone().unwrap_or_default();
    // Events are counted from the beginning of an epoch.
    if report.epoch.as_deref() != Some(&drained.epoch) {
        drained = Drained { epoch: report.epoch.clone().unwrap_or_default(), last: "0-0".to_owned(), count: 0 };
    }
    // What comes while these are drained is for the next run.
    let mut until = None;
    loop {
        let step = check.stores.step();
        let read = loading::known(&step, id, || step.redis.read_events(id, &drained.last, EVENTS_PER_CALL)).await;
        let read = on_record(read)?;
        if read.epoch != drained.epoch {
            // Redis lost the show meanwhile: its events are those of the next run.
            return Ok(drained.last);
        }
        if !check.dry_run && !read.events.is_empty() {
            check.stores.step().record.write_audit(id, &read.epoch, &read.events).await?;
        }
        report.events_drained += read.events.len() as u64;
        drained.count += read.events.len() as u64;
        if let Some(last) = read.events.last() {
            drained.last.clone_from(&last.id);
        }
        let is_read = read.events.len() < EVENTS_PER_CALL;
        if is_read {
            // What was added, and neither drained nor there to be drained, is gone.
            report.events_missed += read.added.saturating_sub(drained.count);
            drained.count = read.added;
        }
        if !check.dry_run && before.as_ref() != Some(&drained) {
            check.stores.step().record.write_drained(id, &drained).await?;
        }
        if is_read || drained.count >= *until.get_or_insert(read.added) {
            return Ok(drained.last);
        }
        check.in_time(0)?;
    }
}
