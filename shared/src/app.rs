//! What a process builds once and lends to every request: the ways to both stores, and what it was told of callers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::adapters::dynamo::Dynamo;
use crate::adapters::redis::Redis;
use crate::config::{CallerConfig, Config, LogLevel};
use crate::domain::TokenSecrets;
use crate::ports::{Stepwise, Timed};
use crate::telemetry::{Invocation, Meters};
use crate::{Deadline, Failure};

/// Built once a process. Nothing connects before the first request needs it.
#[derive(Clone)]
pub struct App {
    redis: Redis,
    dynamo: Dynamo,
    /// Who callers are.
    pub caller: CallerConfig,
    /// What hold tokens are made and verified with; `None`: the function needs no tokens.
    pub token_secrets: Option<TokenSecrets>,
    /// What is logged.
    pub log_level: LogLevel,
    /// Whether metrics are written.
    pub metrics: bool,
    /// How long a request may take.
    pub request_budget: Duration,
    /// Whether the next request is the first of this process.
    cold: Arc<AtomicBool>,
}

impl App {
    /// Prepares the stores of a configuration.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self {
            dynamo: Dynamo::new(&config.dynamo),
            redis: Redis::new(config.redis),
            caller: config.caller,
            token_secrets: config.token_secrets,
            log_level: config.log_level,
            metrics: config.metrics,
            request_budget: config.request_budget,
            cold: Arc::new(AtomicBool::new(true)),
        }
    }

    /// Prepares the stores that the process environment names.
    ///
    /// # Errors
    /// All that is wrong with the environment.
    pub fn from_env() -> Result<Self, crate::config::ConfigError> {
        Config::from_env().map(App::new)
    }

    /// Makes the client of DynamoDB now, and not in the first request that needs it.
    pub(crate) fn prepare_record(&self) {
        self.dynamo.prepare();
    }

    /// Whether this is asked for the first time: by the request that a process was started for.
    pub(crate) fn is_cold(&self) -> bool {
        self.cold.swap(false, Ordering::Relaxed)
    }

    /// The stores, for one request that has to be answered by `deadline`.
    #[must_use]
    pub fn stores(&self, deadline: Deadline) -> Stores {
        let meters = Meters::default();
        Stores {
            redis: self.redis.by(deadline).metered(&meters.redis),
            dynamo: self.dynamo.by(deadline).metered(&meters.dynamo),
            log_level: self.log_level,
            budget: self.request_budget,
            meters,
        }
    }
}

/// Both stores, for one request. It fulfils every port: those of Redis and of DynamoDB.
#[derive(Clone)]
pub struct Stores {
    redis: Redis,
    dynamo: Dynamo,
    log_level: LogLevel,
    budget: Duration,
    meters: Meters,
}

impl Stores {
    /// The same, which tell of each script that they run for this invocation, if the log is to have that.
    #[must_use]
    pub fn telling(self, invocation: &Invocation) -> Self {
        let told = (self.log_level >= LogLevel::Debug).then(|| Arc::new(invocation.clone()));
        Self { redis: self.redis.telling(told), ..self }
    }

    /// How long was waited for each of them.
    #[must_use]
    pub fn meters(&self) -> &Meters {
        &self.meters
    }
}

impl Timed for Stores {
    fn deadline(&self) -> Deadline {
        self.redis.deadline()
    }
}

impl Stepwise for Stores {
    fn step(&self) -> Self {
        let deadline = self.deadline().or_after(self.budget);
        Self { redis: self.redis.by(deadline), dynamo: self.dynamo.by(deadline), ..self.clone() }
    }

