//! What is left of a confirm, or of a restore, when its pin has lapsed, or its hold is gone.

use holdfast::adapters::redis::keys;
use holdfast::domain::{Booking, BookingId, Claim, HoldToken, Places, Repairs, Verdict};
use holdfast_tests::image::{self, booking_of};
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::loaded::issued_token;
use holdfast_tests::sys::paid;
use serde_json::json;

use crate::house::House;

/// The time of a token's hold, or pin, is over, and nobody has tidied up.
pub async fn lapse(house: &House, token: HoldToken, places: &Places) {
    image::lapse(&mut house.redis.clone(), &house.id, token, places).await;
}

/// What a run tells of one token whose two places nobody has tidied away.
fn settled() -> Repairs {
    Repairs { settled: 1, expired: 2, ..Repairs::default() }
}

async fn is_booked(house: &House, token: &str, booking: &Booking) {
    house.is_booked(token).await;
    assert_eq!(house.state(token).await, "confirmed");
    let read = house.sys.get(&format!("/bookings/{}", booking.id)).await.expect(200);
    let name = if booking.places.as_ref().unwrap().zone().is_some() { "units" } else { "seats" };
    assert_eq!(read[name], json!(booking.places.as_ref().unwrap().ids()));
}

#[tokio::test]
async fn a_pin_that_lapsed_after_its_transaction_is_told_as_it_is_settled() {
    let (house, plot) = House::open().await;
    for places in [plot.seats(&[1, 2]), plot.units(&[1, 2])] {
        let token = if places.zone().is_some() { house.take(plot, 2).await } else { house.hold(plot, &[1, 2]).await };
        house.pin(&token, &places, true).await;
        let booking = house.record(&token, &places).await;
        lapse(&house, HoldToken::from_stored(&token).unwrap(), &places).await;
        house.is_repaired(settled()).await;
        is_booked(&house, &token, &booking).await;
    }
    house.are_sold(plot, &[1, 2]).await;
    assert_eq!(house.left(plot).await, 8);
}

/// The same of a restore, whose token is another one.
#[tokio::test]
async fn a_restores_pin_that_lapsed_after_its_transaction_is_told_as_it_is_settled() {
    let (house, plot) = House::open().await;
    for places in [plot.seats(&[1, 2]), plot.units(&[1, 2])] {
        let token = if places.zone().is_some() { house.take(plot, 2).await } else { house.hold(plot, &[1, 2]).await };
        let booked = house.sys.confirm(&house.show, &token, paid(&format!("pay_{token}"))).await.expect(201);
        let path = format!("/bookings/{}", booked["bookingId"].as_str().unwrap());
        house.sys.call("POST", &format!("{path}/cancel"), json!({})).await.expect(200);
        let id = booking_of(&house.show, &token);
        let cancelled = house.stores().record.read_booking(id).await.unwrap().unwrap();
        let restore = HoldToken::of_restore(id, cancelled.version);
        house.pin_as(restore, &places, &Claim::default(), Some(id)).await;
        let restored = cancelled.restored();
        assert!(matches!(house.stores().record.decide_booking(&restored).await.unwrap(), Verdict::Written));
        lapse(&house, restore, &places).await;
        house.is_repaired(settled()).await;
        is_booked(&house, &token, &restored).await;
    }
    house.are_sold(plot, &[1, 2]).await;
    assert_eq!(house.left(plot).await, 8);
}

/// Only the list still has the token: its booking was refused without any places.
#[tokio::test]
async fn a_refused_token_whose_hold_is_gone_leaves_the_list() {
    let (house, plot) = House::open().await;
    house.are_for_sale(plot, &[1]).await;
    let token = issued_token(&house.show);
    house.sys.confirm(&house.show, &token, paid("pay_1")).await.expect_problem(409, "hold_lost");
    let booking = BookingId::of(&house.id, HoldToken::from_stored(&token).unwrap());
    assert_eq!(house.stores().record.read_booking(booking).await.unwrap().unwrap().places, None);
    house.raw(redis::cmd("ZADD").arg(keys::confirming(&house.id)).arg(1).arg(&token)).await;
    let report = house.is_repaired(Repairs { settled: 1, ..Repairs::default() }).await;
    assert_eq!(report["checked"]["tokens"], 1);
    assert_eq!(house.reconcile(false).await["checked"]["tokens"], 0);
    assert_agreement(&house.sys, &house.show).await;
}

/// Only the list still has the token, and there is no booking: a payment may have been lost, and a person has to look.
#[tokio::test]
async fn a_token_whose_record_is_gone_is_an_error_and_stays_listed() {
    let (house, plot) = House::open().await;
    house.are_for_sale(plot, &[1]).await;
    let token = issued_token(&house.show);
    house.raw(redis::cmd("ZADD").arg(keys::confirming(&house.id)).arg(1).arg(&token)).await;
    for _ in 0..2 {
        let report = house.sys.reconcile(json!({"showId": house.show})).await;
        let errors = report["errors"].as_array().unwrap();
        assert_eq!((errors.len(), &report["complete"]), (1, &json!(false)), "{report}");
        assert_eq!((&errors[0]["showId"], &errors[0]["code"]), (&json!(house.show), &json!("internal")));
        assert_eq!(errors[0]["detail"], "a token is being confirmed, and the record of its hold is gone");
        assert_eq!(report["shows"][0]["repairs"]["settled"], 0, "{report}");
        assert_eq!(report["shows"][0]["checked"]["tokens"], 1, "{report}");
    }
}
