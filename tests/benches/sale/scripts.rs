//! (d) What Redis itself spends on each script, granted and refused, in a small show and in a large one: `INFO
//! commandstats` after `CONFIG RESETSTAT`, with 50 callers at work.

use std::future::Future;
use std::sync::Arc;

use holdfast::domain::payment::Payments;
use holdfast::domain::{Buyer, Claim, Ending, Freed, HoldToken, Places, Request, SeatId, ShowId, Sold, ZoneId};
use holdfast::{Stores, domain::BookingId};
use holdfast::{Touch, Touched};
use holdfast_tests::loaded;

use super::shows::{LoadedShow, app, load, stores};

const CALLERS: usize = 50;
/// Shows of 100 seats, so that there are seats enough for a measurement.
const SMALL_SHOWS: usize = 200;

/// The statistics of a Redis since they were reset.
pub struct Statistics(redis::aio::MultiplexedConnection);

/// Resets the statistics.
pub async fn microseconds_per_call(redis_url: &str) -> Statistics {
    let client = redis::Client::open(redis_url).unwrap();
    let mut connection = client.get_multiplexed_async_connection().await.unwrap();
    redis::cmd("CONFIG").arg("RESETSTAT").exec_async(&mut connection).await.unwrap();
    Statistics(connection)
}

impl Statistics {
    /// Microseconds a script took since then, on average.
    pub async fn read(mut self) -> f64 {
        let info: String = redis::cmd("INFO").arg("commandstats").query_async(&mut self.0).await.unwrap();
        let line = info.lines().find(|line| line.starts_with("cmdstat_evalsha:")).unwrap_or_default();
        let field = line.split(',').find_map(|field| field.strip_prefix("usec_per_call="));
        field.and_then(|value| value.parse().ok()).unwrap_or(f64::NAN)
    }
}

/// One seat, and the token that may have it.
type Case = (Arc<LoadedShow>, SeatId, HoldToken);

/// Prints a line a script.
pub async fn run(redis_url: &str) {
    let app = app(redis_url);
    for (size, shows, seats) in [("100", SMALL_SHOWS, 100), ("100,000", 1, 100_000)] {
        let mut cases: Vec<Case> = Vec::new();
        for _ in 0..shows {
            let show = Arc::new(load(&stores(&app), seats).await);
            let seats: Vec<SeatId> = show.seats.iter().take(SMALL_SHOWS * 100 / shows).cloned().collect();
            cases.extend(seats.into_iter().map(|seat| (Arc::clone(&show), seat, loaded::any_token())));
        }
        let bench = Bench { redis_url, stores: stores(&app), size, cases: Arc::new(cases) };
        bench.seats().await;
        bench.units().await;
    }
    let mut connection = redis::Client::open(redis_url).unwrap().get_multiplexed_async_connection().await.unwrap();
    redis::cmd("FLUSHALL").arg("ASYNC").exec_async(&mut connection).await.unwrap();
}

struct Bench<'a> {
    redis_url: &'a str,
    stores: Stores,
    size: &'a str,
    cases: Arc<Vec<Case>>,
}

