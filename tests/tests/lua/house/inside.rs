//! What lies in Redis, and what a script says by itself.

use std::collections::BTreeMap;
use std::fmt::Debug;

use holdfast::adapters::redis::keys;
use holdfast::adapters::redis::scripts::Script;
use holdfast::domain::{BookingId, HoldToken};
use holdfast_tests::loaded;
use redis::{AsyncCommands, Value};

use super::{House, ga};

impl House {
    /// What a script answers, field by field: for what the calls of the product do not tell apart.
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
