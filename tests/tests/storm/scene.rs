//! The show, the stores with what breaks the lines to them, and the environments of the functions.

use std::sync::Arc;

use holdfast_tests::dynamo_front::Front;
use holdfast_tests::loaded::TOKEN_SECRET;
use holdfast_tests::proxy::Proxy;
use holdfast_tests::servers::{self, Dynamo, Redis};
use holdfast_tests::sys::{Client, Sys};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::goals::Goals;
use crate::pool::Pool;

/// Environments of the functions before and after the secret of their tokens was rotated: a deployment is under way.
const ENVIRONMENTS: usize = 4;
const ROTATED_ENVIRONMENTS: usize = 4;
/// The secret that the rotation leads to.
const NEXT_SECRET: &str = "fedcba9876543210fedcba9876543210";
/// Seats that the show always has, and those that a PUT takes away and adds again.
pub const SEATS: u64 = 50;
pub const EXTRA: u64 = 3;
/// Zones, with the capacities that a PUT chooses from: only the first one becomes smaller.
pub const ZONES: [(&str, [u64; 2]); 2] = [("GA", [20, 24]), ("VIP", [6, 6])];

/// What all who take part share.
#[derive(Clone)]
pub struct Scene(Arc<Shared>);

pub struct Shared {
    pub sys: Sys,
    pub environments: Vec<Client>,
    pub proxy: Proxy,
    pub front: Front,
    pub show: String,
    pub pool: Pool,
    pub goals: Goals,
    /// When it is over.
    pub until: Instant,
    _dynamo: Dynamo,
}

impl Scene {
    pub async fn set(until: Instant) -> (Scene, Redis) {
        let (redis, dynamo) = (servers::own_redis(&[]), servers::own_dynamo().await);
        let proxy = Proxy::redis(redis.addr()).await;
        let front = Front::start(&dynamo.endpoint()).await;
        let sys = Sys::with(&proxy.url(), &front.endpoint(), &[("TOKEN_SECRET_PREVIOUS", NEXT_SECRET)]);
        let rotated = [("TOKEN_SECRET", NEXT_SECRET), ("TOKEN_SECRET_PREVIOUS", TOKEN_SECRET)];
        let mut environments = sys.clients(ENVIRONMENTS);
        environments.extend(Sys::with(&proxy.url(), &front.endpoint(), &rotated).clients(ROTATED_ENVIRONMENTS));
        let show = sys.define(layout(0, true)).await;
        sys.get(&format!("/shows/{show}/stock/GA")).await.expect(200);
        let (pool, goals) = (Pool::default(), Goals::default());
        let shared = Shared { sys, environments, proxy, front, show, pool, goals, until, _dynamo: dynamo };
        (Scene(Arc::new(shared)), redis)
    }

    pub fn goes_on(&self) -> bool {
        Instant::now() < self.until
    }
}

impl std::ops::Deref for Scene {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

/// What is PUT: with one capacity of each zone or the other, with the extra row or without it.
pub fn layout(capacity: usize, extra: bool) -> Value {
    let mut rows = vec![json!({"id": "A", "from": 1, "to": SEATS})];
    if extra {
        rows.push(json!({"id": "X", "from": 1, "to": EXTRA}));
    }
    let zones: Vec<Value> =
        ZONES.iter().map(|(zone, capacities)| json!({"id": zone, "capacity": capacities[capacity]})).collect();
    json!({
        "name": "Storm", "sections": [{"id": "all", "rows": rows}], "zones": zones,
        "hold": {"defaultTtlSeconds": 2, "maxTtlSeconds": 5, "maxLifetimeSeconds": 4},
        "limits": {"maxPlacesPerHold": 4},
    })
}
