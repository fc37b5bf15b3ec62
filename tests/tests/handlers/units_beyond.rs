//! Units that a token has beyond its booking: they are for sale again as soon as that booking is answered.

use holdfast::Touch;
use holdfast::adapters::redis::keys;
use holdfast::domain::payment::Payments;
use holdfast::domain::{
    Booking, BookingId, Buyer, Claim, Decision, HoldToken, Payment, Pin, Places, ShowId, Verdict, ZoneId,
};
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::loaded;
use holdfast_tests::sys::{Sys, paid};
use serde_json::json;

use crate::expect::assert_success;

/// What a zone of ten has.
async fn counts(sys: &Sys, show: &str, held: u32, sold: u32) {
    let count = json!({"zone": "GA", "capacity": 10, "remaining": 10 - held - sold, "held": held, "sold": sold});
    assert_success(&sys.get(&format!("/shows/{show}/stock/GA")).await, 200, count);
}

/// A hold of `GA-1` and `GA-2` whose confirm died after its transaction, and whose pin has lapsed since.
async fn booked_and_lapsed(sys: &Sys, show: &str) -> String {
    let token = sys.decrement(show, "GA", 2).await.text("holdToken").to_owned();
    let (id, hold, zone) =
        (ShowId::parse(show).unwrap(), HoldToken::from_stored(&token).unwrap(), ZoneId::parse("GA").unwrap());
    let places = Places::Units { zone: zone.clone(), numbers: vec![1, 2] };
    let payment: Option<Payment> = serde_json::from_value(paid("pay_1")["payment"].clone()).unwrap();
    let claim = Claim { payments: Payments::of(payment.as_ref()), ..Claim::default() };
    let stores = sys.app().stores(loaded::deadline());
    let pinned = stores.redis.pin_hold(&id, hold, &places, &claim, None).await.unwrap();
    let Touch::Known(Pin::Pinned(pinned)) = pinned else { panic!("{pinned:?}") };
    let booking = Booking {
        id: BookingId::of(&id, hold),
        show: id.clone(),
        decision: Decision::Confirmed,
        places: Some(places),
        first: None,
        buyer: Buyer::default(),
        payment,
        order: None,
        decided_at_ms: pinned.confirmed_at_ms,
        hold_found: true,
        version: 1,
        sold_version: 1,
    };
    assert!(matches!(stores.record.decide_booking(&booking).await.unwrap(), Verdict::Written));
    let mut pipe = redis::pipe();
    pipe.atomic().hset(keys::hold(&id, hold), "deadline", 1);
    for number in [1, 2] {
        pipe.zadd(keys::stock_held(&id, &zone), number, 1).zadd(keys::held(&id), format!("GA-{number}"), 1);
    }
    let _: () = pipe.query_async(&mut sys.redis().await).await.unwrap();
    token
}

#[tokio::test]
async fn what_a_repeated_confirm_took_in_place_of_units_that_are_booked_goes_back() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let token = booked_and_lapsed(&sys, &show).await;
    let rival = sys.decrement(&show, "GA", 2).await;
    assert_eq!(rival.body["units"], json!(["GA-1", "GA-2"]), "Redis does not know that they are sold");
    for _ in 0..2 {
        let booking = sys.confirm(&show, &token, paid("pay_1")).await.expect(200);
        assert_eq!(booking["units"], json!(["GA-1", "GA-2"]));
        counts(&sys, &show, 2, 0).await;
        let hold = sys.hold_status(&show, &token).await.expect(200);
        assert_eq!((&hold["state"], &hold["units"]), (&json!("confirmed"), &booking["units"]));
        assert_eq!(hold["bookingId"], booking["bookingId"]);
    }
    // All that nobody has can be had at once.
    let rest = sys.decrement(&show, "GA", 8).await.text("holdToken").to_owned();
    sys.release(&show, &rest).await.expect(204);
    // And whoever was given what is sold is given others.
    let theirs = sys.confirm(&show, rival.text("holdToken"), paid("pay_2")).await.expect(201);
    assert_eq!(theirs["units"].as_array().unwrap().len(), 2);
    counts(&sys, &show, 0, 4).await;
    assert_agreement(&sys, &show).await;
}
