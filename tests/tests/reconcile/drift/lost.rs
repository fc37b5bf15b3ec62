//! Holds that have to end: of places that are sold, and those that lapsed.

use holdfast::adapters::redis::keys;
use holdfast::domain::Repairs;
use holdfast_tests::sys::paid as payment;
use serde_json::json;

use super::Made;
use crate::house::{House, Plot};

/// Redis forgot that a seat was sold, and somebody holds it with two others: the hold ends as a whole.
pub mod seats {
    use super::*;

    pub async fn make(house: &House, plot: Plot) -> Made {
        let about = house.hold(plot, &[1, 2, 3]).await;
        house.record(&uuid::Uuid::new_v4().to_string(), &plot.seats(&[2])).await;
        Made { repairs: Repairs { marked: 1, holds_lost: 1, ..Repairs::default() }, about }
    }

    pub async fn judge(house: &House, plot: Plot, token: &str) {
        house.sys.extend(&house.show, token, 600).await.expect_problem(409, "hold_lost");
        house.sys.release(&house.show, token).await.expect_problem(409, "hold_lost");
        house.are_sold(plot, &[2]).await;
        house.are_for_sale(plot, &[1, 3]).await;
    }
}

/// Redis has a seat as sold, as the record has it, and as held all the same.
pub mod marked {
    use super::*;

    pub async fn make(house: &House, plot: Plot) -> Made {
        let about = house.hold(plot, &[1, 2]).await;
        let booking = house.record(&uuid::Uuid::new_v4().to_string(), &plot.seats(&[2])).await;
        house.set_seat(&plot.seat(2), &booking.id.to_string()).await;
        Made { repairs: Repairs { holds_lost: 1, ..Repairs::default() }, about }
    }

    pub async fn judge(house: &House, plot: Plot, token: &str) {
        house.sys.release(&house.show, token).await.expect_problem(409, "hold_lost");
        house.are_sold(plot, &[2]).await;
        house.are_for_sale(plot, &[1]).await;
    }
}

/// Redis forgot that a unit was sold, and gave it to somebody else: whoever that is gets another one.
pub mod units {
    use super::*;

    pub async fn make(house: &House, plot: Plot) -> Made {
        let about = house.take(plot, 2).await;
        house.record(&uuid::Uuid::new_v4().to_string(), &plot.units(&[1])).await;
        Made { repairs: Repairs { marked: 1, holds_lost: 1, ..Repairs::default() }, about }
    }

    pub async fn judge(house: &House, plot: Plot, token: &str) {
        assert_eq!(house.left(plot).await, 9);
        house.sys.extend(&house.show, token, 600).await.expect_problem(409, "hold_lost");
        let booking = house.sys.confirm(&house.show, token, payment(&format!("pay_{token}"))).await.expect(201);
        let units = booking["units"].as_array().unwrap();
        assert!(units.len() == 2 && !units.contains(&json!(format!("{}-1", plot.zone()))), "{booking}");
        assert_eq!(house.left(plot).await, 7);
    }
}

/// Nobody tidied up after holds of seats.
pub mod lapsed_seats {
    use super::*;

    pub async fn make(house: &House, plot: Plot) -> Made {
        let [a, b] = [1, 2].map(|number| plot.seat(number));
        let held = house.sys.hold_for(&house.show, &[&a, &b], 1).await.expect(201);
        let about = held["holdToken"].as_str().unwrap().to_owned();
        house.lapses(&about).await;
        Made { repairs: Repairs { expired: 2, ..Repairs::default() }, about }
    }

    pub async fn judge(house: &House, plot: Plot, token: &str) {
        assert_eq!(house.state(token).await, "expired");
        house.are_for_sale(plot, &[1, 2]).await;
    }
}

/// Nobody tidied up after holds of units.
pub mod lapsed_units {
    use super::*;

    pub async fn make(house: &House, plot: Plot) -> Made {
        let path = format!("/shows/{}/stock/{}/decrement", house.show, plot.zone());
        let held = house.sys.call("POST", &path, json!({"quantity": 3, "ttlSeconds": 1})).await.expect(201);
        let about = held["holdToken"].as_str().unwrap().to_owned();
        house.lapses(&about).await;
        let stock: i64 = redis::cmd("GET")
            .arg(keys::stock(&house.id, &plot.zone_id()))
            .query_async(&mut house.redis.clone())
            .await
            .unwrap();
        assert_eq!(stock, 7, "nobody has touched the zone");
        Made { repairs: Repairs { expired: 3, ..Repairs::default() }, about }
    }

    pub async fn judge(house: &House, plot: Plot, token: &str) {
        assert_eq!((house.state(token).await.as_str(), house.left(plot).await), ("expired", 10));
        house.take(plot, 10).await;
    }
}
