//! Calls that load a show, and the fields that a show has in Redis.

use jiff::Timestamp;

use super::codes::Code;
use super::hold::FOR_EVER_MS;
use super::{Redis, keys, scripts};
use crate::Failure;
use crate::domain::show::LateConfirm;
use crate::domain::{Chunk, LoadLease, Show, ShowId, Turn};

/// How long a loader has the turn after each chunk: as long as one chunk may take, answer lost and repeated.
const TURN_MS: u64 = 1_500;
/// How long a lease that nobody continues is kept.
const LEASE_MS: u64 = 60_000;
/// How long staging keys are kept: longer than any load.
const STAGING_MS: u64 = 3_600_000;

impl Redis {
    /// Asks for the lease.
    pub async fn begin_load(&self, show: &ShowId, version: u64) -> Result<Turn<LoadLease>, Failure> {
        let owner = uuid::Uuid::new_v4().to_string();
        let (version, turn_ms, lease_ms) = (version.to_string(), TURN_MS.to_string(), LEASE_MS.to_string());
        // A new lease is named after its first owner.
        let args = [owner.as_str(), &owner, &version, &turn_ms, &lease_ms];
        let reply = self.call(&scripts::LOAD_BEGIN, &[keys::show(show), keys::load(show)], &args).await?;
        match reply.code()? {
            Code::Ok => {
                let (name, step) = (reply.text(1)?.to_owned(), reply.count(2)?);
                Ok(Turn::Mine(LoadLease { owner, name, step }))
            }
            Code::Loaded => Ok(Turn::Loaded),
            Code::Loading => Ok(Turn::Theirs),
            code => Err(reply.unexpected(code.name())),
        }
    }

    /// Puts a chunk, after which `step` steps are done.
    pub async fn put_chunk(
        &self,
        show: &ShowId,
        lease: &LoadLease,
        step: u64,
        chunk: &Chunk,
    ) -> Result<Turn<()>, Failure> {
        let staging = match chunk {
            Chunk::Seats(_) | Chunk::SoldSeats(_) => keys::load_seats(show, &lease.name),
            Chunk::SoldUnits(zone, _) => keys::load_sold(show, &lease.name, zone),
        };
        let (step, turn_ms) = (step.to_string(), TURN_MS.to_string());
        let (lease_ms, staging_ms) = (LEASE_MS.to_string(), STAGING_MS.to_string());
        let mut args = vec![lease.owner.as_str(), &step, &turn_ms, &lease_ms, &staging_ms];
        match chunk {
            Chunk::Seats(seats) => args.extend(seats.iter().flat_map(|seat| [seat.as_str(), ""])),
            Chunk::SoldSeats(sold) | Chunk::SoldUnits(_, sold) => {
                args.extend(sold.iter().flat_map(|(place, booking)| [place.as_str(), booking.as_str()]));
            }
        }
        let reply = self.call(&scripts::LOAD_CHUNK, &[keys::load(show), staging], &args).await?;
        match reply.code()? {
            Code::Ok => Ok(Turn::Mine(())),
            Code::LeaseLost => Ok(Turn::Theirs),
            code => Err(reply.unexpected(code.name())),
        }
    }

    /// Moves everything into place.
    pub async fn finish_load(&self, show: &Show, lease: &LoadLease) -> Result<Turn<()>, Failure> {
        let id = &show.show_id;
        let mut keys = vec![keys::show(id), keys::load(id), keys::load_seats(id, &lease.name), keys::seats(id)];
        keys.push(keys::events(id));
        for zone in &show.zones {
            keys.push(keys::load_sold(id, &lease.name, &zone.id));
            keys.push(keys::stock_sold(id, &zone.id));
            keys.push(keys::stock(id, &zone.id));
            keys.push(keys::stock_next(id, &zone.id));
            keys.push(keys::stock_returned(id, &zone.id));
            keys.push(keys::stock_held(id, &zone.id));
            keys.push(keys::stock_holders(id, &zone.id));
        }
        let epoch = uuid::Uuid::new_v4().to_string();
        let has_seats = if show.sections.is_empty() { "0" } else { "1" };
        let mut args = vec![lease.owner.clone(), epoch, has_seats.to_owned()];
        args.extend(zone_args(show));
        args.extend(policy_args(show));
        let args: Vec<&str> = args.iter().map(String::as_str).collect();

        let reply = self.call(&scripts::LOAD_FINISH, &keys, &args).await?;
        match reply.code()? {
            Code::Ok => Ok(Turn::Mine(())),
            Code::Loaded => Ok(Turn::Loaded),
            Code::LeaseLost => Ok(Turn::Theirs),
            code => Err(reply.unexpected(code.name())),
        }
    }
}

/// The number of zones, and each with its capacity.
pub(super) fn zone_args(show: &Show) -> Vec<String> {
    let mut args = vec![show.zones.len().to_string()];
    args.extend(show.zones.iter().flat_map(|zone| [zone.id.to_string(), zone.capacity.to_string()]));
    args
}

/// The policy, as fields of the show's hash.
pub(super) fn policy_args(show: &Show) -> Vec<String> {
    let instant = |instant: Option<Timestamp>, none: i64| instant.map_or(none, Timestamp::as_millisecond).to_string();
    let max_ttl_ms = show.hold.max_ttl_ms();
    let late = match show.late_confirm {
        LateConfirm::Rescue => "rescue",
        LateConfirm::Refuse => "refuse",
    };
    let fields = [
        ("maxTtl", max_ttl_ms.to_string()),
        ("ttl", (show.hold.default_ttl_seconds * 1000).min(max_ttl_ms).to_string()),
        ("opens", instant(show.sale.opens_at, 0)),
        ("closes", instant(show.sale.closes_at, FOR_EVER_MS)),
        ("perHold", show.limits.max_places_per_hold.to_string()),
        ("maxLife", (show.hold.max_lifetime_seconds * 1000).to_string()),
        ("late", late.to_owned()),
        ("version", show.version.to_string()),
        ("format", scripts::FORMAT.to_owned()),
    ];
    fields.into_iter().flat_map(|(field, value)| [field.to_owned(), value]).collect()
}
