//! A key is known for a day: around midnight it is the same request, and days later it is another one.

use holdfast::domain::{Buyer, HoldState, IdempotencyKey, Places, Refusal, Request, SeatId, ShowId, ZoneId};
use holdfast::ops::hold::{HoldWish, hold};
use holdfast::ops::stock_decrement::{UnitsWish, stock_decrement};
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::loaded;
use holdfast_tests::sys::{Sys, paid};
use serde_json::{Value, json};

use crate::cancel::post;

/// The day on which the key comes first.
const DAY: i64 = 20_000;

/// The request that a handler makes of a key on a day.
fn keyed(show: &ShowId, route: &str, day: i64) -> Request {
    let (secrets, key) = (loaded::token_secrets(), IdempotencyKey::parse("k").unwrap());
    Request::keyed(&secrets, (show, route, &Buyer::of("ann")), key, day, ["what is asked for"])
}

fn hold_wish(show: &str, request: Request) -> HoldWish {
    let seats = vec![SeatId::parse("E1").unwrap(), SeatId::parse("E2").unwrap()];
    HoldWish { show: ShowId::parse(show).unwrap(), seats, ttl_ms: None, buyer: Buyer::of("ann"), request }
}

async fn hold_on(sys: &Sys, show: &str, day: i64) -> String {
    let wish = hold_wish(show, keyed(&ShowId::parse(show).unwrap(), "holds", day));
    hold(&sys.app().stores(loaded::deadline()), &wish).await.unwrap().unwrap().token.to_string()
}

async fn take_on(sys: &Sys, show: &str, day: i64) -> (String, Places) {
    let (show, zone) = (ShowId::parse(show).unwrap(), ZoneId::parse("GA").unwrap());
    let request = keyed(&show, "stock/GA", day);
    let wish = UnitsWish { show, zone, quantity: 2, ttl_ms: None, buyer: Buyer::of("ann"), request };
    let taken = stock_decrement(&sys.app().stores(loaded::deadline()), &wish).await.unwrap().unwrap();
    (taken.held.token.to_string(), taken.held.places)
}

#[tokio::test]
async fn two_days_later_a_key_is_a_new_hold_that_can_be_confirmed() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let token = hold_on(&sys, &show, DAY).await;
    let booking = sys.confirm(&show, &token, paid("pay_1")).await.expect(201);
    post(&sys, &booking, "cancel", Value::Null).await.expect(200);
    let next = hold_on(&sys, &show, DAY + 2).await;
    assert_ne!(next, token);
    let theirs = sys.confirm(&show, &next, paid("pay_2")).await.expect(201);
    assert_eq!((&theirs["status"], &theirs["seats"]), (&json!("confirmed"), &json!(["E1", "E2"])));
    assert_ne!(theirs["bookingId"], booking["bookingId"]);
    assert_agreement(&sys, &show).await;
}

#[tokio::test]
async fn two_days_later_a_key_takes_other_units_that_can_be_confirmed() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    for (day, units) in [(DAY, json!(["GA-1", "GA-2"])), (DAY + 2, json!(["GA-3", "GA-4"]))] {
        let (token, _) = take_on(&sys, &show, day).await;
        let booking = sys.confirm(&show, &token, paid("pay_1")).await.expect(201);
        assert_eq!((&booking["status"], &booking["units"]), (&json!("confirmed"), &units));
    }
    assert_agreement(&sys, &show).await;
}

/// The day begins for one environment and not yet for another; and the day after, the first answer is still known.
#[tokio::test]
async fn around_midnight_a_key_is_the_same_hold() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let (seats, units) = (hold_on(&sys, &show, DAY).await, take_on(&sys, &show, DAY).await);
    for day in [DAY - 1, DAY + 1, DAY] {
        assert_eq!(hold_on(&sys, &show, day).await, seats);
        assert_eq!(take_on(&sys, &show, day).await, units);
    }
    assert_eq!(sys.get(&format!("/shows/{show}/stock/GA")).await.expect(200)["held"], 2, "nothing was taken twice");
    sys.confirm(&show, &seats, paid("pay_1")).await.expect(201);
    let booking = sys.confirm(&show, &seats, paid("pay_1")).await.expect(200);
    sys.confirm(&show, &units.0, paid("pay_2")).await.expect(201);
    // The day after, the key still stands for the hold that has ended.
    let request = keyed(&ShowId::parse(&show).unwrap(), "holds", DAY + 1);
    let wish = hold_wish(&show, request);
    let ended = hold(&sys.app().stores(loaded::deadline()), &wish).await.unwrap().unwrap_err();
    let Refusal::HoldEnded { token, state: HoldState::Confirmed, booking: Some(booked) } = ended else {
        panic!("{ended:?}")
    };
    assert_eq!((token.to_string(), json!(booked.to_string())), (seats, booking["bookingId"].clone()));
    assert_agreement(&sys, &show).await;
}
