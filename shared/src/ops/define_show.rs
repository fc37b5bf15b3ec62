//! Put a show up, or replace it. Places may come at any time; one that goes must not be held or sold, and is closed in
//! Redis before the record changes, so that nobody can take it meanwhile (design, "Replacing a show").

use std::collections::HashSet;
use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt, stream};

use super::Outcome;
use super::loading;
use crate::domain::layout::Change;
use crate::domain::places::{SHARDS, unit_number};
use crate::domain::show::Zone;
use crate::domain::{Close, Closing, PlaceState, Places, Refusal, Show, ShowId, SoldPlace};
use crate::{Failure, Stores};

/// Places that a refusal names at most.
const MAX_NAMED: usize = 100;

/// What came of a definition.
#[derive(Debug)]
pub struct Defined {
    /// The show with its version.
    pub show: Show,
    /// Whether there was none before.
    pub created: bool,
}

/// Writes a show. `expected` is the version that the caller believes to replace; without it the last one to write wins.
///
/// # Errors
/// When a store did not answer. The same definition can be sent again: if it was written, it changes nothing.
pub async fn define_show(stores: &Stores, wanted: &Show, expected: Option<u64>) -> Outcome<Defined> {
    for attempt in 0.. {
        if let Some(defined) = define_once(stores, wanted, expected).await? {
            return Ok(defined);
        }
        // Another caller wrote the show in the meantime.
        if !stores.deadline().back_off(attempt, Duration::from_millis(20)).await {
            break;
        }
    }
    Err(Failure::unavailable("the show is being written by others"))
}

/// One attempt; `None`: another version came between.
async fn define_once(
    stores: &Stores,
    wanted: &Show,
    expected: Option<u64>,
) -> Result<Option<Result<Defined, Refusal>>, Failure> {
    let Some(current) = stores.record.read_show(&wanted.show_id).await? else {
        if expected.is_some() {
            return Ok(Some(Err(Refusal::VersionConflict { version: 0 })));
        }
        let show = Show { version: 1, ..wanted.clone() };
        return Ok(stores.record.write_show(&show).await?.then_some(Ok(Defined { show, created: true })));
    };
    let repeated =
        expected.is_none_or(|expected| expected == current.version || expected.checked_add(1) == Some(current.version));
    if repeated && current.same_as(wanted) {
        // Whoever wrote it may not have come to tell Redis.
        let seats: Vec<String> = current.seats().collect();
        let applied =
            loading::known(stores, &current.show_id, || stores.redis.apply_show(&current, &seats, None)).await?;
        return Ok(Some(applied.map(|()| Defined { show: current, created: false })));
    }
    if expected.is_some_and(|expected| expected != current.version) {
        return Ok(Some(Err(Refusal::VersionConflict { version: current.version })));
    }
    replace(stores, &current, wanted).await
}

/// Replaces `current` by the next version; `None`: another version came between.
async fn replace(stores: &Stores, current: &Show, wanted: &Show) -> Result<Option<Result<Defined, Refusal>>, Failure> {
    let next = Show { version: current.version + 1, ..wanted.clone() };
    let change = current.change_to(&next);
    let takes_away = !change.seats_removed.is_empty() || !change.zones_lowered.is_empty();
    let closing = Closing { version: next.version, mark: uuid::Uuid::new_v4().to_string() };
    if takes_away {
        match close(stores, &next, &closing, &change).await? {
            Ok(in_use) if in_use.is_empty() => {}
            Ok(in_use) => {
                take_back(stores, &next.show_id, &closing).await?;
                return Ok(Some(Err(Refusal::InUse { places: in_use.into_iter().take(MAX_NAMED).collect() })));
            }
            Err(refusal) => return Ok(Some(Err(refusal))),
        }
    }
    if !stores.record.write_show(&next).await? {
        if takes_away {
            take_back(stores, &next.show_id, &closing).await?;
        }
        return Ok(None);
    }
    let mark = takes_away.then_some(&closing);
    // All seats, and not only the added ones: a PUT that this one overtook may not have come to add its own.
    let seats: Vec<String> = next.seats().collect();
    let applied = loading::known(stores, &next.show_id, || stores.redis.apply_show(&next, &seats, mark)).await?;
    Ok(Some(applied.map(|()| Defined { show: next, created: false })))
}

