//! Calls that replace a show that is loaded: close what goes, then apply the new version.

use super::codes::Code;
use super::load::{policy_args, zone_args};
use super::reply::Reply;
use super::{Redis, keys, scripts};
use crate::domain::show::Zone;
use crate::domain::{Close, Closing, Show, ShowId};
use crate::{Touch, Touched};

/// How long a replacement may stay unfinished before whoever meets it applies the record anew.
const CLOSING_MS: &str = "10000";
/// Seats of one command: no command that a client sends has more than 3,999 arguments.
const SEATS_PER_CALL: usize = 3_000;

impl Redis {
    /// Takes seats out, all or none.
    pub async fn close_seats(&self, show: &ShowId, closing: &Closing, seats: &[String]) -> Touched<Close> {
        let version = closing.version.to_string();
        for chunk in seats.chunks(SEATS_PER_CALL) {
            let mut args = vec![version.as_str(), &closing.mark, CLOSING_MS];
            args.extend(chunk.iter().map(String::as_str));
            let keys = [keys::show(show), keys::seats(show), keys::held(show)];
            let reply = self.call(&scripts::CLOSE_SEATS, &keys, &args).await?;
            match closed(&reply)? {
                Touch::Known(Close::Closed) => {}
                Touch::Known(Close::InUse(_)) => {
                    let in_use = reply.numbers(1)?.into_iter().filter_map(|position| {
                        usize::try_from(position - 1).ok().and_then(|index| chunk.get(index)).cloned()
                    });
                    return Ok(Touch::Known(Close::InUse(in_use.collect())));
                }
                other => return Ok(other),
            }
        }
        Ok(Touch::Known(Close::Closed))
    }

    /// Lowers a zone to the capacity given.
    pub async fn close_zone(&self, show: &ShowId, closing: &Closing, zone: &Zone) -> Touched<Close> {
        let mut keys = vec![keys::show(show)];
        keys.extend(keys::units(show, &zone.id));
        let (version, capacity) = (closing.version.to_string(), zone.capacity.to_string());
        let args = [version.as_str(), &closing.mark, CLOSING_MS, zone.id.as_str(), &capacity];
        closed(&self.call(&scripts::CLOSE_ZONE, &keys, &args).await?)
    }

    /// Adds seats to Redis, gives it the policy and the zones of a version, and ends `closing`. Does nothing when a newer
    /// version is there.
    pub async fn apply_show(&self, show: &Show, seats: &[String], closing: Option<&Closing>) -> Touched<()> {
        let id = &show.show_id;
        let (version, mark) = (show.version.to_string(), closing.map_or("", |closing| closing.mark.as_str()));
        for chunk in seats.chunks(SEATS_PER_CALL) {
            let mut args = vec![version.as_str(), mark];
            args.extend(chunk.iter().map(String::as_str));
            match applied(&self.call(&scripts::APPLY_SEATS, &[keys::show(id), keys::seats(id)], &args).await?)? {
                Touch::Known(()) => {}
                other => return Ok(other),
            }
        }
        let mut keys = vec![keys::show(id)];
        for zone in &show.zones {
            keys.extend([keys::stock(id, &zone.id), keys::stock_held(id, &zone.id), keys::stock_sold(id, &zone.id)]);
        }
        let (zones, policy) = (zone_args(show), policy_args(show));
        let mut args = vec![version.as_str(), mark];
        args.extend(zones.iter().chain(&policy).map(String::as_str));
        applied(&self.call(&scripts::APPLY_SHOW, &keys, &args).await?)
    }
}

/// A newer version is as good as this one: whoever wrote it applies it.
fn applied(reply: &Reply) -> Touched<()> {
    match reply.code()? {
        Code::Ok | Code::Stale => Ok(Touch::Known(())),
        Code::NotLoaded => Ok(Touch::NotLoaded),
        Code::Closing => Ok(Touch::Closing { left_ms: reply.exactly::<1>(1)?[0] }),
        code => Err(reply.unexpected(code.name())),
    }
}

fn closed(reply: &Reply) -> Touched<Close> {
    match reply.code()? {
        Code::Ok => Ok(Touch::Known(Close::Closed)),
        Code::NotLoaded => Ok(Touch::NotLoaded),
        Code::InProgress => Ok(Touch::Known(Close::Busy)),
        Code::InUse => {
            let units = reply.text(1)?.split_ascii_whitespace().map(ToOwned::to_owned);
            Ok(Touch::Known(Close::InUse(units.collect())))
        }
        code => Err(reply.unexpected(code.name())),
    }
}