impl Bench<'_> {
    /// Calls a script for every case, and prints what it took.
    async fn script<T, F>(&self, name: &str, call: impl Fn(Stores, Case) -> F + Send + Sync + 'static)
    where
        F: Future<Output = Touched<T>> + Send,
        T: Send + 'static,
    {
        let (statistics, call) = (microseconds_per_call(self.redis_url).await, Arc::new(call));
        let callers: Vec<_> = (0..CALLERS)
            .map(|caller| {
                let (stores, cases, call) = (self.stores.clone(), Arc::clone(&self.cases), Arc::clone(&call));
                tokio::spawn(async move {
                    for case in cases.iter().skip(caller).step_by(CALLERS) {
                        assert!(matches!(call(stores.clone(), case.clone()).await, Ok(Touch::Known(_))));
                    }
                })
            })
            .collect();
        for caller in callers {
            caller.await.expect("a caller");
        }
        println!("(d) {name:<26} show of {:>7} seats: {:>5.1} us", self.size, statistics.read().await);
    }

    async fn seats(&self) {
        let hold = |stores: Stores, (show, seat, token): Case| async move {
            stores.redis.hold_seats(&show.id, &once(token), &[seat], Some(300_000), &Buyer::default()).await
        };
        self.script("hold granted", hold).await;
        self.script("hold refused", |stores, (show, seat, _)| async move {
            let refused = stores
                .redis
                .hold_seats(&show.id, &Request::once(loaded::any_token()), &[seat], None, &Buyer::default())
                .await;
            refused_only(refused)
        })
        .await;
        self.script(
            "hold_status",
            |stores, (show, _, token)| async move { stores.redis.find_hold(&show.id, token).await },
        )
        .await;
        self.script("extend granted", |stores, (show, seat, token)| async move {
            stores.redis.extend_hold(&show.id, token, &Places::Seats(vec![seat]), 600_000).await
        })
        .await;
        self.script("extend refused", |stores, (show, seat, _)| async move {
            refused_only(
                stores.redis.extend_hold(&show.id, loaded::any_token(), &Places::Seats(vec![seat]), 600_000).await,
            )
        })
        .await;
        self.script("release refused", |stores, (show, seat, _)| async move {
            refused_only(stores.redis.release_hold(&show.id, loaded::any_token(), &Places::Seats(vec![seat])).await)
        })
        .await;
        self.script("release granted", |stores, (show, seat, token)| async move {
            stores.redis.release_hold(&show.id, token, &Places::Seats(vec![seat])).await
        })
        .await;
        self.script("pin refused", |stores, (show, seat, token)| async move {
            stores.redis.pin_hold(&show.id, token, &Places::Seats(vec![seat]), &Claim::default(), None).await
        })
        .await;
        // A token that Redis does not know takes free places, as the pin of a late confirm does.
        self.script("pin granted (late)", |stores, (show, seat, token)| async move {
            stores.redis.pin_hold(&show.id, other(token), &Places::Seats(vec![seat]), &Claim::default(), None).await
        })
        .await;
        self.script("free granted", |stores, (show, seat, token)| async move {
            free(&stores, &show.id, other(token), seat).await
        })
        .await;
        self.script("free refused", |stores, (show, seat, token)| async move {
            free(&stores, &show.id, other(token), seat).await
        })
        .await;
        for name in ["mark granted", "mark refused"] {
            self.script(name, |stores, (show, seat, token)| async move {
                let (places, buyer) = (Places::Seats(vec![seat]), BookingId::of(&show.id, token));
                stores
                    .redis
                    .mark_sold(
                        &show.id,
                        token,
                        Sold {
                            buyer,
                            version: 1,
                            places: &places,
                            count: 1,
                            ending: Ending::Confirmed(buyer),
                            recorded: &Payments::NONE,
                        },
                    )
                    .await
            })
            .await;
        }
    }

    async fn units(&self) {
        self.script("stock_decrement granted", |stores, (show, _, token)| async move {
            stores.redis.take_units(&show.id, &once(other(other(token))), &zone(), 1, None, &Buyer::default()).await
        })
        .await;
        self.script("stock_decrement refused", |stores, (show, _, _)| async move {
            refused_only(
                stores
                    .redis
                    .take_units(&show.id, &Request::once(loaded::any_token()), &zone(), 11, None, &Buyer::default())
                    .await,
            )
        })
        .await;
        self.script(
            "stock_status",
            |stores, (show, _, _)| async move { stores.redis.count_zone(&show.id, &zone()).await },
        )
        .await;
    }
}

async fn free(stores: &Stores, show: &ShowId, token: HoldToken, seat: SeatId) -> Touched<u64> {
    let (booking, places) = (BookingId::of(show, token), Places::Seats(vec![seat]));
    let freed =
        Freed { booking, version: 1, places: &places, ending: Ending::Refused(booking), recorded: &Payments::NONE };
    stores.redis.free_places(show, token, freed).await
}

fn zone() -> ZoneId {
    ZoneId::parse("GA").unwrap()
}

/// A request under this token that came without a key.
fn once(token: HoldToken) -> Request {
    Request::once(token)
}

/// A token that belongs to `token` and was never used.
fn other(token: HoldToken) -> HoldToken {
    HoldToken::from_stored(&BookingId::of(&ShowId::parse("other").unwrap(), token).to_string()).unwrap()
}

fn refused_only<T: std::fmt::Debug>(answer: Touched<Result<T, holdfast::domain::Refusal>>) -> Touched<()> {
    assert!(matches!(answer, Ok(Touch::Known(Err(_)))), "{answer:?}");
    Ok(Touch::Known(()))
}
