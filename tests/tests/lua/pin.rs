//! `pin.lua`

use holdfast::adapters::redis::keys;
use holdfast::domain::payment::Payments;
use holdfast::domain::{Buyer, Claim, Closing, HoldState, HoldToken, OrderId, PIN_MS, Payment, Pin, Places, Refusal};
use holdfast::{Failure, Touch};
use holdfast_tests::loaded::{self, small_show};
use redis::AsyncCommands;
use serde_json::json;

use crate::house::{House, known, pinned, seats, units};

/// What a confirm with a payment of this reference claims.
pub fn claim(reference: &str) -> Claim {
    let payment = Payment { reference: reference.to_owned(), amount: Some("55000".to_owned()), currency: None };
    let order = Some(OrderId::parse(&format!("order of {reference}")).unwrap());
    Claim { payments: Payments::of(Some(&payment)), order, buyer: Buyer::of(reference) }
}

fn references(payments: &Payments) -> Vec<&str> {
    payments.iter().map(|payment| payment.reference.as_str()).collect()
}

/// That a pin is refused, and leaves everything as it was.
async fn is_lost(house: &House, token: HoldToken, places: &Places) {
    let pin = house.unchanged(async || house.pin(token, places, &claim("pay_1")).await).await;
    assert!(matches!(pin, Pin::Lost { .. }), "{pin:?}");
}

#[tokio::test]
async fn codes_in_order_of_precedence() {
    let house = House::unloaded(small_show(6, 5)).await;
    let (token, e1) = (loaded::any_token(), seats(&["E1"]));
    let pin = house.redis.pin_hold(house.id(), token, &e1, &Claim::default(), None).await;
    assert!(matches!(pin, Ok(Touch::NotLoaded)), "{pin:?}");
    house.load().await;
    // Decided, though what it asks for is somebody else's by now.
    let decided = house.holder(&["E1"]).await;
    house.free(decided, 1, &e1).await;
    let holder = house.holder(&["E1"]).await;
    let pin = house.unchanged(async || house.pin(decided, &e1, &Claim::default()).await).await;
    assert!(matches!(pin, Pin::Decided), "{pin:?}");
    is_lost(&house, token, &e1).await;
    // A seat that is being closed is "try again", but for who gave it back.
    let released = house.holder(&["E6"]).await;
    house.release(released, &seats(&["E6"])).await.unwrap();
    house.close(&Closing { version: 2, mark: "mark".to_owned() }, &["E6"]).await;
    is_lost(&house, released, &seats(&["E6"])).await;
    is_lost(&house, token, &seats(&["E1", "E2"])).await;
    let closed = seats(&["E6", "E2"]);
    let pin = async || house.redis.pin_hold(house.id(), token, &closed, &Claim::default(), None).await.unwrap();
    let pin = house.unchanged(pin).await;
    assert!(matches!(pin, Touch::Closing { left_ms: 1..=10_000 }), "{pin:?}");
    house.pinned(token, &seats(&["E2"])).await;
    house.pinned(holder, &e1).await;
    house.sell(holder, &e1).await;
    let pin = house.unchanged(async || house.pin(holder, &e1, &Claim::default()).await).await;
    assert!(matches!(pin, Pin::Decided), "{pin:?}");
}

#[tokio::test]
async fn a_second_pin_answers_the_first_ones_claim_and_instant() {
    let house = House::open().await;
    let token = house.holder(&["E1"]).await;
    let mut seen = Vec::new();
    for reference in ["pay_1", "pay_2"] {
        let Pin::Pinned(pinned) = house.pin(token, &seats(&["E1"]), &claim(reference)).await else {
            panic!("it is held")
        };
        let order = pinned.claim.order.map(|order| order.as_str().to_owned());
        let first = pinned.claim.payments.first().cloned();
        seen.push((pinned.confirmed_at_ms, first, order, house.state(token).await));
    }
    assert_eq!(seen[0], seen[1]);
    assert_eq!(seen[0].1.as_ref(), claim("pay_1").payments.first());
    assert_eq!(seen[0].2.as_deref(), Some("order of pay_1"));
    assert_eq!(seen[0].3, HoldState::Confirming);
    // Reconcile knows it by its last pin: somebody may still be at work on that.
    let pinned: Vec<(String, i64)> = house.raw().zrange_withscores(keys::confirming(house.id()), 0, -1).await.unwrap();
    assert_eq!(pinned.len(), 1);
    assert!(pinned[0].0 == token.to_string() && pinned[0].1 >= seen[0].0, "{pinned:?}");
}

/// The buyer is who held, and not who confirms.
#[tokio::test]
async fn the_buyer_of_a_hold_stays() {
    let house = House::open().await;
    let (token, buyer) = (loaded::any_token(), Buyer::of("ada"));
    let asked = loaded::seats(&["E1"]);
    known(house.redis.hold_seats(house.id(), &loaded::once(token), &asked, None, &buyer).await).unwrap();
    let Pin::Pinned(pinned) = house.pin(token, &seats(&["E1"]), &claim("pay_1")).await else { panic!("it is held") };
    assert_eq!(pinned.claim.buyer, buyer);
}

