//! Calls of a reconcile: what it looks through, and what it tidies.

use super::codes::Code;
use super::hold::{place_keys, zone};
use super::reply::Reply;
use super::{Redis, keys, scripts};
use crate::domain::{
    Event, Events, HoldToken, PinnedToken, PlaceState, Places, Replacement, Scanned, Show, ShowId, Survey, Unloaded,
    ZoneId,
};
use crate::{Failure, Touch, Touched};

/// Places of one command: three arguments each, with a lock, and less than a millisecond of Redis.
const PLACES_PER_CALL: usize = 1_000;
/// Lapsed places of one command.
const EXPIRED_PER_CALL: usize = 500;

impl Redis {
    /// Tells what Redis has of a show.
    pub async fn survey_show(&self, show: &ShowId) -> Touched<Survey> {
        let keys = [keys::show(show), keys::seats(show), keys::held(show), keys::confirming(show)];
        let reply = self.call(&scripts::SURVEY, &keys, &[]).await?;
        known(&reply, |reply| {
            Ok(Survey {
                epoch: reply.text(1)?.to_owned(),
                version: reply.count(2)?,
                replacement: match reply.integer(3)? {
                    0 => Replacement::None,
                    1 => Replacement::UnderWay,
                    _ => Replacement::GivenUp,
                },
                seats: reply.count(4)?,
                live: reply.count(5)?,
            })
        })
    }
}

impl Redis {
    /// The tokens that are being confirmed, `count` at most, from rank `first` on.
    pub async fn list_pinned(&self, show: &ShowId, first: usize, count: usize) -> Touched<Vec<PinnedToken>> {
        let (first, count) = (first.to_string(), count.to_string());
        let keys = [keys::show(show), keys::confirming(show)];
        let reply = self.call(&scripts::PINNED, &keys, &[&first, &count]).await?;
        known(&reply, |reply| {
            let mut words = reply.text(1)?.split_ascii_whitespace();
            let mut tokens = Vec::new();
            while let (Some(token), Some(age)) = (words.next(), words.next()) {
                let token = HoldToken::from_stored(token).map_err(|_| reply.unexpected("a token that is none"))?;
                tokens.push(PinnedToken { token, age_ms: age.parse().map_err(|_| reply.unexpected(age))? });
            }
            Ok(tokens)
        })
    }
}

impl Redis {
    /// Who has these places: an index into them, and what is said of that place.
    pub async fn compare_places(&self, show: &ShowId, places: &Places) -> Touched<Vec<(usize, PlaceState)>> {
        let mut states = Vec::new();
        let mut rest = places.clone();
        let mut before = 0;
        while !rest.is_empty() {
            let chunk = rest.first(PLACES_PER_CALL);
            rest = rest.without_first(chunk.len());
            let mut keys = vec![keys::show(show)];
            keys.extend(place_keys(show, &chunk));
            let ids = chunk.ids();
            let mut args = vec![zone(&chunk)];
            args.extend(ids.iter().map(String::as_str));
            let reply = self.call(&scripts::COMPARE, &keys, &args).await?;
            match known(&reply, place_states)? {
                Touch::Known(found) => {
                    states.extend(found.into_iter().map(|(position, state)| (before + position - 1, state)));
                }
                Touch::NotLoaded | Touch::Again | Touch::Closing { .. } => return Ok(Touch::NotLoaded),
            }
            before += chunk.len();
        }
        Ok(Touch::Known(states))
    }
}

/// Positions, from 1, and what is said of them.
fn place_states(reply: &Reply) -> Result<Vec<(usize, PlaceState)>, Failure> {
    let entries = reply.text(1)?.split_ascii_whitespace().map(|entry| {
        let (position, state) = entry.split_once(':')?;
        let state = match state.split_once(':') {
            None if state == "absent" => PlaceState::Absent,
            Some(("sold", booking)) => PlaceState::Sold(booking.to_owned()),
            Some(("held", token)) => PlaceState::Held(token.to_owned()),
            _ => return None,
        };
        Some((position.parse().ok().filter(|position| *position > 0)?, state))
    });
    entries.collect::<Option<_>>().ok_or_else(|| reply.unexpected("a state that is none"))
}

impl Redis {
    /// The seats that Redis has, or the numbers of a zone's units that it has as sold, from a cursor on.
    pub async fn scan_places(&self, show: &ShowId, sold_of: Option<&ZoneId>, cursor: Option<&str>) -> Touched<Scanned> {
        let fields = sold_of.map_or_else(|| keys::seats(show), |zone| keys::stock_sold(show, zone));
        let count = PLACES_PER_CALL.to_string();
        let args = [cursor.unwrap_or("0"), count.as_str()];
        let reply = self.call(&scripts::SCAN, &[keys::show(show), fields], &args).await?;
        known(&reply, |reply| {
            let fields = reply.text(2)?.split_ascii_whitespace().map(ToOwned::to_owned).collect();
            let cursor = Some(reply.text(1)?.to_owned()).filter(|cursor| cursor != "0");
            Ok(Scanned { fields, cursor })
        })
    }
}

