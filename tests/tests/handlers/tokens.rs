//! Tokens that this deployment did not issue for the show: refused before any store is asked, and nothing is left behind.

use holdfast::domain::{BookingId, HoldToken, ShowId, TokenSecrets};
use holdfast_tests::loaded::{TOKEN_SECRET, issued_token};
use holdfast_tests::servers::{TABLE, fresh_show_id};
use holdfast_tests::sys::{Answer, Sys, paid};
use serde_json::{Value, json};

use crate::expect::{assert_invalid, assert_problem};
use crate::hold::never_issued;
use crate::lists::PATIENT;

/// A UUID with one bit changed.
fn with_bit(token: &str, bit: usize) -> String {
    let mut bytes = uuid::Uuid::parse_str(token).unwrap().into_bytes();
    bytes[bit / 8] ^= 1 << (bit % 8);
    uuid::Uuid::from_bytes(bytes).to_string()
}

/// Tokens that are UUIDs, and none of this deployment's for the show.
fn foreign(show: &str, other: &str) -> Vec<String> {
    let own = issued_token(show);
    let id = ShowId::parse(show).unwrap();
    let stranger = TokenSecrets::of("the secret of another deployment", None).unwrap();
    let booking = BookingId::of(&id, HoldToken::from_stored(&own).unwrap());
    let mut tokens = vec![
        issued_token(other),
        stranger.issue(&id).to_string(),
        uuid::Uuid::new_v4().to_string(),
        uuid::Uuid::nil().to_string(),
        uuid::Uuid::max().to_string(),
        booking.to_string(),
        HoldToken::of_restore(booking, 2).to_string(),
    ];
    tokens.extend([0, 37, 52, 55, 71, 72, 100, 127].map(|bit| with_bit(&own, bit)));
    tokens
}

async fn send_all(sys: &Sys, show: &str, token: &str) -> [Answer; 6] {
    let mut named = paid("pay_1");
    named["seats"] = json!(["E1"]);
    [
        sys.hold_status(show, token).await,
        sys.extend(show, token, 60).await,
        sys.release(show, token).await,
        sys.confirm(show, token, Value::Null).await,
        sys.confirm(show, token, named).await,
        sys.confirm(show, token, json!({"zone": "GA", "units": ["GA-1"]})).await,
    ]
}

#[tokio::test]
async fn a_token_that_was_not_issued_for_the_show_is_refused_before_any_store_is_asked() {
    let (sys, _proxy, front) = Sys::fragile(&PATIENT).await;
    let (show, other) = (sys.define(json!({})).await, sys.define(json!({})).await);
    sys.hold(&show, &["E9"]).await.expect(201);
    let asked = front.operations().len();
    let mark = sys.monitor().mark();
    for token in foreign(&show, &other) {
        let [status, rest @ ..] = send_all(&sys, &show, &token).await;
        assert_problem(&status, "hold_not_found", json!({}));
        for answer in rest {
            assert_problem(&answer, "hold_lost", never_issued());
        }
    }
    // In capitals it is no token at all.
    for answer in send_all(&sys, &show, &issued_token(&show).to_uppercase()).await {
        assert_invalid(&answer, &[("holdToken", "must be a UUID in lower case with hyphens")]);
    }
    assert_eq!(sys.monitor().seen_of_show(mark, &show), []);
    assert_eq!(front.operations().len(), asked, "{:?}", front.operations());
    // One that was issued is looked up.
    assert_problem(&sys.hold_status(&show, &issued_token(&show)).await, "hold_not_found", json!({}));
    assert_eq!(sys.monitor().seen_of_show(mark, &show).len(), 1);
}

/// What all keys and all items are.
async fn everything(sys: &Sys) -> (Vec<String>, Vec<String>) {
    let mut keys: Vec<String> = redis::cmd("KEYS").arg("*").query_async(&mut sys.redis().await).await.unwrap();
    let items = sys.dynamo().scan().table_name(TABLE).consistent_read(true).into_paginator().items().send();
    let items: Result<Vec<_>, _> = items.collect().await;
    let text = |item: &std::collections::HashMap<_, _>| format!("{:?}", std::collections::BTreeMap::from_iter(item));
    let mut items: Vec<String> = items.unwrap().iter().map(text).collect();
    keys.sort();
    items.sort();
    (keys, items)
}

