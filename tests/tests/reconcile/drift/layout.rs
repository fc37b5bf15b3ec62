//! A show that Redis has in another shape than the record.

use holdfast::adapters::redis::keys;
use holdfast::domain::Repairs;
use redis::AsyncCommands;
use serde_json::json;

use super::Made;
use crate::house::{House, Plot};

fn updated() -> Made {
    Made { repairs: Repairs { policy_updated: 1, ..Repairs::default() }, about: String::new() }
}

/// A seat is not there.
pub mod missing {
    use super::*;

    pub async fn make(house: &House, plot: Plot) -> Made {
        house.are_for_sale(plot, &[5]).await;
        house.raw(redis::cmd("HDEL").arg(keys::seats(&house.id)).arg(plot.seat(5))).await;
        updated()
    }

    pub async fn judge(house: &House, plot: Plot, _: &str) {
        house.are_for_sale(plot, &[5]).await;
    }
}

/// There is one that the show does not have.
pub mod stray {
    use super::*;

    pub async fn make(house: &House, plot: Plot) -> Made {
        house.are_for_sale(plot, &[1]).await;
        house.set_seat(&plot.seat(99), "").await;
        updated()
    }

    pub async fn judge(house: &House, plot: Plot, _: &str) {
        house.sys.hold(&house.show, &[&plot.seat(99)]).await.expect_problem(404, "unknown_seat");
    }
}

/// The PUT died before it could tell Redis.
pub mod older {
    use super::*;

    pub async fn make(house: &House, _: Plot) -> Made {
        let path = format!("/shows/{}", house.show);
        let mut show = house.sys.get(&path).await.expect(200);
        let before = (show["version"].clone(), show["hold"]["maxTtlSeconds"].as_u64().unwrap() * 1000);
        show["hold"]["maxTtlSeconds"] = json!(600);
        house.sys.call("PUT", &path, show).await.expect(200);
        let key = keys::show(&house.id);
        house
            .raw(redis::cmd("HSET").arg(key).arg("version").arg(before.0.to_string()).arg("maxTtl").arg(before.1))
            .await;
        updated()
    }

    pub async fn judge(house: &House, plot: Plot, _: &str) {
        house.sys.hold_for(&house.show, &[&plot.seat(1)], 700).await.expect_problem(400, "invalid_request");
        house.sys.hold_for(&house.show, &[&plot.seat(1)], 600).await.expect(201);
    }
}

/// The PUT died after it had closed a seat, and its time is up.
pub mod given_up {
    use super::*;

    pub async fn make(house: &House, plot: Plot) -> Made {
        house.are_for_sale(plot, &[5]).await;
        house.raw(redis::cmd("HDEL").arg(keys::seats(&house.id)).arg(plot.seat(5))).await;
        house.raw(redis::cmd("HSET").arg(keys::show(&house.id)).arg("closing").arg("1 somebody")).await;
        updated()
    }

    pub async fn judge(house: &House, plot: Plot, _: &str) {
        // A touch would have put it right by itself.
        let closing: Option<String> = house.redis.clone().hget(keys::show(&house.id), "closing").await.unwrap();
        assert_eq!(closing, None);
        house.are_for_sale(plot, &[5]).await;
    }
}
