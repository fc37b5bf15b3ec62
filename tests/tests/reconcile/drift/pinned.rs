//! Confirms, and a restore, that died on the way.

use holdfast::domain::Repairs;

use super::Made;
use crate::house::{House, Plot};

const SETTLED: Repairs =
    Repairs { settled: 1, marked: 0, freed: 0, expired: 0, holds_lost: 0, units_recounted: 0, policy_updated: 0 };

/// After the pin, with a payment: it becomes a booking.
pub mod paid {
    use super::*;

    pub async fn make(house: &House, plot: Plot) -> Made {
        let about = house.hold(plot, &[1, 2]).await;
        house.pin(&about, &plot.seats(&[1, 2]), true).await;
        Made { repairs: SETTLED, about }
    }

    pub async fn judge(house: &House, plot: Plot, token: &str) {
        super::is_booked(house, token, &[&plot.seat(1), &plot.seat(2)], "seats").await;
        house.are_sold(plot, &[1, 2]).await;
    }
}

/// The same of units.
pub mod units {
    use super::*;

    pub async fn make(house: &House, plot: Plot) -> Made {
        let about = house.take(plot, 2).await;
        house.pin(&about, &plot.units(&[1, 2]), true).await;
        Made { repairs: SETTLED, about }
    }

    pub async fn judge(house: &House, plot: Plot, token: &str) {
        let [first, second] = [1, 2].map(|number| format!("{}-{number}", plot.zone()));
        super::is_booked(house, token, &[&first, &second], "units").await;
        assert_eq!(house.left(plot).await, 8);
    }
}

/// After the pin, without a payment: nothing is at stake, and the seats go back.
pub mod unpaid {
    use super::*;

    pub async fn make(house: &House, plot: Plot) -> Made {
        let about = house.hold(plot, &[1, 2]).await;
        house.pin(&about, &plot.seats(&[1, 2]), false).await;
        Made { repairs: SETTLED, about }
    }

    pub async fn judge(house: &House, plot: Plot, token: &str) {
        assert_eq!(house.state(token).await, "refused");
        house.sys.confirm(&house.show, token, serde_json::json!({})).await.expect_problem(409, "hold_lost");
        house.are_for_sale(plot, &[1, 2]).await;
    }
}

/// After the transaction: the booking is the answer.
pub mod booked {
    use super::*;

    pub async fn make(house: &House, plot: Plot) -> Made {
        let (about, places) = (house.hold(plot, &[1, 2]).await, plot.seats(&[1, 2]));
        house.pin(&about, &places, true).await;
        house.record(&about, &places).await;
        Made { repairs: SETTLED, about }
    }

    pub async fn judge(house: &House, plot: Plot, token: &str) {
        super::paid::judge(house, plot, token).await;
    }
}

/// After the pin; and one of its seats is sold to somebody else: it is refused, and the payment is due back.
pub mod rival {
    use super::*;

    pub async fn make(house: &House, plot: Plot) -> Made {
        let about = house.hold(plot, &[1, 2]).await;
        house.pin(&about, &plot.seats(&[1, 2]), true).await;
        house.record(&uuid::Uuid::new_v4().to_string(), &plot.seats(&[2])).await;
        Made { repairs: SETTLED, about }
    }

    pub async fn judge(house: &House, plot: Plot, token: &str) {
        assert_eq!(house.state(token).await, "refused");
        let body = holdfast_tests::sys::paid(&format!("pay_{token}"));
        let refused = house.sys.confirm(&house.show, token, body).await.expect_problem(409, "seat_already_sold");
        assert_eq!((&refused["seats"][0], &refused["refund"]["status"]), (&plot.seat(2).into(), &"due".into()));
        house.are_for_sale(plot, &[1]).await;
        house.are_sold(plot, &[2]).await;
    }
}

/// A restore, after its pin.
pub mod restore {
    use holdfast::domain::Claim;
    use holdfast::domain::{BookingId, HoldToken};
    use serde_json::json;

    use super::*;

    pub async fn make(house: &House, plot: Plot) -> Made {
        let (_, booking) = house.sell(plot, &[1, 2]).await;
        house.sys.call("POST", &format!("/bookings/{booking}/cancel"), json!({})).await.expect(200);
        let id = BookingId::parse(&booking).unwrap();
        let token = HoldToken::of_restore(id, 2);
        house.pin_as(token, &plot.seats(&[1, 2]), &Claim::default(), Some(id)).await;
        Made { repairs: SETTLED, about: booking }
    }

    pub async fn judge(house: &House, plot: Plot, booking: &str) {
        let path = format!("/bookings/{booking}");
        let read = house.sys.get(&path).await.expect(200);
        assert_eq!(read["status"], "confirmed", "{read}");
        house.are_sold(plot, &[1, 2]).await;
        // Whoever asked for the restore asks again, and is answered the same.
        assert_eq!(house.sys.call("POST", &format!("{path}/restore"), json!({})).await.expect(200), read);
    }
}

/// The repeated confirm is answered the booking that a reconcile made of it, with these places.
async fn is_booked(house: &House, token: &str, places: &[&str], name: &str) {
    assert_eq!(house.state(token).await, "confirmed");
    let body = holdfast_tests::sys::paid(&format!("pay_{token}"));
    let booking = house.sys.confirm(&house.show, token, body).await.expect(200);
    assert_eq!((&booking["status"], &booking[name]), (&"confirmed".into(), &serde_json::json!(places)));
    let id = holdfast_tests::image::booking_of(&house.show, token).to_string();
    assert_eq!(booking["bookingId"], id);
}