/// INV-17: a caller without a seller's role leaves behind nothing that outlives a hold; nor does anyone with a token of
/// their own making.
#[tokio::test]
async fn inv_17_without_a_seller_nothing_is_sold_and_no_refund_is_due() {
    let sys = Sys::own(&[], &[]).await;
    let show = sys.define(json!({})).await;
    let (token, units) = (sys.hold(&show, &["E1"]).await, sys.decrement(&show, "GA", 1).await);
    let (token, units) = (token.text("holdToken"), units.text("holdToken"));
    let booked = sys.hold(&show, &["E2"]).await.text("holdToken").to_owned();
    let booking = sys.confirm(&show, &booked, paid("pay_81")).await.text("bookingId").to_owned();
    let before = everything(&sys).await;

    let mut seats = paid("pay_81");
    seats["seats"] = json!(["E9", "E10"]);
    let bodies =
        [json!({}), json!({"seats": ["E9", "E10"]}), json!({"zone": "GA", "units": ["GA-5"]}), paid("pay_81"), seats];
    // With every role, and tokens of the caller's own making.
    let nowhere = fresh_show_id();
    for invented in foreign(&show, &nowhere) {
        for body in &bodies {
            assert_eq!(sys.confirm(&show, &invented, body.clone()).await.expect(409)["reason"], "never_issued");
            let elsewhere = sys.confirm(&nowhere, &with_bit(&invented, 3), body.clone()).await;
            assert_eq!(elsewhere.expect(409)["reason"], "never_issued");
        }
    }
    // With real tokens and ids, and no role.
    let (redis, dynamo) = sys.addresses();
    for confirm_by in ["sellers", "buyers"] {
        let buyer = Sys::with(redis, dynamo, &[("LOCAL_ROLES", "buyer"), ("CONFIRM_BY", confirm_by)]);
        let free = |body: &Value| body.get("payment").is_none();
        for token in [token, units, &booked] {
            for body in bodies.iter().filter(|body| confirm_by == "sellers" || !free(body)) {
                buyer.confirm(&show, token, body.clone()).await.expect_problem(403, "forbidden");
            }
        }
        for body in [json!({}), json!({"refunded": true}), json!({"version": 1})] {
            let answer = buyer.call("POST", &format!("/bookings/{booking}/cancel"), body).await;
            answer.expect_problem(403, "forbidden");
        }
        let answer = buyer.call("POST", &format!("/bookings/{booking}/restore"), json!({})).await;
        answer.expect_problem(403, "forbidden");
    }
    assert_eq!(everything(&sys).await, before);
}

/// While the secret rotates, tokens of both are accepted everywhere; after it, those of the old one are no longer.
#[tokio::test]
async fn a_secret_rotates_without_losing_a_hold() {
    const NEXT: &str = "fedcba9876543210fedcba9876543210";
    let sys = Sys::own(&[], &[]).await;
    let show = sys.define(json!({})).await;
    let (redis, dynamo) = sys.addresses();
    let with =
        |current, accepted| Sys::with(redis, dynamo, &[("TOKEN_SECRET", current), ("TOKEN_SECRET_PREVIOUS", accepted)]);
    let steps = [with(TOKEN_SECRET, ""), with(TOKEN_SECRET, NEXT), with(NEXT, TOKEN_SECRET), with(NEXT, "")];
    // Each deployment meets tokens of the one before it, and of the one after it.
    for (number, pair) in steps.windows(2).enumerate() {
        for (from, to) in [(&pair[0], &pair[1]), (&pair[1], &pair[0])] {
            let seat = format!("E{}", number + 1);
            let token = from.hold(&show, &[&seat]).await.text("holdToken").to_owned();
            to.hold_status(&show, &token).await.expect(200);
            to.extend(&show, &token, 400).await.expect(200);
            to.release(&show, &token).await.expect(204);
        }
    }
    let token = steps[0].hold(&show, &["E9"]).await.text("holdToken").to_owned();
    assert_problem(&steps[3].extend(&show, &token, 60).await, "hold_lost", never_issued());
}
