//! The adapter of Redis, with a show in it, by a way that a test can break.

use std::time::{Duration, Instant};

use holdfast::adapters::redis::Redis;
use holdfast::domain::{Buyer, Held, HoldToken, Places, ShowId, UnitsHeld, ZoneId};
use holdfast::{Deadline, Failure, Touch};
use holdfast_tests::loaded::{self, redis_port, small_show};
use holdfast_tests::raw;
use redis::aio::MultiplexedConnection;

/// How long a request has.
pub const BUDGET: Duration = Duration::from_secs(2);
/// What the end of a request may take beyond that on a busy machine.
pub const GRACE: Duration = Duration::from_millis(500);
/// How long a test waits for a state.
const WITHIN: Duration = Duration::from_secs(15);

/// A show with seats `E1` to `E6` and a zone `GA` of 5.
pub struct Arbiter {
    pub show: ShowId,
    redis: Redis,
    /// A connection past whatever breaks.
    pub raw: MultiplexedConnection,
}

impl Arbiter {
    /// Loads the show at `direct`; its buyers come by `way`.
    pub async fn open(direct: &str, way: &str) -> Arbiter {
        let show = small_show(6, 5);
        loaded::load(&redis_port(direct), &show).await;
        Arbiter { show: show.show_id, redis: redis_port(way), raw: raw::redis(direct).await }
    }

    /// Redis, for a request that has its budget.
    pub fn port(&self) -> Redis {
        self.redis.by(Deadline::after(BUDGET))
    }

    pub async fn hold(&self, token: HoldToken, seat: &str) -> Result<Held, Failure> {
        let asked = loaded::seats(&[seat]);
        match self.port().hold_seats(&self.show, &loaded::once(token), &asked, None, &Buyer::default()).await? {
            Touch::Known(Ok(held)) => Ok(held),
            other => panic!("neither held nor unknown: {other:?}"),
        }
    }

    pub async fn take(&self, token: HoldToken, quantity: u64) -> Result<UnitsHeld, Failure> {
        let zone = ZoneId::parse("GA").unwrap();
        match self.port().take_units(&self.show, &loaded::once(token), &zone, quantity, None, &Buyer::default()).await?
        {
            Touch::Known(Ok(held)) => Ok(held),
            other => panic!("neither held nor unknown: {other:?}"),
        }
    }

    /// That a hold is answered "not known", and within the budget.
    pub async fn assert_unavailable(&self, token: HoldToken, seat: &str) {
        let begun = Instant::now();
        let answer = self.hold(token, seat).await;
        assert!(matches!(answer, Err(Failure::Unavailable { .. })), "{answer:?}");
        assert!(begun.elapsed() < BUDGET + GRACE, "{:?}", begun.elapsed());
    }

    /// Asks until it is granted: it has to be before long, in the same process.
    pub async fn recovers(&self, token: HoldToken, seat: &str) -> Held {
        let deadline = Instant::now() + WITHIN;
        loop {
            match self.hold(token, seat).await {
                Ok(held) => return held,
                Err(failure) => assert!(Instant::now() < deadline, "{failure:?} for {WITHIN:?}"),
            }
        }
    }

    /// What happened: `("held", "E1")`.
    pub async fn events(&self) -> Vec<(String, String)> {
        let mut range = redis::cmd("XRANGE");
        range.arg(holdfast::adapters::redis::keys::events(&self.show)).arg("-").arg("+");
        let entries: Vec<(String, Vec<String>)> = range.query_async(&mut self.raw.clone()).await.unwrap();
        entries.into_iter().map(|(_, fields)| (fields[0].clone(), fields[1].clone())).collect()
    }

    /// Sends Redis a command of a test's own.
    pub async fn command(&self, words: &[&str]) {
        let (name, args) = words.split_first().unwrap();
        let _: redis::Value = redis::cmd(name).arg(args).query_async(&mut self.raw.clone()).await.unwrap();
    }
}

/// A seat as places.
pub fn seat(id: &str) -> Places {
    Places::Seats(loaded::seats(&[id]))
}
