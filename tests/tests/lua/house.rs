//! A show in a Redis, and what buyers do with it, by the ports of the scripts.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::time::{Duration, Instant};

use holdfast::adapters::redis::scripts::Script;
use holdfast::adapters::redis::{Redis, keys};
use holdfast::domain::{BookingId, Buyer, HoldToken, Places, Show, ShowId, ZoneId};
use holdfast::ports::{
    Claim, Close, Closing, CountZone, Decision, ExtendHold, FindHold, FreePlaces, Held, HoldRecord, HoldSeats,
    HoldState, Lease, MarkSold, Pin, PinHold, ReleaseHold, ReplaceShow, Sold, TakeUnits, Touch, Touched, UnitsHeld,
    ZoneCount,
};
use holdfast_tests::loaded::{self, small_show};
use holdfast_tests::{raw, servers};
use redis::aio::MultiplexedConnection;
use redis::{AsyncCommands, Value};

/// How long a test waits for a state.
const WITHIN: Duration = Duration::from_secs(10);
/// Between two looks at it.
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// A show with seats `E1` to `E6` and a zone `GA` of 5, unless it says otherwise.
pub struct House {
    pub redis: Redis,
    pub show: Show,
    pub raw: MultiplexedConnection,
}

/// The zone of every house.
pub fn ga() -> ZoneId {
    ZoneId::parse("GA").unwrap()
}

/// Seats as places.
pub fn seats(ids: &[&str]) -> Places {
    Places::Seats(loaded::seats(ids))
}

/// Units of `GA` as places.
pub fn units(numbers: &[u32]) -> Places {
    Places::Units { zone: ga(), numbers: numbers.to_vec() }
}

/// A list of names.
pub fn names(ids: &[&str]) -> Vec<String> {
    ids.iter().map(|id| (*id).to_owned()).collect()
}

/// The show with these fields replaced.
pub fn changed(show: &Show, changes: &serde_json::Value) -> Show {
    let mut json = serde_json::to_value(show).unwrap();
    for (name, value) in changes.as_object().unwrap() {
        json[name] = value.clone();
    }
    serde_json::from_value(json).unwrap()
}

/// The answer of a Redis that knows the show.
#[track_caller]
pub fn known<T: Debug>(touched: Touched<T>) -> T {
    match touched.unwrap() {
        Touch::Known(answer) => answer,
        other => panic!("{other:?}"),
    }
}

