//! How every operation reaches a show in Redis: it tries, and if Redis does not know the show, the show is loaded from the
//! record and the operation goes on (design, "Loading"). One request loads; the others wait for it within their budget.

use std::cell::LazyCell;
use std::collections::HashSet;
use std::future::Future;
use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt, stream};

use super::Outcome;
use crate::domain::places::{SHARDS, unit_number};
use crate::domain::{Chunk, LoadLease, Refusal, Show, ShowId, SoldPlace, Turn, ZoneId};
use crate::{Failure, Stores, Touch, Touched};

/// Places of one chunk: with their values they stay below 3,999 arguments.
const CHUNK: usize = 1_900;
/// Shards that are read at once.
const SHARDS_AT_ONCE: usize = 16;
/// What the waits for another loader start from.
const WAIT: Duration = Duration::from_millis(20);

/// Calls `operation` until Redis knows the show.
///
/// # Errors
/// [`Failure::Unavailable`] when the show could not be loaded in time. The next request goes on with the load.
pub async fn known<T, F>(stores: &Stores, show: &ShowId, operation: impl Fn() -> F) -> Outcome<T>
where
    F: Future<Output = Touched<T>>,
{
    // Read once a request: a crowd that waits for one loader asks Redis again, and not the record.
    let mut waited_for = None;
    for attempt in 0.. {
        match operation().await? {
            Touch::Known(answer) => return Ok(Ok(answer)),
            Touch::NotLoaded => {
                let record = match waited_for.take() {
                    Some(record) => record,
                    None => match stores.record.read_show(show).await? {
                        Some(record) => record,
                        None => return Ok(Err(Refusal::ShowNotFound)),
                    },
                };
                match load(stores, &record).await? {
                    Turn::Mine(()) | Turn::Loaded => continue,
                    Turn::Theirs => waited_for = Some(record),
                }
            }
            // As much as one call may do is done: the next one goes on.
            Touch::Again if stores.deadline().left().is_zero() => break,
            Touch::Again => continue,
            // Whoever began to replace the show died: the record says what it is.
            Touch::Closing { left_ms } if left_ms <= 0 => match stores.record.read_show(show).await? {
                None => return Ok(Err(Refusal::ShowNotFound)),
                Some(show) => {
                    let seats: Vec<String> = show.seats().collect();
                    stores.redis.apply_show(&show, &seats, None).await?;
                }
            },
            Touch::Closing { .. } => {}
        }
        if !stores.deadline().back_off(attempt, WAIT).await {
            break;
        }
    }
    Err(Failure::unavailable("the show is being loaded, or replaced"))
}

/// Loads a show, or goes on where another loader stopped.
async fn load(stores: &Stores, show: &Show) -> Result<Turn<()>, Failure> {
    let lease = match stores.redis.begin_load(&show.show_id, show.version).await? {
        Turn::Mine(lease) => lease,
        Turn::Theirs => return Ok(Turn::Theirs),
        Turn::Loaded => return Ok(Turn::Loaded),
    };
    let seats: Vec<String> = show.seats().collect();
    let chunks = seats.chunks(CHUNK).map(|chunk| Chunk::Seats(chunk.to_vec()));
    let inventory_steps = seats.len().div_ceil(CHUNK) as u64;
    // Most loads find nothing sold, and need no set of all seats.
    let layout = LazyCell::new(|| seats.iter().map(String::as_str).collect::<HashSet<&str>>());
    let mut loading = Loading { stores, show: &show.show_id, lease: &lease };

    for (step, chunk) in (1..).zip(chunks).skip_while(|(step, _)| *step <= lease.step) {
        if loading.put(step, &chunk).await?.is_none() {
            return Ok(Turn::Theirs);
        }
    }
    // Shards are read side by side and written in order, so that a step is done when all before it are.
    let shards = (0..SHARDS).skip_while(|shard| inventory_steps + u64::from(*shard) < lease.step);
    let mut shards = stream::iter(shards)
        .map(|shard| async move { Ok::<_, Failure>((shard, stores.record.list_sold(&show.show_id, shard).await?)) })
        .buffered(SHARDS_AT_ONCE);
    while let Some((shard, sold)) = shards.try_next().await? {
        // The step counts as done with the last of its chunks.
        let (before, after) = (inventory_steps + u64::from(shard), inventory_steps + u64::from(shard) + 1);
        let mut chunks = if sold.is_empty() { Vec::new() } else { sold_chunks(show, &layout, sold) };
        // Shards with nothing sold are steps, too: now and then they are recorded, and the turn renewed.
        if chunks.is_empty() && usize::from(shard + 1).is_multiple_of(SHARDS_AT_ONCE) {
            chunks.push(Chunk::Seats(Vec::new()));
        }
        for (index, chunk) in chunks.iter().enumerate() {
            let step = if index + 1 == chunks.len() { after } else { before };
            if loading.put(step, chunk).await?.is_none() {
                return Ok(Turn::Theirs);
            }
        }
    }
    stores.redis.finish_load(show, &lease).await
}

struct Loading<'a> {
    stores: &'a Stores,
    show: &'a ShowId,
    lease: &'a LoadLease,
}

impl Loading<'_> {
    /// Puts a chunk; `None`: the lease belongs to somebody else by now.
    async fn put(&mut self, step: u64, chunk: &Chunk) -> Result<Option<()>, Failure> {
        match self.stores.redis.put_chunk(self.show, self.lease, step, chunk).await? {
            Turn::Mine(()) => Ok(Some(())),
            Turn::Theirs | Turn::Loaded => Ok(None),
        }
    }
}

/// The sold places of a shard, as chunks: seats, and the units of each zone. A place that the layout does not have any more
/// is no place of the show.
fn sold_chunks(show: &Show, layout: &HashSet<&str>, sold: Vec<SoldPlace>) -> Vec<Chunk> {
    let mut seats = Vec::new();
    let mut units: Vec<(&ZoneId, Vec<(String, String)>)> = Vec::new();
    for place in sold {
        let unit = show.zones.iter().find_map(|zone| Some((&zone.id, unit_number(&zone.id, &place.place)?)));
        match unit {
            None if layout.contains(place.place.as_str()) => seats.push((place.place, place.booking)),
            None => {}
            Some((zone, number)) => {
                let entry = (number.to_string(), place.booking);
                match units.iter_mut().find(|(other, _)| *other == zone) {
                    Some((_, entries)) => entries.push(entry),
                    None => units.push((zone, vec![entry])),
                }
            }
        }
    }
    let seats = seats.chunks(CHUNK).map(|chunk| Chunk::SoldSeats(chunk.to_vec()));
    let units = units.iter().flat_map(|(zone, entries)| {
        entries.chunks(CHUNK).map(|chunk| Chunk::SoldUnits((*zone).clone(), chunk.to_vec()))
    });
    seats.chain(units).collect()
}