#[tokio::test]
async fn lock_record_and_index_move_together() {
    let house = House::open().await;
    let token = house.holder(&["E1", "E2"]).await;
    house.pinned(token, &seats(&["E1", "E2"])).await;
    let record = house.status(token).await.unwrap();
    assert!(record.lease.expires_in_ms > PIN_MS - 10_000, "{record:?}");
    for seat in ["E1", "E2"] {
        let (owner, left_ms) = house.lock(seat).await;
        assert_eq!(owner, Some(token.to_string()));
        assert!(left_ms > PIN_MS as i64 - 10_000, "{left_ms}");
        assert_eq!(house.indexed(seat).await, Some(record.lease.deadline_ms as f64));
    }
}

#[tokio::test]
async fn a_late_confirm_takes_its_places_again() {
    let house = House::open().await;
    let token = house.late_holder(&["E1", "E2"]).await;
    house.pinned(token, &seats(&["E1", "E2"])).await;
    assert_eq!(house.state(token).await, HoldState::Confirming);
    assert_eq!(house.lock("E2").await.0, Some(token.to_string()));
    assert!(house.is_confirming(token).await);
    house.hold(loaded::any_token(), &["E1"]).await.unwrap_err();

    let (taker, places) = house.late_taker(2).await;
    house.pinned(taker, &places).await;
    assert_eq!(house.count().await.held, 2);
    assert_eq!(house.taker(3).await.1, units(&[3, 4, 5]));
    house.assert_zone_adds_up().await;
}

#[tokio::test]
async fn a_show_that_refuses_late_confirms_does() {
    let house = House::with(json!({"lateConfirm": "refuse"})).await;
    let late = house.late_holder(&["E1"]).await;
    is_lost(&house, late, &seats(&["E1"])).await;
    let (late, places) = house.late_taker(1).await;
    is_lost(&house, late, &places).await;
    is_lost(&house, loaded::any_token(), &seats(&["E3"])).await;
    let in_time = house.holder(&["E2"]).await;
    house.pinned(in_time, &seats(&["E2"])).await;
}

#[tokio::test]
async fn no_rescue_when_one_place_is_taken() {
    let house = House::open().await;
    let late = house.late_holder(&["E1", "E2", "E3"]).await;
    let next = house.holder(&["E2"]).await;
    is_lost(&house, late, &seats(&["E1", "E2", "E3"])).await;
    house.sell(next, &seats(&["E2"])).await;
    is_lost(&house, late, &seats(&["E1", "E2", "E3"])).await;
}

/// The lock of the next owner counts, whatever the record of the late one says.
#[tokio::test]
async fn a_hold_that_lost_a_seat_is_rescued_only_if_the_seat_is_free() {
    let house = House::open().await;
    let token = house.holder(&["E1", "E2"]).await;
    let lock = keys::seat_hold(house.id(), &loaded::seats(&["E2"])[0]);
    let _: i64 = house.raw().del(lock).await.unwrap();
    let next = house.holder(&["E2"]).await;
    is_lost(&house, token, &seats(&["E1", "E2"])).await;
    house.release(next, &seats(&["E2"])).await.unwrap();
    house.pinned(token, &seats(&["E1", "E2"])).await;
}

#[tokio::test]
async fn what_was_given_back_is_not_rescued() {
    let house = House::open().await;
    let token = house.holder(&["E1"]).await;
    house.release(token, &seats(&["E1"])).await.unwrap();
    is_lost(&house, token, &seats(&["E1"])).await;
}

/// Redis has lost the hold, or there never was one: the places are judged as a new hold's would be.
#[tokio::test]
async fn an_unknown_token_buys_only_what_it_could_hold() {
    let mut house = House::open().await;
    let taken = house.holder(&["E1"]).await;
    for places in [seats(&["E9"]), seats(&["E2", "E1"]), seats(&["E2", "E9"])] {
        is_lost(&house, loaded::any_token(), &places).await;
    }
    for window in [json!({"opensAt": "2099-01-01T00:00:00Z"}), json!({"closesAt": "2020-01-01T00:00:00Z"})] {
        house.apply(json!({"sale": window}), None).await;
        is_lost(&house, loaded::any_token(), &seats(&["E2"])).await;
        // Taken in time, confirmed after the sale has closed.
        house.pinned(taken, &seats(&["E1"])).await;
    }
    house.apply(json!({"sale": {}, "limits": {"maxPlacesPerHold": 2}}), None).await;
    is_lost(&house, loaded::any_token(), &seats(&["E2", "E3", "E4"])).await;
    let unknown = loaded::any_token();
    house.pinned(unknown, &seats(&["E2", "E3"])).await;
    assert_eq!(house.status(unknown).await.unwrap().places, seats(&["E2", "E3"]));

    let lost = house.holder(&["E4"]).await;
    house.lose(lost).await;
    house.pinned(lost, &seats(&["E4"])).await;
}

