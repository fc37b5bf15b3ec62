//! What a process builds once and lends to every request: the ways to both stores, and what it was told of callers.

use std::time::Duration;

use crate::adapters::dynamo::Dynamo;
use crate::adapters::redis::Redis;
use crate::config::{CallerConfig, Config, LogLevel};
use crate::ports::Timed;
use crate::{Deadline, Failure};

/// Built once a process. Nothing connects before the first request needs it.
#[derive(Clone)]
pub struct App {
    redis: Redis,
    dynamo: Dynamo,
    /// Who callers are.
    pub caller: CallerConfig,
    /// What is logged.
    pub log_level: LogLevel,
    /// How long a request may take.
    pub request_budget: Duration,
}

impl App {
    /// Prepares the stores of a configuration.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self {
            dynamo: Dynamo::new(&config.dynamo),
            redis: Redis::new(config.redis),
            caller: config.caller,
            log_level: config.log_level,
            request_budget: config.request_budget,
        }
    }

    /// Prepares the stores that the process environment names.
    ///
    /// # Errors
    /// All that is wrong with the environment.
    pub fn from_env() -> Result<Self, crate::config::ConfigError> {
        Config::from_env().map(App::new)
    }

    /// The stores, for one request that has to be answered by `deadline`.
    #[must_use]
    pub fn stores(&self, deadline: Deadline) -> Stores {
        Stores { redis: self.redis.by(deadline), dynamo: self.dynamo.by(deadline) }
    }
}

/// Both stores, for one request. It fulfils every port: those of Redis and of DynamoDB.
#[derive(Clone)]
pub struct Stores {
    redis: Redis,
    dynamo: Dynamo,
}

impl Timed for Stores {
    fn deadline(&self) -> Deadline {
        self.redis.deadline()
    }
}

/// Lends each port to [`Stores`] from the store that fulfils it.
macro_rules! lend {
    ($($store:ident $port:ident { $($method:ident($($arg:ident: $type:ty),*) -> $answer:ty;)* })*) => {
        $(impl crate::ports::$port for Stores {
            $(async fn $method(&self, $($arg: $type),*) -> $answer {
                self.$store.$method($($arg),*).await
            })*
        })*
    };
}

mod lent {
    use super::{Failure, Stores};
    use crate::domain::show::Zone;
    use crate::domain::{Booking, BookingId, Buyer, HoldToken, Payment, Places, SeatId, Show, ShowId, ZoneId};
    use crate::ports::*;

    lend! {
        redis HoldSeats {
            hold_seats(show: &ShowId, token: HoldToken, seats: &[SeatId], ttl_ms: Option<u64>, buyer: &Buyer)
                -> Touched<Decision<Held>>;
        }
        redis TakeUnits {
            take_units(show: &ShowId, token: HoldToken, zone: &ZoneId, quantity: u64, ttl_ms: Option<u64>, buyer: &Buyer)
                -> Touched<Decision<UnitsHeld>>;
        }
        redis CountZone { count_zone(show: &ShowId, zone: &ZoneId) -> Touched<Option<ZoneCount>>; }
        redis FindHold { find_hold(show: &ShowId, token: HoldToken) -> Touched<Option<HoldRecord>>; }
        redis ExtendHold {
            extend_hold(show: &ShowId, token: HoldToken, places: &Places, ttl_ms: u64) -> Touched<Decision<Lease>>;
        }
        redis ReleaseHold {
            release_hold(show: &ShowId, token: HoldToken, places: &Places) -> Touched<Decision<()>>;
        }
        redis PinHold {
            pin_hold(show: &ShowId, token: HoldToken, places: &Places, claim: &Claim) -> Touched<Pin>;
        }
        redis MarkSold { mark_sold(show: &ShowId, token: HoldToken, sold: Sold<'_>) -> Touched<()>; }
        redis FreePlaces {
            free_places(show: &ShowId, token: HoldToken, version: u64, places: &Places) -> Touched<()>;
        }
        redis LoadShow {
            begin_load(show: &ShowId, version: u64) -> Result<Turn<LoadLease>, Failure>;
            put_chunk(show: &ShowId, lease: &LoadLease, step: u64, chunk: &Chunk) -> Result<Turn<()>, Failure>;
            finish_load(show: &Show, lease: &LoadLease) -> Result<Turn<()>, Failure>;
        }
        redis ReplaceShow {
            close_seats(show: &ShowId, closing: &Closing, seats: &[String]) -> Touched<Close>;
            close_zone(show: &ShowId, closing: &Closing, zone: &Zone) -> Touched<Close>;
            apply_show(show: &Show, seats: &[String], closing: Option<&Closing>) -> Touched<()>;
        }
        dynamo ReadShow { read_show(show: &ShowId) -> Result<Option<Show>, Failure>; }
        dynamo WriteShow { write_show(show: &Show) -> Result<bool, Failure>; }
        dynamo ListSold { list_sold(show: &ShowId, shard: u8) -> Result<Vec<SoldPlace>, Failure>; }
        dynamo ReadBooking { read_booking(id: BookingId) -> Result<Option<Booking>, Failure>; }
        dynamo DecideBooking { decide_booking(booking: &Booking) -> Result<Verdict, Failure>; }
        dynamo RecordRefund { record_refund(booking: &Booking, payment: &Payment) -> Result<(), Failure>; }
    }
}