/// Looks again and again until there is something to see.
pub async fn until<T>(what: &str, look: impl AsyncFn() -> Option<T>) -> T {
    let deadline = Instant::now() + WITHIN;
    loop {
        if let Some(seen) = look().await {
            return seen;
        }
        assert!(Instant::now() < deadline, "{what}: not within {WITHIN:?}");
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

impl House {
    /// A loaded house on the shared Redis.
    pub async fn open() -> House {
        House::of(small_show(6, 5)).await
    }

    /// The same with these fields of the show replaced.
    pub async fn with(changes: serde_json::Value) -> House {
        House::of(changed(&small_show(6, 5), &changes)).await
    }

    /// A house of this show.
    pub async fn of(show: Show) -> House {
        let house = House::unloaded(show).await;
        house.load().await;
        house
    }

    /// A house that Redis does not know.
    pub async fn unloaded(show: Show) -> House {
        House::at(&servers::redis().url(), show).await
    }

    /// One that this Redis does not know.
    pub async fn at(url: &str, show: Show) -> House {
        House { redis: loaded::redis_port(url), raw: raw::redis(url).await, show }
    }

    pub async fn load(&self) {
        loaded::load(&self.redis, &self.show).await;
    }

    pub fn id(&self) -> &ShowId {
        &self.show.show_id
    }

    pub fn raw(&self) -> MultiplexedConnection {
        self.raw.clone()
    }
}

/// What buyers do.
impl House {
    pub async fn hold(&self, token: HoldToken, ids: &[&str]) -> Decision<Held> {
        known(self.redis.hold_seats(self.id(), token, &loaded::seats(ids), None, &Buyer::default()).await)
    }

    pub async fn hold_for(&self, token: HoldToken, ids: &[&str], ttl_ms: u64) -> Decision<Held> {
        known(self.redis.hold_seats(self.id(), token, &loaded::seats(ids), Some(ttl_ms), &Buyer::default()).await)
    }

    /// A buyer who has these seats.
    pub async fn holder(&self, ids: &[&str]) -> HoldToken {
        let token = HoldToken::random();
        self.hold(token, ids).await.unwrap();
        token
    }

    /// A buyer who had these seats.
    pub async fn late_holder(&self, ids: &[&str]) -> HoldToken {
        let token = HoldToken::random();
        self.hold_for(token, ids, 20).await.unwrap();
        self.lapse(token).await;
        token
    }

    pub async fn take(&self, token: HoldToken, quantity: u64) -> Decision<UnitsHeld> {
        known(self.redis.take_units(self.id(), token, &ga(), quantity, None, &Buyer::default()).await)
    }

    /// A buyer who has so many units.
    pub async fn taker(&self, quantity: u64) -> (HoldToken, Places) {
        let token = HoldToken::random();
        let taken = self.take(token, quantity).await.unwrap();
        (token, taken.units)
    }

    /// A buyer who had so many units.
    pub async fn late_taker(&self, quantity: u64) -> (HoldToken, Places) {
        let token = HoldToken::random();
        let taken = self.redis.take_units(self.id(), token, &ga(), quantity, Some(20), &Buyer::default()).await;
        let taken = known(taken).unwrap();
        self.lapse(token).await;
        (token, taken.units)
    }

    /// Waits until the hold has lapsed, by Redis' clock, and its locks are gone.
    pub async fn lapse(&self, token: HoldToken) {
        let record = until("the hold lapses", async || {
            self.status(token).await.filter(|record| record.state == HoldState::Expired)
        });
        let Places::Seats(places) = record.await.places else { return };
        let locks: Vec<String> = places.iter().map(|seat| keys::seat_hold(self.id(), seat)).collect();
        until("the locks go", async || {
            let mine: Vec<Option<String>> = self.raw().mget(&locks).await.unwrap();
            (!mine.contains(&Some(token.to_string()))).then_some(())
        })
        .await;
    }

    pub async fn status(&self, token: HoldToken) -> Option<HoldRecord> {
        known(self.redis.find_hold(self.id(), token).await)
    }

    pub async fn state(&self, token: HoldToken) -> HoldState {
        self.status(token).await.unwrap().state
    }

    pub async fn extend(&self, token: HoldToken, places: &Places, ttl_ms: u64) -> Decision<Lease> {
        known(self.redis.extend_hold(self.id(), token, places, ttl_ms).await)
    }

    pub async fn release(&self, token: HoldToken, places: &Places) -> Decision<()> {
        known(self.redis.release_hold(self.id(), token, places).await)
    }

    pub async fn pin(&self, token: HoldToken, places: &Places, claim: &Claim) -> Pin {
        known(self.redis.pin_hold(self.id(), token, places, claim).await)
    }

    /// Pins, which has to succeed, and answers when the first pin was.
    pub async fn pinned(&self, token: HoldToken, places: &Places) -> i64 {
        match self.pin(token, places, &Claim::default()).await {
            Pin::Pinned { confirmed_at_ms, .. } => confirmed_at_ms,
            other => panic!("{other:?}"),
        }
    }

    /// The first version of the token's own booking is told to Redis.
    pub async fn sell(&self, token: HoldToken, places: &Places) -> BookingId {
        let buyer = BookingId::of(self.id(), token);
        self.mark(token, Sold { buyer, version: 1, places, count: places.len() }).await;
        buyer
    }

    pub async fn mark(&self, token: HoldToken, sold: Sold<'_>) {
        known(self.redis.mark_sold(self.id(), token, sold).await);
    }

    pub async fn free(&self, token: HoldToken, version: u64, places: &Places) {
        known(self.redis.free_places(self.id(), token, version, places).await);
    }

    pub async fn count(&self) -> ZoneCount {
        known(self.redis.count_zone(self.id(), &ga()).await).unwrap()
    }

    pub async fn close(&self, closing: &Closing, ids: &[&str]) -> Close {
        known(self.redis.close_seats(self.id(), closing, &names(ids)).await)
    }

    /// The next version of the show, with these fields replaced, is told to Redis. Ends `closing`.
    pub async fn apply(&mut self, changes: serde_json::Value, closing: Option<&Closing>) {
        self.show = changed(&self.show, &changes);
        self.show.version += 1;
        known(self.redis.apply_show(&self.show, &[], closing).await);
    }
}

/// What lies in Redis.
impl House {
    /// What a script answers, field by field: for what the ports do not tell apart.
    pub async fn run(&self, script: &Script, keys: &[String], args: &[&str]) -> Vec<Value> {
        let mut call = redis::cmd("EVAL");
        call.arg(&script.source).arg(keys.len()).arg(keys).arg(args);
        call.query_async(&mut self.raw()).await.unwrap()
    }

    /// Redis' clock.
    pub async fn now_ms(&self) -> i64 {
        let (seconds, micros): (i64, i64) = redis::cmd("TIME").query_async(&mut self.raw()).await.unwrap();
        seconds * 1000 + micros / 1000
    }

    /// Every key of the show, with what it holds and when it ends.
    pub async fn dump(&self) -> BTreeMap<String, String> {
        let show = keys::show(self.id());
        let tag = &show[show.find('{').unwrap()..];
        let mut raw = self.raw();
        let keys: Vec<String> = raw.keys(format!("*{tag}*")).await.unwrap();
        let mut dump = BTreeMap::new();
        for key in keys {
            let kind: String = redis::cmd("TYPE").arg(&key).query_async(&mut raw).await.unwrap();
            let content = match kind.as_str() {
                "string" => raw.get::<_, Option<String>>(&key).await.unwrap().unwrap_or_default(),
                "hash" => format!("{:?}", raw.hgetall::<_, BTreeMap<String, String>>(&key).await.unwrap()),
                "zset" => {
                    format!("{:?}", raw.zrange_withscores::<_, Vec<(String, f64)>>(&key, 0, -1).await.unwrap())
                }
                "stream" => format!("{:?}", self.events().await),
                // It lapsed since it was listed.
                _ => continue,
            };
            let ends: i64 = redis::cmd("PEXPIRETIME").arg(&key).query_async(&mut raw).await.unwrap();
            dump.insert(key, format!("{content} until {ends}"));
        }
        dump
    }

    /// Calls twice: the answer has to be the same, and the second call must not change a thing.
    pub async fn twice<T: PartialEq + Debug>(&self, call: impl AsyncFn() -> T) -> T {
        let answer = call().await;
        self.unchanged(async || assert_eq!(call().await, answer)).await;
        answer
    }

    /// Whatever is done must not change a thing.
    pub async fn unchanged<T>(&self, call: impl AsyncFnOnce() -> T) -> T {
        let before = self.dump().await;
        let answer = call().await;
        assert_eq!(self.dump().await, before);
        answer
    }

    /// What happened to places: `("held", "E1 E2")`.
    pub async fn events(&self) -> Vec<(String, String)> {
        let mut range = redis::cmd("XRANGE");
        range.arg(keys::events(self.id())).arg("-").arg("+");
        let entries: Vec<(String, Vec<String>)> = range.query_async(&mut self.raw()).await.unwrap();
        entries.into_iter().map(|(_, fields)| (fields[0].clone(), fields[1].clone())).collect()
    }

    /// Seat to booking; empty: for sale.
    pub async fn seats(&self) -> BTreeMap<String, String> {
        self.raw().hgetall(keys::seats(self.id())).await.unwrap()
    }

    /// The token in the lock of a seat, and what is left of it in ms.
    pub async fn lock(&self, seat: &str) -> (Option<String>, i64) {
        let key = keys::seat_hold(self.id(), &loaded::seats(&[seat])[0]);
        (self.raw().get(&key).await.unwrap(), self.raw().pttl(&key).await.unwrap())
    }

    /// The deadline of a place in the index of live holds.
    pub async fn indexed(&self, place: &str) -> Option<f64> {
        self.raw().zscore(keys::held(self.id()), place).await.unwrap()
    }

    /// Whether reconcile would have to settle the token.
    pub async fn is_confirming(&self, token: HoldToken) -> bool {
        let score: Option<f64> = self.raw().zscore(keys::confirming(self.id()), token.to_string()).await.unwrap();
        score.is_some()
    }

    /// The version of the token's booking that Redis has applied.
    pub async fn version_of(&self, booking: BookingId) -> Option<u64> {
        self.raw().get(keys::booking(self.id(), booking)).await.unwrap()
    }

    /// Moves an instant in the record of a hold: `created` or `deadline`.
    pub async fn shift(&self, token: HoldToken, field: &str, by_ms: i64) {
        let key = keys::hold(self.id(), token);
        let _: i64 = redis::cmd("HINCRBY").arg(key).arg(field).arg(by_ms).query_async(&mut self.raw()).await.unwrap();
    }

    /// Redis loses what it knew of a token.
    pub async fn lose(&self, token: HoldToken) {
        let _: i64 = self.raw().del(keys::hold(self.id(), token)).await.unwrap();
    }

    /// INV-7, unit by unit: each is fresh, returned, held or sold and only one of these, and the stock is what is left.
    pub async fn assert_zone_adds_up(&self) {
        let [stock, next, returned, held, holders, sold] = keys::units(self.id(), &ga());
        let mut raw = self.raw();
        let stock: i64 = raw.get(stock).await.unwrap();
        let next: i64 = raw.get::<_, Option<i64>>(next).await.unwrap().unwrap_or(1);
        let returned: Vec<i64> = raw.zrange(returned, 0, -1).await.unwrap();
        let held: Vec<i64> = raw.zrange(held, 0, -1).await.unwrap();
        let sold: Vec<i64> = raw.hkeys(sold).await.unwrap();
        let (mut with_holder, mut by_number): (Vec<i64>, _) = (raw.hkeys(holders).await.unwrap(), held.clone());
        with_holder.sort_unstable();
        by_number.sort_unstable();
        assert_eq!(with_holder, by_number, "every held unit has a holder, and no other");
        let capacity = self.count().await.capacity as i64;
        assert_eq!(stock + held.len() as i64 + sold.len() as i64, capacity, "left + held + sold");
        assert!(stock >= 0, "{stock} are left");
        let taken = |unit: &i64| held.contains(unit) || sold.contains(unit);
        assert!(!held.iter().any(|unit| sold.contains(unit)), "held {held:?} and sold {sold:?}");
        assert!(!returned.iter().any(taken), "returned {returned:?}, held {held:?}, sold {sold:?}");
        assert!(returned.iter().all(|unit| *unit < next), "returned {returned:?}, and fresh from {next}");
        let fresh = (next..=capacity).filter(|unit| !taken(unit)).count();
        let free = fresh + returned.iter().filter(|unit| **unit <= capacity).count();
        assert!(free as i64 >= stock, "{free} units for a stock of {stock}");
    }
}

impl Drop for House {
    fn drop(&mut self) {
        // A test that fails already says why.
        if !std::thread::panicking() {
            servers::check_shared_redis();
        }
    }
}
