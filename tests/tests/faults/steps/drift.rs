//! A show whose stores have come apart in every way that a reconcile puts right.

use holdfast::Touch;
use holdfast::adapters::redis::keys;
use holdfast::domain::payment::Payments;
use holdfast::domain::{Buyer, Claim, HoldToken, Payment, Pin, Places, SeatId, ShowId, ZoneId};
use holdfast_tests::image::lose_hold;
use holdfast_tests::loaded::{self, deadline, seats};
use holdfast_tests::sys::{Sys, paid};
use redis::AsyncCommands;
use serde_json::json;

/// The tokens of such a show.
#[derive(Debug, Default)]
pub struct Tokens {
    /// Pinned `E2`, with a payment; its process died.
    pub paid: String,
    /// Pinned `E3`, without one; its process died.
    pub unpaid: String,
    /// Holds `E5`, which is sold to somebody else, and `E6`.
    pub lost: String,
}

/// Redis' clock when all that happened long ago did.
const LONG_AGO_MS: i64 = 1;

/// Lets the stores of a show come apart.
pub async fn tear_apart(sys: &Sys, show: &str) -> Tokens {
    let id = ShowId::parse(show).unwrap();
    let mut redis = sys.redis().await;
    let hold = async |seats: &[&str]| sys.hold(show, seats).await.text("holdToken").to_owned();

    // Confirms that died after the pin.
    let tokens = Tokens { paid: hold(&["E2"]).await, unpaid: hold(&["E3"]).await, lost: String::new() };
    let payment: Payment = serde_json::from_value(paid("pay_dead")["payment"].clone()).unwrap();
    pin(sys, &id, &tokens.paid, "E2", Some(payment)).await;
    pin(sys, &id, &tokens.unpaid, "E3", None).await;
    // One after the other: they are settled in that order.
    for (token, at_ms) in [(&tokens.paid, LONG_AGO_MS), (&tokens.unpaid, LONG_AGO_MS + 1)] {
        let _: () = redis.zadd(keys::confirming(&id), token, at_ms).await.unwrap();
    }
    // Sold, and Redis has lost it: E1, and E5, which somebody holds again.
    for (seat, reference) in [("E1", "pay_1"), ("E5", "pay_5")] {
        let token = hold(&[seat]).await;
        sys.confirm(show, &token, paid(reference)).await.expect(201);
        lose_hold(&mut redis, show, &token, &[seat]).await;
    }
    let tokens = Tokens { lost: hold(&["E5", "E6"]).await, ..tokens };
    // Sold, says Redis, and the record knows nothing of it.
    let nobody = loaded::any_token().to_string();
    let _: () = redis.hset(keys::seats(&id), "E9", &nobody).await.unwrap();
    // Lapsed, and nobody came to tidy up: a seat, and two units.
    let _: () = redis.zadd(keys::held(&id), "E12", LONG_AGO_MS).await.unwrap();
    let (zone, token) = (ZoneId::parse("GA").unwrap(), sys.decrement(show, "GA", 2).await);
    let record = keys::hold(&id, HoldToken::from_stored(token.text("holdToken")).unwrap());
    let _: () = redis.hset(record, "deadline", LONG_AGO_MS).await.unwrap();
    for number in ["1", "2"] {
        let _: () = redis.zadd(keys::stock_held(&id, &zone), number, LONG_AGO_MS).await.unwrap();
        let _: () = redis.zadd(keys::held(&id), format!("GA-{number}"), LONG_AGO_MS).await.unwrap();
    }
    // A counter that is wrong, a version that is old, and a seat that the show does not have.
    let _: () = redis.set(keys::stock(&id, &zone), 99).await.unwrap();
    let _: () = redis.hset(keys::show(&id), "version", 0).await.unwrap();
    let _: () = redis.hset(keys::seats(&id), "Z9", "").await.unwrap();
    tokens
}

async fn pin(sys: &Sys, show: &ShowId, token: &str, seat: &str, payment: Option<Payment>) {
    let (stores, token) = (sys.app().stores(deadline()), HoldToken::from_stored(token).unwrap());
    let claim = Claim { payments: Payments::of(payment.as_ref()), order: None, buyer: Buyer::default() };
    let places: Vec<SeatId> = seats(&[seat]);
    let pinned = stores.redis.pin_hold(show, token, &Places::Seats(places), &claim, None).await.unwrap();
    assert!(matches!(pinned, Touch::Known(Pin::Pinned(_))), "{pinned:?}");
}

/// What its users see, once it is put right.
pub async fn judge(sys: &Sys, show: &str, tokens: &Tokens) {
    let state = async |token: &str| sys.hold_status(show, token).await.body["state"].clone();
    assert_eq!(state(&tokens.paid).await, "confirmed", "who has paid has a booking");
    assert_eq!(state(&tokens.unpaid).await, "refused", "who has not is told so");
    assert_ne!(state(&tokens.lost).await, "active", "nobody holds a seat that is sold");
    let taken = sys.hold(show, &["E1", "E2", "E5"]).await.expect_problem(409, "seat_unavailable");
    let sold = |seat| json!({"seat": seat, "reason": "sold"});
    assert_eq!(taken["seats"], json!([sold("E1"), sold("E2"), sold("E5")]));
    sys.hold(show, &["E3", "E6", "E9", "E12"]).await.expect(201);
    sys.hold(show, &["Z9"]).await.expect_problem(404, "unknown_seat");
    let stock = sys.get(&format!("/shows/{show}/stock/GA")).await.expect(200);
    assert_eq!(stock, json!({"zone": "GA", "capacity": 10, "remaining": 10, "held": 0, "sold": 0}));
}
