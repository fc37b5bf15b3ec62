//! What is sold, by both stores, shard by shard: the record is read consistently, Redis is asked for the same places, and
//! where they differ mark or free is called. In between everything may change: both judge again, by version and by owner.

use std::collections::{BTreeMap, HashMap, HashSet};

use futures_util::{StreamExt, TryStreamExt, stream};

use super::layout;
use super::show::{ShowCheck, Stopped, on_record};
use crate::Failure;
use crate::domain::payment::Payments;
use crate::domain::places::{SHARDS, shard_of, unit_number};
use crate::domain::{
    Booking, BookingId, Decision, Ending, Freed, HoldState, HoldToken, PinnedToken, PlaceState, Places, SeatId, Show,
    ShowReport, Sold, SoldPlace, ZoneId,
};
use crate::ops::loading;

/// Shards of the record that are read ahead.
const SHARDS_AHEAD: usize = 8;

/// Marks under way at once.
const MARKS_AT_ONCE: usize = 16;

/// The comparison of one show.
pub(super) struct Comparison<'a> {
    check: &'a ShowCheck<'a>,
    show: &'a Show,
    /// Tokens that are being confirmed: what they hold is settled with them.
    pinned: HashSet<HoldToken>,
    /// Their bookings.
    of_pinned: HashSet<BookingId>,
    /// Tokens whose holds were ended, or would be.
    lost: HashSet<HoldToken>,
    /// The places of each shard, those of each zone together; seats have none.
    shards: Vec<BTreeMap<Option<&'a ZoneId>, Vec<String>>>,
}

/// What both stores say of one place.
#[derive(Debug, Default)]
struct Both {
    recorded: Option<(BookingId, u64)>,
    sold: Option<String>,
    held: Option<HoldToken>,
}