/// Closes what goes, and answers the places of it that are held or sold.
async fn close(stores: &Stores, next: &Show, closing: &Closing, change: &Change) -> Outcome<Vec<String>> {
    let id = &next.show_id;
    if !change.seats_removed.is_empty() {
        let closed =
            loading::known(stores, id, || stores.redis.close_seats(id, closing, &change.seats_removed)).await?;
        match in_use(closed)? {
            Ok(places) if places.is_empty() => {}
            refused => return Ok(refused),
        }
    }
    for zone in &change.zones_lowered {
        let closed = loading::known(stores, id, || stores.redis.close_zone(id, closing, zone)).await?;
        match in_use(closed)? {
            Ok(places) if places.is_empty() => {}
            refused => return Ok(refused),
        }
    }
    // Redis may have missed a sale. What is closed cannot be sold any more, so the record now has all of them.
    sold_of(stores, next, change).await.map(Ok)
}

/// The places in use, or that somebody else is replacing the show.
fn in_use(closed: Result<Close, Refusal>) -> Outcome<Vec<String>> {
    match closed {
        Ok(Close::Closed) => Ok(Ok(Vec::new())),
        Ok(Close::InUse(places)) => Ok(Ok(places)),
        Ok(Close::Busy) => Err(Failure::unavailable("the show is being replaced")),
        Err(refusal) => Ok(Err(refusal)),
    }
}

/// The places among those that go which the record has as sold: seats, and all units of a zone that has sold, or has sold
/// and holds, more than it will have.
async fn sold_of(stores: &Stores, next: &Show, change: &Change) -> Result<Vec<String>, Failure> {
    let shards =
        stream::iter(0..SHARDS).map(|shard| stores.record.list_sold(&next.show_id, shard)).buffer_unordered(16);
    let sold: Vec<SoldPlace> = shards.try_concat().await?;
    let removed: HashSet<&str> = change.seats_removed.iter().map(String::as_str).collect();
    let mut in_use: Vec<String> =
        sold.iter().map(|sold| &sold.place).filter(|place| removed.contains(place.as_str())).cloned().collect();
    for zone in &change.zones_lowered {
        let numbers: Vec<u32> = sold.iter().filter_map(|sold| unit_number(&zone.id, &sold.place)).collect();
        let units = Places::Units { zone: zone.id.clone(), numbers };
        if units.len() > zone.capacity as usize || exceeds(stores, &next.show_id, zone, &units).await? {
            in_use.extend(units.ids());
        }
    }
    Ok(in_use)
}

/// Whether what is held, what Redis knows to be sold, and the `units` that are sold by the record alone do not fit into a
/// zone.
async fn exceeds(stores: &Stores, show: &ShowId, zone: &Zone, units: &Places) -> Result<bool, Failure> {
    if zone.capacity == 0 || units.is_empty() {
        return Ok(false);
    }
    let states = loading::known(stores, show, || stores.redis.compare_places(show, units)).await?;
    let count = loading::known(stores, show, || stores.redis.count_zone(show, &zone.id)).await?;
    let (Ok(states), Ok(Some(count))) = (states, count) else { return Ok(false) };
    let known = states.iter().filter(|(_, state)| matches!(state, PlaceState::Sold(_))).count();
    let forgotten = (units.len() - known) as u64;
    Ok(count.held + count.sold + forgotten > u64::from(zone.capacity))
}

/// Puts back what was closed for a version that is not to be: Redis gets what the record says now.
async fn take_back(stores: &Stores, show: &ShowId, closing: &Closing) -> Result<(), Failure> {
    let Some(current) = stores.record.read_show(show).await? else { return Ok(()) };
    let seats: Vec<String> = current.seats().collect();
    loading::known(stores, show, || stores.redis.apply_show(&current, &seats, Some(closing))).await?.ok();
    Ok(())
}