impl Redis {
    /// Tidies lapsed places away, of a zone or of the seats, and answers how many. A dry run only counts.
    pub async fn expire_holds(&self, show: &ShowId, zone: Option<&ZoneId>, dry_run: bool) -> Touched<u64> {
        let mut keys = vec![keys::show(show), keys::held(show), keys::events(show)];
        match zone {
            Some(zone) => keys.extend(keys::units(show, zone)),
            None => keys.push(keys::seats(show)),
        }
        let limit = EXPIRED_PER_CALL.to_string();
        let (mut expired, mut from) = (0, 0);
        loop {
            let first = from.to_string();
            let args = [zone.map_or("", ZoneId::as_str), &first, &limit, flag(dry_run)];
            let reply = self.call(&scripts::EXPIRE, &keys, &args).await?;
            let Touch::Known((found, met)) = known(&reply, |reply| Ok((reply.count(1)?, reply.count(2)?)))? else {
                return Ok(Touch::NotLoaded);
            };
            expired += found;
            if met < EXPIRED_PER_CALL as u64 {
                return Ok(Touch::Known(expired));
            }
            // What a dry run has met is still there.
            from += if dry_run { EXPIRED_PER_CALL } else { 0 };
        }
    }
}

impl Redis {
    /// Puts the units from `first` to `last` of a zone right, and answers how many were wrong. A dry run only counts.
    pub async fn recount_units(
        &self,
        show: &ShowId,
        zone: &ZoneId,
        first: u32,
        last: u32,
        dry_run: bool,
    ) -> Touched<u64> {
        let mut keys = vec![keys::show(show), keys::held(show), keys::events(show)];
        keys.extend(keys::units(show, zone));
        let (first, last) = (first.to_string(), last.to_string());
        let reply = self.call(&scripts::RECOUNT, &keys, &[zone.as_str(), &first, &last, flag(dry_run)]).await?;
        match reply.code()? {
            // A replacement took the zone away.
            Code::UnknownZone => Ok(Touch::Known(0)),
            _ => known(&reply, |reply| reply.count(1)),
        }
    }
}

impl Redis {
    /// The events after the one with the id `after`, `count` at most.
    pub async fn read_events(&self, show: &ShowId, after: &str, count: usize) -> Touched<Events> {
        let count = count.to_string();
        let reply = self.call(&scripts::READ_EVENTS, &[keys::show(show), keys::events(show)], &[after, &count]).await?;
        known(&reply, |reply| {
            let entries: Vec<(String, Vec<String>)> =
                serde_json::from_str(reply.text(4)?).map_err(|_| reply.unexpected("events that are none"))?;
            Ok(Events {
                epoch: reply.text(1)?.to_owned(),
                added: reply.count(2)?,
                length: reply.count(3)?,
                events: entries.into_iter().map(event).collect(),
            })
        })
    }
}

fn event((id, fields): (String, Vec<String>)) -> Event {
    let mut fields = fields.into_iter();
    let mut pairs = std::iter::from_fn(|| Some((fields.next()?, fields.next()?)));
    let (what, places) = pairs.next().unwrap_or_default();
    Event { id, what, places, details: pairs.collect() }
}

impl Redis {
    /// Takes a show out, if nobody holds anything of it and `last` is its last event.
    pub async fn unload_show(&self, show: &Show, epoch: &str, last: &str) -> Touched<Unloaded> {
        let id = &show.show_id;
        let mut keys = vec![keys::show(id), keys::seats(id), keys::held(id), keys::confirming(id), keys::events(id)];
        keys.extend(show.zones.iter().flat_map(|zone| keys::units(id, &zone.id)));
        let reply = self.call(&scripts::UNLOAD, &keys, &[epoch, last]).await?;
        match reply.code()? {
            Code::Stale | Code::InUse => Ok(Touch::Known(Unloaded::InUse)),
            _ => known(&reply, |_| Ok(Unloaded::Done)),
        }
    }
}

fn flag(flag: bool) -> &'static str {
    if flag { "1" } else { "0" }
}

/// What `read` finds in the answer of a script that either knows the show or does not.
fn known<T>(reply: &Reply, read: impl FnOnce(&Reply) -> Result<T, Failure>) -> Touched<T> {
    match reply.code()? {
        Code::Ok => read(reply).map(Touch::Known),
        Code::NotLoaded => Ok(Touch::NotLoaded),
        code => Err(reply.unexpected(code.name())),
    }
}
