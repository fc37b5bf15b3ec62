//! A show in a Redis: what buyers do with it lies in `buyers`, what a reconcile asks of it in `surveyor`, what is left of
//! that in Redis in `inside`.

mod buyers;
mod inside;
mod surveyor;

use std::fmt::Debug;
use std::time::{Duration, Instant};

use holdfast::adapters::redis::Redis;
use holdfast::domain::{Places, Show, ShowId, ZoneId};
use holdfast::{Touch, Touched};
use holdfast_tests::loaded::{self, small_show};
use holdfast_tests::{raw, servers};
use redis::aio::MultiplexedConnection;

pub use buyers::pinned;

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

impl Drop for House {
    fn drop(&mut self) {
        // A test that fails already says why.
        if !std::thread::panicking() {
            servers::check_shared_redis();
        }
    }
}
