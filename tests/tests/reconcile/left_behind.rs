//! What is left of a confirm, or of a restore, when its pin has lapsed, or its hold is gone.

use holdfast::adapters::redis::keys;
use holdfast::domain::{Booking, BookingId, Decision, HoldToken, Places, Repairs, TokenSecret};
use holdfast::ports::{Claim, DecideBooking, ReadBooking, Verdict};
use holdfast_tests::image::booking_of;
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::loaded::TOKEN_SECRET;
use holdfast_tests::sys::paid;
use serde_json::json;

use crate::house::{House, payment_of};

/// The time of a token's hold, or pin, is over, and nobody has tidied up.
pub async fn lapse(house: &House, token: HoldToken, places: &Places) {
    let mut pipe = redis::pipe();
    pipe.atomic().hset(keys::hold(&house.id, token), "deadline", 1);
    for place in places.ids() {
        pipe.zadd(keys::held(&house.id), place, 1);
    }
    match places {
        Places::Seats(seats) => {
            pipe.del(seats.iter().map(|seat| keys::seat_hold(&house.id, seat)).collect::<Vec<_>>());
        }
        Places::Units { zone, numbers } => {
            let lapsed: Vec<(i64, u32)> = numbers.iter().map(|number| (1, *number)).collect();
            pipe.zadd_multiple(keys::stock_held(&house.id, zone), &lapsed);
        }
    }
    let _: () = pipe.query_async(&mut house.redis.clone()).await.unwrap();
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
        lapse(&house, HoldToken::parse(&token).unwrap(), &places).await;
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
        let cancelled = house.stores().read_booking(id).await.unwrap().unwrap();
        let restore = TokenSecret::new(TOKEN_SECRET).unwrap().own_token(id, cancelled.version);
        let claim = Claim { payment: Some(payment_of(&token)), ..Claim::default() };
        house.pin_as(restore, &places, &claim, Some(id)).await;
        let restored = cancelled.next(Decision::Confirmed);
        assert!(matches!(house.stores().decide_booking(&restored).await.unwrap(), Verdict::Written));
        lapse(&house, restore, &places).await;
        house.is_repaired(settled()).await;
        is_booked(&house, &token, &restored).await;
    }
    house.are_sold(plot, &[1, 2]).await;
    assert_eq!(house.left(plot).await, 8);
}

/// Only the list still has the token: its booking was refused without any places, or there is none at all.
#[tokio::test]
async fn a_token_whose_hold_is_gone_leaves_the_list() {
    for refused in [true, false] {
        let (house, plot) = House::open().await;
        house.are_for_sale(plot, &[1]).await;
        let token = uuid::Uuid::new_v4().to_string();
        if refused {
            house.sys.confirm(&house.show, &token, paid("pay_1")).await.expect_problem(409, "hold_lost");
            let booking = BookingId::of(&house.id, HoldToken::parse(&token).unwrap());
            assert_eq!(house.stores().read_booking(booking).await.unwrap().unwrap().places, None);
        }
        house.raw(redis::cmd("ZADD").arg(keys::confirming(&house.id)).arg(1).arg(&token)).await;
        let report = house.is_repaired(Repairs { settled: 1, ..Repairs::default() }).await;
        assert_eq!(report["checked"]["tokens"], 1);
        assert_eq!(house.reconcile(false).await["checked"]["tokens"], 0);
        assert_agreement(&house.sys, &house.show).await;
    }
}
