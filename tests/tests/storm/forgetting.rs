//! Redis forgets a hold and the sale that came of it: what a replica that was promoted never heard of.

use holdfast::adapters::redis::keys;
use holdfast::domain::{HoldToken, SeatId, ShowId, ZoneId};
use holdfast_tests::image::booking_of;
use redis::aio::MultiplexedConnection;

use crate::chance::Chance;
use crate::pool::{Known, Token};
use crate::scene::{Scene, ZONES};

/// Forgets a token that is sold, if there is one. Whatever happens at the same time wins: nothing is forgotten then.
pub async fn forget(scene: &Scene, chance: &mut Chance) {
    let Some(token) = scene.pool.one(usize::MAX, chance, is_sold) else { return };
    // Whoever makes a zone smaller asks Redis what it holds: one that forgot a sale lets it become too small.
    if token.named["zone"] == ZONES[0].0 {
        return;
    }
    // Redis may be away.
    let Ok(mut redis) = connect(scene).await else { return };
    if let Ok(true) = forget_sale(&mut redis, &scene.show, &token).await {
        scene.goals.met("sale that Redis forgot");
    }
}

fn is_sold(known: &Known) -> bool {
    !known.booked.is_empty() && !known.cancelled
}

async fn connect(scene: &Scene) -> redis::RedisResult<MultiplexedConnection> {
    redis::Client::open(scene.proxy.url())?.get_multiplexed_async_connection().await
}

async fn forget_sale(redis: &mut MultiplexedConnection, show: &str, token: &Token) -> redis::RedisResult<bool> {
    let (booking, show, id) = (booking_of(show, &token.token), ShowId::parse(show).unwrap(), &token.token);
    let (record, seats) = (keys::hold(&show, HoldToken::from_stored(id).unwrap()), keys::seats(&show));
    let zone = token.named["zone"].as_str().map(|zone| ZoneId::parse(zone).unwrap());
    let sold = zone.as_ref().map_or(seats, |zone| keys::stock_sold(&show, zone));
    let names = token.named[if zone.is_some() { "units" } else { "seats" }].as_array().unwrap().iter();
    let before = zone.as_ref().map_or(0, |zone| zone.as_str().len() + 1);
    let fields: Vec<&str> = names.map(|name| &name.as_str().unwrap()[before..]).collect();
    let _: () = redis::cmd("WATCH").arg(&record).arg(&sold).query_async(redis).await?;
    let owners: Vec<Option<String>> = redis::cmd("HMGET").arg(&sold).arg(&fields).query_async(redis).await?;
    let state: Option<String> = redis::cmd("HGET").arg(&record).arg("state").query_async(redis).await?;
    let is_sold = owners.iter().all(|owner| owner.as_deref() == Some(&booking.to_string()));
    if !is_sold || state.is_some_and(|state| state != "confirmed") {
        let _: () = redis::cmd("UNWATCH").query_async(redis).await?;
        return Ok(false);
    }
    let mut pipe = redis::pipe();
    pipe.atomic().del(&record).del(keys::booking(&show, booking));
    for field in &fields {
        match &zone {
            None => pipe.hset(&sold, field, "").del(keys::seat_hold(&show, &SeatId::parse(field).unwrap())),
            Some(zone) => pipe
                .hdel(&sold, field)
                .zadd(keys::stock_returned(&show, zone), field, field)
                .incr(keys::stock(&show, zone), 1),
        };
    }
    let done: Option<redis::Value> = pipe.query_async(redis).await?;
    Ok(done.is_some())
}
