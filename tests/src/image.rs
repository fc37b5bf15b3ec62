//! What Redis has of a show, as an image to compare, and a loss of some of it.

use std::collections::BTreeMap;

use holdfast::adapters::redis::keys;
use holdfast::domain::{BookingId, HoldToken, Places, SeatId, ShowId};
use redis::AsyncCommands;
use redis::aio::MultiplexedConnection;

/// Every key of a show: when it ends, in ms since the epoch, and its content.
#[derive(Debug, PartialEq, Eq)]
pub struct Image(BTreeMap<String, (i64, Vec<u8>)>);

impl Image {
    /// Takes the image of a show, without the keys that are named after `token` and its booking.
    pub async fn without(redis: &mut MultiplexedConnection, show: &str, token: &str) -> Image {
        let own = [token.to_owned(), booking_of(show, token).to_string()];
        let mut names: Vec<String> = redis.keys(format!("*{{show:{show}}}*")).await.unwrap();
        names.retain(|name| !own.iter().any(|id| name.contains(id)));
        let mut pipe = redis::pipe();
        pipe.atomic();
        for name in &names {
            pipe.cmd("PEXPIRETIME").arg(name).cmd("DUMP").arg(name);
        }
        let values: Vec<redis::Value> = pipe.query_async(redis).await.unwrap();
        let of = |pair: &[redis::Value]| {
            let expires_at_ms = redis::from_redis_value(pair[0].clone()).unwrap();
            (expires_at_ms, redis::from_redis_value(pair[1].clone()).unwrap())
        };
        Image(names.into_iter().zip(values.chunks(2).map(of)).collect())
    }

    /// Fails the test if `now` is another image.
    ///
    /// # Panics
    /// With the keys that differ.
    #[track_caller]
    pub fn assert_same(&self, now: &Image, what: &str) {
        let changed: Vec<&String> =
            self.0.keys().chain(now.0.keys()).filter(|name| self.0.get(*name) != now.0.get(*name)).collect();
        assert!(changed.is_empty(), "{what} changed {changed:?}");
    }
}

/// The booking of a token.
///
/// # Panics
/// When one of them is no id.
pub fn booking_of(show: &str, token: &str) -> BookingId {
    BookingId::of(&ShowId::parse(show).unwrap(), HoldToken::from_stored(token).unwrap())
}

/// Lets Redis lose all that it did for a token: as if a replica had taken over that never got these writes.
///
/// # Panics
/// When something is no id.
pub async fn lose_hold(redis: &mut MultiplexedConnection, show: &str, token: &str, seats: &[&str]) {
    let (id, token) = (ShowId::parse(show).unwrap(), HoldToken::from_stored(token).unwrap());
    let mut pipe = redis::pipe();
    pipe.atomic().del(keys::hold(&id, token)).del(keys::booking(&id, BookingId::of(&id, token)));
    pipe.zrem(keys::confirming(&id), token.to_string());
    for seat in seats {
        pipe.del(keys::seat_hold(&id, &SeatId::parse(seat).unwrap()));
        pipe.zrem(keys::held(&id), *seat).hset(keys::seats(&id), *seat, "");
    }
    let _: () = pipe.query_async(redis).await.unwrap();
}

/// Lets the time of a token's hold, or pin, be over, without anybody having tidied up.
///
/// # Panics
/// When Redis does not answer.
pub async fn lapse(redis: &mut MultiplexedConnection, show: &ShowId, token: HoldToken, places: &Places) {
    let mut pipe = redis::pipe();
    pipe.atomic().hset(keys::hold(show, token), "deadline", 1);
    for place in places.ids() {
        pipe.zadd(keys::held(show), place, 1);
    }
    match places {
        Places::Seats(seats) => {
            pipe.del(seats.iter().map(|seat| keys::seat_hold(show, seat)).collect::<Vec<_>>());
        }
        Places::Units { zone, numbers } => {
            let lapsed: Vec<(i64, u32)> = numbers.iter().map(|number| (1, *number)).collect();
            pipe.zadd_multiple(keys::stock_held(show, zone), &lapsed);
        }
    }
    let _: () = pipe.query_async(redis).await.unwrap();
}
