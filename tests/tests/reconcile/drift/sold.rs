//! Places that are sold by one store only, or to another booking.

use holdfast::adapters::redis::keys;
use holdfast::domain::{BookingId, Repairs};
use serde_json::json;

use super::Made;
use crate::house::{House, Plot, nobodys};

/// Redis lost a hold of seats and the sale of them.
pub mod seats_unmarked {
    use super::*;

    pub async fn make(house: &House, plot: Plot) -> Made {
        let (token, _) = house.sell(plot, &[1, 2, 3]).await;
        let [a, b, c] = [1, 2, 3].map(|number| plot.seat(number));
        holdfast_tests::image::lose_hold(&mut house.redis.clone(), &house.show, &token, &[&a, &b, &c]).await;
        Made { repairs: Repairs { marked: 3, ..Repairs::default() }, about: token }
    }

    pub async fn judge(house: &House, plot: Plot, token: &str) {
        house.are_sold(plot, &[1, 2, 3]).await;
        assert_eq!(house.state(token).await, "confirmed");
    }
}

/// The same of units.
pub mod units_unmarked {
    use super::*;

    pub async fn make(house: &House, plot: Plot) -> Made {
        let about = house.take(plot, 2).await;
        house.sys.confirm(&house.show, &about, json!({})).await.expect(201);
        house.forget_units(&about, plot, &[1, 2]).await;
        Made { repairs: Repairs { marked: 2, ..Repairs::default() }, about }
    }

    pub async fn judge(house: &House, plot: Plot, _: &str) {
        assert_eq!(house.left(plot).await, 8);
        let taken = house.sys.decrement(&house.show, &plot.zone(), 8).await.expect(201);
        assert!(taken["units"].as_array().unwrap().iter().all(|unit| unit != &json!(format!("{}-1", plot.zone()))));
    }
}

/// The cancel could not tell Redis.
pub mod cancelled {
    use super::*;

    pub async fn make(house: &House, plot: Plot) -> Made {
        let (_, booking) = house.sell(plot, &[1, 2]).await;
        house.sys.call("POST", &format!("/bookings/{booking}/cancel"), json!({})).await.expect(200);
        for number in [1, 2] {
            house.set_seat(&plot.seat(number), &booking).await;
        }
        let version = keys::booking(&house.id, BookingId::parse(&booking).unwrap());
        house.raw(redis::cmd("SET").arg(version).arg(1).arg("KEEPTTL")).await;
        Made { repairs: Repairs { freed: 2, ..Repairs::default() }, about: booking }
    }

    pub async fn judge(house: &House, plot: Plot, booking: &str) {
        house.are_for_sale(plot, &[1, 2]).await;
        let read = house.sys.get(&format!("/bookings/{booking}")).await.expect(200);
        assert_eq!(read["status"], "cancelled");
    }
}

/// Redis has a seat as sold to a booking that there is not.
pub mod nobodys_seat {
    use super::*;

    pub async fn make(house: &House, plot: Plot) -> Made {
        house.are_for_sale(plot, &[1]).await;
        house.set_seat(&plot.seat(1), &nobodys()).await;
        Made { repairs: Repairs { freed: 1, ..Repairs::default() }, about: String::new() }
    }

    pub async fn judge(house: &House, plot: Plot, _: &str) {
        house.are_for_sale(plot, &[1]).await;
    }
}

/// The same of a unit.
pub mod nobodys_unit {
    use super::*;

    pub async fn make(house: &House, plot: Plot) -> Made {
        assert_eq!(house.left(plot).await, 10);
        let (sold, stock) = (keys::stock_sold(&house.id, &plot.zone_id()), keys::stock(&house.id, &plot.zone_id()));
        house.raw(redis::cmd("HSET").arg(sold).arg(7).arg(nobodys())).await;
        house.raw(redis::cmd("SET").arg(stock).arg(9)).await;
        Made { repairs: Repairs { freed: 1, ..Repairs::default() }, about: String::new() }
    }

    pub async fn judge(house: &House, plot: Plot, _: &str) {
        house.take(plot, 10).await;
        assert_eq!(house.left(plot).await, 0);
    }
}

/// Redis has a seat as sold to another booking than the record has.
pub mod wrong_buyer {
    use super::*;

    pub async fn make(house: &House, plot: Plot) -> Made {
        let (token, _) = house.sell(plot, &[1]).await;
        house.set_seat(&plot.seat(1), &nobodys()).await;
        Made { repairs: Repairs { freed: 1, marked: 1, ..Repairs::default() }, about: token }
    }

    pub async fn judge(house: &House, plot: Plot, token: &str) {
        house.are_sold(plot, &[1]).await;
        assert_eq!(house.state(token).await, "confirmed");
    }
}
