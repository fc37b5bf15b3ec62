//! A small show, put straight into the stores: for tests that call the stores and scripts, below the routes.

use std::collections::HashMap;
use std::time::Duration;

use holdfast::adapters::redis::Redis;
use holdfast::domain::show::Show;
use holdfast::domain::{Buyer, Chunk, HoldToken, IdempotencyKey, Request, SeatId, ShowId, TokenSecrets, Turn};
use holdfast::{Config, Deadline};
use serde_json::json;

use crate::servers::fresh_show_id;

/// A secret that derives tokens.
pub const TOKEN_SECRET: &str = "0123456789abcdef0123456789abcdef";

/// How long a test may take over what it does with a store.
const BUDGET: Duration = Duration::from_secs(30);

/// Redis, as the operations have it.
pub fn redis_port(url: &str) -> Redis {
    let vars =
        [("REDIS_URL", url), ("AWS_ENDPOINT_URL_DYNAMODB", "http://127.0.0.1:1"), ("TOKEN_SECRET", TOKEN_SECRET)];
    let vars = HashMap::from(vars.map(|(name, value)| (name.to_owned(), value.to_owned())));
    Redis::new(Config::from_vars(&vars).unwrap().redis).by(deadline())
}

/// A deadline that no test reaches.
pub fn deadline() -> Deadline {
    Deadline::after(BUDGET)
}

/// A show with an id of its own: seats `E1` and up, and a zone `GA`.
pub fn small_show(seats: u32, capacity: u32) -> Show {
    version_of(&ShowId::parse(&fresh_show_id()).unwrap(), 1, seats, capacity)
}

/// The same in a chosen version.
pub fn version_of(id: &ShowId, version: u64, seats: u32, capacity: u32) -> Show {
    serde_json::from_value(json!({
        "showId": id, "name": "Hamlet", "version": version,
        "sections": [{"id": "stalls", "rows": [{"id": "E", "from": 1, "to": seats}]}],
        "zones": [{"id": "GA", "capacity": capacity}],
        "hold": {"defaultTtlSeconds": 30, "maxTtlSeconds": 60, "maxLifetimeSeconds": 600},
        "limits": {"maxPlacesPerHold": 10}, "lateConfirm": "rescue",
        "waitingRoom": {"enabled": false, "admitPerMinute": 600, "passTtlSeconds": 600},
    }))
    .unwrap()
}

/// Loads a show of [`small_show`] of which nothing is sold.
///
/// # Panics
/// When it is loaded already.
pub async fn load(redis: &Redis, show: &Show) {
    let id = &show.show_id;
    let Turn::Mine(lease) = redis.begin_load(id, show.version).await.unwrap() else { panic!("{id} is loaded") };
    let numbers = show.sections[0].rows[0].from..=show.sections[0].rows[0].to;
    let seats = Chunk::Seats(numbers.map(|number| format!("E{number}")).collect());
    redis.put_chunk(id, &lease, 1, &seats).await.unwrap();
    redis.finish_load(show, &lease).await.unwrap();
}

/// A request under this token that came without a key.
pub fn once(token: HoldToken) -> Request {
    Request::once(token)
}

/// A request of Ann's with the key `k`, on one and the same day. `body` is what it asks for.
pub fn keyed(show: &ShowId, route: &str, body: &str) -> Request {
    let key = IdempotencyKey::parse("k").unwrap();
    Request::keyed(&token_secrets(), (show, route, &Buyer::of("ann")), key, 20_000, [body])
}

/// The secrets of the product under test.
pub fn token_secrets() -> TokenSecrets {
    TokenSecrets::of(TOKEN_SECRET, None).unwrap()
}

/// A token of a show that the product would have issued, and did not.
pub fn issued_token(show: &str) -> String {
    token_secrets().issue(&ShowId::parse(show).unwrap()).to_string()
}

/// A token that no other test has. Below the routes it need not be of one show.
pub fn any_token() -> HoldToken {
    HoldToken::from_stored(&uuid::Uuid::new_v4().to_string()).unwrap()
}

/// Seats by their ids.
pub fn seats(ids: &[&str]) -> Vec<SeatId> {
    ids.iter().map(|id| SeatId::parse(id).unwrap()).collect()
}