/// Units that the fresh counter has not reached: it must walk around them.
#[tokio::test]
async fn rescued_units_are_not_handed_out_again() {
    let house = House::open().await;
    let token = loaded::any_token();
    house.pinned(token, &units(&[1, 3])).await;
    assert_eq!(house.state(token).await, HoldState::Confirming);
    house.assert_zone_adds_up().await;
    let (_, others) = house.taker(3).await;
    assert_eq!(others, units(&[2, 4, 5]));
    assert_eq!(house.take(loaded::any_token(), 1).await.unwrap_err(), Refusal::SoldOut { remaining: 0 });
    house.assert_zone_adds_up().await;
}

/// One that was never handed out is fresh again, and not returned besides.
#[tokio::test]
async fn rescued_units_that_are_refused_come_back_once() {
    let house = House::open().await;
    let token = loaded::any_token();
    house.pinned(token, &units(&[1, 4])).await;
    house.free(token, 1, &units(&[1, 4])).await;
    house.assert_zone_adds_up().await;
    assert_eq!(house.taker(5).await.1, units(&[1, 2, 3, 4, 5]));
    house.assert_zone_adds_up().await;
}

/// The places of a pin that lapsed belong to another hold: the refusal is about the payment that came first, and no payment
/// of a later pin is forgotten.
#[tokio::test]
async fn a_pin_that_is_lost_answers_all_payments_and_keeps_them() {
    let house = House::open().await;
    let (token, e1) = (house.holder(&["E1"]).await, seats(&["E1"]));
    let lost = house.pin(loaded::any_token(), &e1, &claim("pay_0")).await;
    assert!(matches!(lost, Pin::Lost { pinned: None, .. }), "{lost:?}");
    house.pin(token, &e1, &claim("pay_1")).await;
    house.shift(token, "deadline", -200_000).await;
    let lock = keys::seat_hold(house.id(), &loaded::seats(&["E1"])[0]);
    let _: i64 = house.raw().del(lock).await.unwrap();
    house.holder(&["E1"]).await;
    for reference in ["pay_2", "pay_1"] {
        let lost = house.pin(token, &e1, &claim(reference)).await;
        let Pin::Lost { pinned: Some(pinned), .. } = lost else { panic!("{lost:?}") };
        assert_eq!(references(&pinned.payments), ["pay_1", "pay_2"]);
        assert_eq!(house.status(token).await.unwrap().payments, pinned.payments);
    }
    house.unchanged(async || house.pin(token, &e1, &claim("pay_2")).await).await;
}

/// The process of any of these confirms may die: each payment stays with the hold until it is on record.
#[tokio::test]
async fn every_pin_adds_its_payment_once() {
    let house = House::open().await;
    let (token, e1) = (house.holder(&["E1"]).await, seats(&["E1"]));
    house.pinned(token, &e1).await;
    assert_eq!(house.status(token).await.unwrap().payments, Payments::NONE);
    for reference in ["pay_1", "pay_2", "pay_1"] {
        let payments = pinned(house.pin(token, &e1, &claim(reference)).await).claim.payments;
        assert_eq!(house.status(token).await.unwrap().payments, payments);
        assert_eq!(payments.first(), claim("pay_1").payments.first());
    }
    assert_eq!(references(&house.status(token).await.unwrap().payments), ["pay_1", "pay_2"]);
}

#[tokio::test]
async fn a_token_keeps_no_more_than_32_payments() {
    let house = House::open().await;
    let (token, e1) = (house.holder(&["E1"]).await, seats(&["E1"]));
    for number in 0..32 {
        pinned(house.pin(token, &e1, &claim(&format!("pay_{number}"))).await);
    }
    let one_more = claim("pay_32");
    let refused =
        house.unchanged(async || house.redis.pin_hold(house.id(), token, &e1, &one_more, None).await.unwrap_err());
    assert!(matches!(refused.await, Failure::Undecided));
    pinned(house.pin(token, &e1, &claim("pay_31")).await);
}

/// A hold that was pinned knows its own places: what a confirm names does not change them.
#[tokio::test]
async fn a_pin_never_takes_other_places_than_the_hold_has() {
    let house = House::open().await;
    let token = house.holder(&["E1", "E2"]).await;
    let (taker, _) = house.taker(2).await;
    for _ in 0..2 {
        for other in [seats(&["E1"]), seats(&["E2", "E1"]), seats(&["E1", "E3"]), units(&[1, 2])] {
            let pin = house.unchanged(async || house.pin(token, &other, &claim("pay_1")).await).await;
            assert!(matches!(pin, Pin::OtherPlaces), "{other:?}: {pin:?}");
        }
        let pin = house.unchanged(async || house.pin(taker, &seats(&["E1"]), &claim("pay_1")).await).await;
        assert!(matches!(pin, Pin::OtherPlaces), "{pin:?}");
        house.pinned(token, &seats(&["E1", "E2"])).await;
        // Of units the zone is named, and the hold knows which.
        assert_eq!(house.pinned(taker, &units(&[3])).await.places, units(&[1, 2]));
    }
}
