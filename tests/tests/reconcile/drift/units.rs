//! Units of which Redis has one half only.

use holdfast::adapters::redis::keys;
use holdfast::domain::{HoldToken, Repairs};

use super::Made;
use crate::house::{House, Plot};

/// One of each kind: a deadline without a holder, a holder without a deadline, returned and held, handed out and
/// nowhere, sold and held.
pub mod torn {
    use super::*;

    pub async fn make(house: &House, plot: Plot) -> Made {
        let (id, zone) = (&house.id, plot.zone_id());
        let [no_holder, no_deadline, about] =
            [house.take(plot, 1).await, house.take(plot, 1).await, house.take(plot, 1).await];
        let sold = house.take(plot, 1).await;
        let nowhere = house.take(plot, 1).await;
        house.sys.confirm(&house.show, &sold, serde_json::json!({})).await.expect(201);
        house.sys.release(&house.show, &nowhere).await.expect(204);

        let (held, holders, returned) =
            (keys::stock_held(id, &zone), keys::stock_holders(id, &zone), keys::stock_returned(id, &zone));
        let mut pipe = redis::pipe();
        pipe.atomic();
        for lost in [no_holder, no_deadline] {
            pipe.del(keys::hold(id, HoldToken::from_stored(&lost).unwrap()));
        }
        pipe.hdel(&holders, 1).zrem(&held, 2).zadd(&returned, 3, 3).zrem(&returned, 5);
        pipe.hset(&holders, 4, &sold).zadd(&held, 4, 4_000_000_000_000_i64);
        let _: () = pipe.query_async(&mut house.redis.clone()).await.unwrap();
        // Held are 1, 3 and 4, of which 1 and 4 are not: with the one that is sold 8 are left, and not 6.
        Made { repairs: Repairs { units_recounted: 5, ..Repairs::default() }, about }
    }

    pub async fn judge(house: &House, plot: Plot, token: &str) {
        assert_eq!((house.state(token).await.as_str(), house.left(plot).await), ("active", 8));
        house.take(plot, 8).await;
        assert_eq!(house.left(plot).await, 0);
    }
}

/// A counter that its units do not bear out.
pub mod stock {
    use super::*;

    pub async fn make(house: &House, plot: Plot) -> Made {
        let about = house.take(plot, 2).await;
        house.raw(redis::cmd("SET").arg(keys::stock(&house.id, &plot.zone_id())).arg(99)).await;
        Made { repairs: Repairs { units_recounted: 1, ..Repairs::default() }, about }
    }

    pub async fn judge(house: &House, plot: Plot, token: &str) {
        assert_eq!((house.state(token).await.as_str(), house.left(plot).await), ("active", 8));
        house.take(plot, 8).await;
    }
}
