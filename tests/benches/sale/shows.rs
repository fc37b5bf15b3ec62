//! Shows for the benches, put into Redis through the loader's own port.

use holdfast::domain::show::Show;
use holdfast::domain::{Chunk, SeatId, ShowId, Turn};
use holdfast::{App, Config, Deadline, Stores};
use serde_json::json;
use std::collections::HashMap;
use std::time::Duration;

/// An environment's own way to the stores. The DynamoDB of it is never asked.
pub fn app(redis_url: &str) -> App {
    let vars = [
        ("REDIS_URL", redis_url),
        ("AWS_ENDPOINT_URL_DYNAMODB", "http://127.0.0.1:1"),
        ("TOKEN_SECRET", "0123456789abcdef0123456789abcdef"),
    ];
    App::new(Config::from_vars(&HashMap::from(vars.map(|(name, value)| (name.to_owned(), value.to_owned())))).unwrap())
}

/// The stores for one request.
pub fn stores(app: &App) -> Stores {
    app.stores(Deadline::after(Duration::from_secs(60)))
}

/// A loaded show with so many seats, and a zone of 100,000.
pub struct LoadedShow {
    /// Its id.
    pub id: ShowId,
    /// Its seats.
    pub seats: Vec<SeatId>,
}

/// Loads a show with so many seats, in rows of 100.
pub async fn load(stores: &Stores, seats: u32) -> LoadedShow {
    let id = ShowId::parse(&uuid::Uuid::new_v4().to_string()).unwrap();
    let rows: Vec<_> = (1..=seats / 100).map(|row| json!({"id": format!("R{row}-"), "from": 1, "to": 100})).collect();
    let show: Show = serde_json::from_value(json!({
        "showId": id, "name": "bench", "version": 1,
        "sections": [{"id": "all", "rows": rows}], "zones": [{"id": "GA", "capacity": 100_000}],
        "hold": {"defaultTtlSeconds": 300, "maxTtlSeconds": 900, "maxLifetimeSeconds": 7200},
        "limits": {"maxPlacesPerHold": 10}, "lateConfirm": "rescue",
        "waitingRoom": {"enabled": false, "admitPerMinute": 600, "passTtlSeconds": 600},
    }))
    .unwrap();
    let Turn::Mine(lease) = stores.redis.begin_load(&id, 1).await.unwrap() else { panic!("{id} is there") };
    let ids: Vec<String> = show.seats().collect();
    for (step, chunk) in (1..).zip(ids.chunks(1_900)) {
        stores.redis.put_chunk(&id, &lease, step, &Chunk::Seats(chunk.to_vec())).await.unwrap();
    }
    stores.redis.finish_load(&show, &lease).await.unwrap();
    LoadedShow { id, seats: ids.iter().map(|seat| SeatId::parse(seat).unwrap()).collect() }
}