    fn budget(&self) -> Duration {
        self.budget
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
    use crate::domain::{
        Booking, BookingId, Buyer, CacheNode, HoldToken, OrderId, Payment, Places, RefundId, RefundRecord, Request,
        SeatId, Show, ShowId, ZoneId,
    };
    use crate::ports::*;

    lend! {
        redis HoldSeats {
            hold_seats(show: &ShowId, request: &Request, seats: &[SeatId], ttl_ms: Option<u64>, buyer: &Buyer)
                -> Touched<Decision<Held>>;
        }
        redis TakeUnits {
            take_units(show: &ShowId, request: &Request, zone: &ZoneId, quantity: u64, ttl_ms: Option<u64>, buyer: &Buyer)
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
            pin_hold(
                show: &ShowId, token: HoldToken, places: &Places, claim: &Claim, restores: Option<BookingId>
            ) -> Touched<Pin>;
        }
        redis MarkSold { mark_sold(show: &ShowId, token: HoldToken, sold: Sold<'_>) -> Touched<Marked>; }
        redis FreePlaces { free_places(show: &ShowId, token: HoldToken, freed: Freed<'_>) -> Touched<u64>; }
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
        redis SurveyShow { survey_show(show: &ShowId) -> Touched<Survey>; }
        redis ListPinned {
            list_pinned(show: &ShowId, first: usize, count: usize) -> Touched<Vec<PinnedToken>>;
        }
        redis ComparePlaces {
            compare_places(show: &ShowId, places: &Places) -> Touched<Vec<(usize, PlaceState)>>;
        }
        redis ForgetShow {
            find_keys(show: &ShowId, cursor: Option<&str>) -> Result<FoundKeys, Failure>;
            drop_keys(show: &ShowId, keys: &[String]) -> Result<(), Failure>;
        }
        redis InspectCache { inspect_cache() -> Result<Vec<CacheNode>, Failure>; }
        redis ScanPlaces {
            scan_places(show: &ShowId, sold_of: Option<&ZoneId>, cursor: Option<&str>) -> Touched<Scanned>;
        }
        redis ExpireHolds { expire_holds(show: &ShowId, zone: Option<&ZoneId>, dry_run: bool) -> Touched<u64>; }
        redis RecountUnits {
            recount_units(show: &ShowId, zone: &ZoneId, first: u32, last: u32, dry_run: bool) -> Touched<u64>;
        }
        redis ReadEvents { read_events(show: &ShowId, after: &str, count: usize) -> Touched<Events>; }
        redis UnloadShow { unload_show(show: &Show, epoch: &str, last: &str) -> Touched<Unloaded>; }
        dynamo ReadShow { read_show(show: &ShowId) -> Result<Option<Show>, Failure>; }
        dynamo ListShows {
            list_shows(shard: u8, after: Option<&str>, limit: usize) -> Result<Vec<ShowEntry>, Failure>;
        }
        dynamo WriteShow { write_show(show: &Show) -> Result<bool, Failure>; }
        dynamo ListSold { list_sold(show: &ShowId, shard: u8) -> Result<Vec<SoldPlace>, Failure>; }
        dynamo KeepDrained {
            read_drained(show: &ShowId) -> Result<Option<Drained>, Failure>;
            write_drained(show: &ShowId, drained: &Drained) -> Result<(), Failure>;
        }
        dynamo WriteAudit { write_audit(show: &ShowId, epoch: &str, events: &[Event]) -> Result<(), Failure>; }
        dynamo MarkClean { mark_clean(show: &ShowId, version: u64) -> Result<(), Failure>; }
        dynamo KeepLease {
            take_lease(owner: &str, lease_ms: u64, force: bool) -> Result<Option<String>, Failure>;
            end_lease(owner: &str, stopped_at: &str) -> Result<(), Failure>;
        }
        dynamo ListBookings {
            list_bookings(show: &ShowId, shard: u8, after: Option<&str>, limit: usize)
                -> Result<Vec<BookingEntry>, Failure>;
        }
        dynamo FindByReference {
            find_by_reference(show: &ShowId, reference: &str, after: Option<&str>, limit: usize)
                -> Result<Vec<BookingEntry>, Failure>;
        }
        dynamo FindByOrder {
            find_by_order(show: &ShowId, order: &OrderId, after: Option<&str>, limit: usize)
                -> Result<Vec<BookingEntry>, Failure>;
        }
        dynamo ReadBookings { read_bookings(ids: &[BookingId]) -> Result<Vec<Booking>, Failure>; }
        dynamo ReadBooking { read_booking(id: BookingId) -> Result<Option<Booking>, Failure>; }
        dynamo DecideBooking { decide_booking(booking: &Booking) -> Result<Verdict, Failure>; }
        dynamo ReadRefund {
            read_refund(id: RefundId) -> Result<Option<RefundRecord>, Failure>;
        }
        dynamo ReadRefunds {
            read_refunds(ids: &[RefundId]) -> Result<Vec<RefundRecord>, Failure>;
        }
        dynamo ListRefunds {
            list_refunds(shard: u8, after: Option<&str>, limit: usize) -> Result<Vec<RefundEntry>, Failure>;
        }
        dynamo SettleRefund { settle_refund(id: RefundId) -> Result<(), Failure>; }
        dynamo AdoptPayment { adopt_payment(booking: &Booking, payment: &Payment) -> Result<Adoption, Failure>; }
        dynamo StandingBookings {
            standing_bookings(reference: &str, except: Option<BookingId>) -> Result<Vec<BookingId>, Failure>;
        }
        dynamo RecordRefund { record_refund(booking: &Booking, payment: &Payment) -> Result<bool, Failure>; }
    }
}
