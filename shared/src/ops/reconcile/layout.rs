//! The version of a show: what its PUT could not tell Redis any more is told now.

use std::collections::HashSet;

use super::show::{ShowCheck, Stopped, on_record};
use crate::Failure;
use crate::domain::{Closing, Places, Replacement, SeatId, Show, Survey, ZoneId};
use crate::ops::loading;

/// Gives Redis the show as it is on record, if it has an older version, half a replacement, or other seats. Answers whether
/// there was anything to do. While somebody replaces the show nothing is judged.
pub(super) async fn put_right(check: &ShowCheck<'_>, show: &Show, survey: &Survey) -> Result<bool, Stopped> {
    let is_older = survey.version < show.version || survey.replacement == Replacement::GivenUp;
    let seats: Vec<String> = show.seats().collect();
    let may_differ = survey.version == show.version && survey.seats != seats.len() as u64;
    if survey.replacement == Replacement::UnderWay || !is_older && !may_differ {
        return Ok(false);
    }
    let id = &show.show_id;
    let in_redis = all_fields(check, show, None).await?;
    // A PUT writes the record before it adds seats: a record that is read now has every seat that was there before.
    let current = check.stores.step().record.read_show(id).await?;
    if current.is_none_or(|current| current.version != show.version) {
        return Ok(false);
    }
    let strays = strays(check, show, &seats, &in_redis).await?;
    let there: HashSet<&str> = in_redis.iter().map(String::as_str).collect();
    let is_short = seats.iter().any(|seat| !there.contains(seat.as_str()));
    if !is_older && !is_short && strays.is_empty() {
        // A seat that the record does not have, and that somebody has, stays until it is let go of.
        return Ok(false);
    }
    if check.dry_run {
        return Ok(true);
    }
    let closing = Closing { version: show.version, mark: uuid::Uuid::new_v4().to_string() };
    let mark = (!strays.is_empty()).then_some(&closing);
    if mark.is_some() {
        let step = check.stores.step();
        // Busy, or taken meanwhile: the next run comes again.
        on_record(loading::known(&step, id, || step.redis.close_seats(id, &closing, &strays)).await)?;
    }
    let step = check.stores.step();
    on_record(loading::known(&step, id, || step.redis.apply_show(show, &seats, mark)).await)?;
    Ok(true)
}

/// Seats that Redis has, the record does not, and nobody has.
async fn strays(
    check: &ShowCheck<'_>,
    show: &Show,
    seats: &[String],
    in_redis: &[String],
) -> Result<Vec<String>, Failure> {
    let layout: HashSet<&str> = seats.iter().map(String::as_str).collect();
    let strays = in_redis.iter().filter(|seat| !layout.contains(seat.as_str()));
    let strays: Vec<SeatId> = strays.filter_map(|seat| SeatId::parse(seat).ok()).collect();
    let (step, places) = (check.stores.step(), Places::Seats(strays.clone()));
    let compared = loading::known(&step, &show.show_id, || step.redis.compare_places(&show.show_id, &places)).await;
    let taken: HashSet<usize> = on_record(compared)?.into_iter().map(|(index, _)| index).collect();
    let free = strays.into_iter().enumerate().filter(|(index, _)| !taken.contains(index));
    Ok(free.map(|(_, seat)| seat.to_string()).collect())
}

/// The seats that Redis has, or the numbers of a zone's units that it has as sold.
pub(super) async fn all_fields(
    check: &ShowCheck<'_>,
    show: &Show,
    sold_of: Option<&ZoneId>,
) -> Result<Vec<String>, Failure> {
    let (id, step) = (&show.show_id, check.stores.step());
    let (mut fields, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let scan = || step.redis.scan_places(id, sold_of, cursor.as_deref());
        let scanned = on_record(loading::known(&step, id, scan).await)?;
        fields.extend(scanned.fields);
        cursor = scanned.cursor;
        if cursor.is_none() {
            return Ok(fields);
        }
    }
}