impl<'a> Comparison<'a> {
    pub async fn new(
        check: &'a ShowCheck<'a>,
        show: &'a Show,
        pinned: &[PinnedToken],
    ) -> Result<Comparison<'a>, Failure> {
        let mut shards = vec![BTreeMap::new(); usize::from(SHARDS)];
        let mut add = |zone: Option<&'a ZoneId>, place: String| {
            if let Some(shard) = shards.get_mut(usize::from(shard_of(&place))) {
                shard.entry(zone).or_insert_with(Vec::new).push(place);
            }
        };
        show.seats().for_each(|seat| add(None, seat));
        for zone in &show.zones {
            // A unit above a capacity that was lowered may be sold, too.
            let sold = layout::all_fields(check, show, Some(&zone.id)).await?;
            let above = sold.iter().filter_map(|number| number.parse().ok()).filter(|number| *number > zone.capacity);
            (1..=zone.capacity).chain(above).for_each(|number| add(Some(&zone.id), format!("{}-{number}", zone.id)));
        }
        let of_pinned = pinned.iter().map(|pinned| BookingId::of(&show.show_id, pinned.token)).collect();
        let pinned = pinned.iter().map(|pinned| pinned.token).collect();
        Ok(Self { check, show, pinned, of_pinned, lost: HashSet::new(), shards })
    }

    /// Compares all shards from `from` on.
    pub async fn run(mut self, from: u8, report: &mut ShowReport) -> Result<(), Stopped> {
        let (stores, id) = (self.check.stores, &self.show.show_id);
        let mut recorded = stream::iter(from..SHARDS)
            .map(|shard| async move { (shard, stores.step().record.list_sold(id, shard).await) })
            .buffered(SHARDS_AHEAD);
        while let Some((shard, recorded)) = recorded.next().await {
            self.check.in_time(shard)?;
            self.shard(shard, recorded?, report).await?;
        }
        Ok(())
    }

    async fn shard(&mut self, shard: u8, recorded: Vec<SoldPlace>, report: &mut ShowReport) -> Result<(), Failure> {
        let mut places = self.shards.get_mut(usize::from(shard)).map(std::mem::take).unwrap_or_default();
        let zones = &self.show.zones;
        let mut sold = HashMap::new();
        for SoldPlace { place, booking, version } in recorded {
            let zone = zones.iter().find(|zone| unit_number(&zone.id, &place).is_some());
            // A unit above the capacity, which Redis does not have as sold.
            if let Some(zone) = zone {
                let units = places.entry(Some(&zone.id)).or_default();
                if unit_number(&zone.id, &place) > Some(zone.capacity) && !units.contains(&place) {
                    units.push(place.clone());
                }
            }
            let booking = BookingId::parse(&booking).map_err(|_| Failure::internal("a sold place has no booking"))?;
            let version = version.max(1);
            sold.insert(place, (booking, version));
        }
        for (zone, ids) in places {
            report.checked.places += ids.len() as u64;
            let zone = zone.map_or("", ZoneId::as_str);
            let places = places_of(zone, &ids)?;
            let both = self.look(&places, &ids, &sold).await?;
            self.free(zone, &both, report).await?;
            self.mark(zone, &both, report).await?;
        }
        Ok(())
    }

    /// What both stores say, of the places that are not simply for sale.
    async fn look<'p>(
        &self,
        places: &Places,
        ids: &'p [String],
        sold: &HashMap<String, (BookingId, u64)>,
    ) -> Result<BTreeMap<&'p str, Both>, Failure> {
        let show = &self.show.show_id;
        let step = self.check.stores.step();
        let states = on_record(loading::known(&step, show, || step.redis.compare_places(show, places)).await)?;
        let mut both: BTreeMap<&str, Both> = BTreeMap::new();
        for id in ids {
            if let Some(recorded) = sold.get(id) {
                both.entry(id).or_default().recorded = Some(*recorded);
            }
        }
        for (index, state) in states {
            let Some(id) = ids.get(index) else { continue };
            let place = both.entry(id).or_default();
            match state {
                PlaceState::Absent => {}
                PlaceState::Sold(booking) => place.sold = Some(booking),
                // A lock with a token that is none is nobody's; it ends with its time.
                PlaceState::Held(token) => place.held = HoldToken::from_stored(&token).ok(),
            }
        }
        Ok(both)
    }

    /// Places that Redis has as sold to a booking which the record does not have there.
    async fn free(&self, zone: &str, both: &BTreeMap<&str, Both>, report: &mut ShowReport) -> Result<(), Failure> {
        let mut wrong: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (place, both) in both {
            let recorded = both.recorded.map(|(booking, _)| booking.to_string());
            if let Some(sold) = both.sold.as_ref().filter(|sold| recorded.as_ref() != Some(*sold)) {
                wrong.entry(sold).or_default().push((*place).to_owned());
            }
        }
        for (booking, places) in wrong {
            let Ok(booking) = BookingId::parse(booking) else { continue };
            let booked = self.check.stores.step().record.read_booking(booking).await?;
            let version = booked.as_ref().map_or(0, |booking| booking.version);
            // Sold since the record was read.
            let its_own: Vec<String> = match booked {
                Some(booking) if booking.decision == Decision::Confirmed => {
                    booking.places.as_ref().map(Places::ids).unwrap_or_default()
                }
                _ => Vec::new(),
            };
            let places: Vec<String> = places.into_iter().filter(|place| !its_own.contains(place)).collect();
            if places.is_empty() {
                continue;
            }
            if self.check.dry_run {
                report.repairs.freed += places.len() as u64;
                continue;
            }
            let places = places_of(zone, &places)?;
            // A token that never held anything.
            let (unused, recorded) = (HoldToken::of_restore(booking, 0), &Payments::NONE);
            let freed = Freed { booking, version, places: &places, ending: Ending::Lost, recorded };
            let (show, step) = (&self.show.show_id, self.check.stores.step());
            let free = || step.redis.free_places(show, unused, freed.clone());
            report.repairs.freed += on_record(loading::known(&step, show, free).await)?;
        }
        Ok(())
    }

    /// Places that the record has as sold, and Redis has not; and holds that have such a place, which end as a whole.
    async fn mark(&mut self, zone: &str, both: &BTreeMap<&str, Both>, report: &mut ShowReport) -> Result<(), Failure> {
        let mut missing: BTreeMap<(String, Option<String>), Missing> = BTreeMap::new();
        for (place, both) in both {
            let Some((buyer, version)) = both.recorded else { continue };
            let is_marked = both.sold == Some(buyer.to_string());
            // A unit that is sold and held is torn, and was counted as such.
            let holder = both.held.filter(|_| !is_marked || zone.is_empty());
            let is_right = is_marked && holder.is_none();
            if is_right || holder.is_some_and(|token| self.pinned.contains(&token)) || self.is_settled(buyer, version) {
                continue;
            }
            let key = (buyer.to_string(), holder.map(|token| token.to_string()));
            let entry = missing.entry(key).or_insert(Missing { buyer, version, holder, places: Vec::new(), marked: 0 });
            entry.places.push((*place).to_owned());
            entry.marked += u64::from(!is_marked);
        }
        let (held, free): (Vec<_>, Vec<_>) = missing.into_values().partition(|missing| missing.holder.is_some());
        // Whatever order they come in: each is another booking.
        let marks = free.into_iter().map(|missing| self.mark_free(zone, missing));
        let marked: Vec<u64> = stream::iter(marks).buffer_unordered(MARKS_AT_ONCE).try_collect().await?;
        report.repairs.marked += marked.into_iter().sum::<u64>();
        for missing in held {
            self.mark_held(zone, missing, report).await?;
        }
        Ok(())
    }

    /// Marks places that nobody holds; answers how many.
    async fn mark_free(&self, zone: &str, missing: Missing) -> Result<u64, Failure> {
        let Missing { buyer, version, places, marked, .. } = missing;
        if self.check.dry_run {
            return Ok(marked);
        }
        let (show, step) = (&self.show.show_id, self.check.stores.step());
        let places = places_of(zone, &places)?;
        let (count, ending, recorded) = (places.len(), Ending::Confirmed(buyer), &Payments::NONE);
        let sold = Sold { buyer, version, places: &places, count, ending, recorded };
        let token = HoldToken::of_restore(buyer, version - 1);
        let told = loading::known(&step, show, || step.redis.mark_sold(show, token, sold.clone())).await;
        Ok(on_record(told)?.places)
    }

    /// Whether this version of a booking is told to Redis by settling the token that it came of.
    fn is_settled(&self, booking: BookingId, version: u64) -> bool {
        self.of_pinned.contains(&booking) || self.pinned.contains(&HoldToken::of_restore(booking, version - 1))
    }

    fn is_own(&self, token: HoldToken, booking: BookingId, version: u64) -> bool {
        BookingId::of(&self.show.show_id, token) == booking || HoldToken::of_restore(booking, version - 1) == token
    }

    /// Marks places that a token holds. A hold of somebody else's ends as a whole.
    async fn mark_held(&mut self, zone: &str, missing: Missing, report: &mut ShowReport) -> Result<(), Failure> {
        let (show, step) = (&self.show.show_id, self.check.stores.step());
        let Missing { buyer, version, holder: Some(token), places, marked } = missing else { return Ok(()) };
        let sold = places_of(zone, &places)?;
        let (mut all, mut ending, mut ends) = (sold.clone(), Ending::Confirmed(buyer), false);
        if !self.is_own(token, buyer, version) {
            // A hold ends for a sale that is on record now, and not for one that was cancelled since.
            let stands = |booked: Booking| booked.decision == Decision::Confirmed && booked.sold_version == version;
            if !step.record.read_booking(buyer).await?.is_some_and(stands) {
                return Ok(());
            }
            ending = Ending::Lost;
            // The rest of the hold goes back for sale.
            if let Some(hold) = on_record(loading::known(&step, show, || step.redis.find_hold(show, token)).await)? {
                ends = hold.state == HoldState::Active;
                all = sold.and(&hold.places);
            }
        }
        if self.check.dry_run {
            report.repairs.marked += marked;
        } else {
            let (count, recorded) = (sold.len(), &Payments::NONE);
            let sold = Sold { buyer, version, places: &all, count, ending, recorded };
            let told =
                on_record(loading::known(&step, show, || step.redis.mark_sold(show, token, sold.clone())).await)?;
            report.repairs.marked += told.places;
            ends = told.ended && ending == Ending::Lost;
        }
        report.repairs.holds_lost += u64::from(ends && self.lost.insert(token));
        Ok(())
    }
}

/// Places that the record has as sold to one booking, and that one token holds, or nobody.
struct Missing {
    buyer: BookingId,
    version: u64,
    holder: Option<HoldToken>,
    places: Vec<String>,
    /// How many of them Redis does not have as sold.
    marked: u64,
}

fn places_of(zone: &str, ids: &[String]) -> Result<Places, Failure> {
    if zone.is_empty() {
        let seats = ids.iter().map(|id| SeatId::parse(id)).collect::<Result<_, _>>();
        return seats.map(Places::Seats).map_err(Failure::internal);
    }
    Places::from_stored(zone, &ids.join(" ")).map_err(|place| Failure::internal(format!("{place} is no place")))
}
