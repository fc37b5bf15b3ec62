//! After the hold script ran: the same request with the same key, or expiry.

use holdfast::adapters::redis::keys;
use holdfast::domain::{SeatId, ShowId};
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::poll::until;
use holdfast_tests::proxy::Proxy;
use holdfast_tests::sys::{Answer, Client, Sys};
use serde_json::json;

use crate::outages::{UNHURRIED, assert_unavailable};

/// A script is sent four times at most.
const ATTEMPTS: usize = 4;

async fn hold(client: &Client, show: &str, key: Option<&str>, ttl_seconds: u64) -> Answer {
    let mut headers = vec![("content-type", "application/json"), ("x-user-id", "ann")];
    headers.extend(key.map(|key| ("idempotency-key", key)));
    let body = json!({"seats": ["E7", "E8"], "ttlSeconds": ttl_seconds}).to_string();
    client.call_raw("POST", &format!("/shows/{show}/holds"), &headers, body).await
}

/// The server knows the script, and the process the show's epoch.
async fn warm(sys: &Sys, show: &str) {
    let headers = [("content-type", "application/json"), ("x-user-id", "ann"), ("idempotency-key", "warm")];
    let body = json!({"seats": ["E1"]}).to_string();
    sys.call_raw("POST", &format!("/shows/{show}/holds"), &headers, body).await.expect(201);
}

/// No reply to a hold of `E7` reaches the process.
fn lose_replies(proxy: &Proxy, show: &str) {
    let lock = keys::seat_hold(&ShowId::parse(show).unwrap(), &SeatId::parse("E7").unwrap());
    (0..ATTEMPTS).for_each(|_| proxy.drop_reply(1, &lock));
}

/// After the hold script ran: the same request with the same key, or expiry. Here the key.
#[tokio::test]
async fn a_hold_that_was_never_answered_is_the_same_hold_for_the_same_key() {
    let (sys, proxy, _front) = Sys::fragile(&UNHURRIED).await;
    let show = sys.define(json!({})).await;
    warm(&sys, &show).await;
    lose_replies(&proxy, &show);
    assert_unavailable(&hold(&sys, &show, Some("k"), 300).await);
    assert_eq!(proxy.rules_left(), 0);
    sys.hold(&show, &["E8"]).await.expect_problem(409, "seat_unavailable");
    // In another process, too.
    let mut tokens = Vec::new();
    for client in sys.clients(2) {
        let again = hold(&client, &show, Some("k"), 300).await.expect(201);
        assert_eq!((&again["state"], &again["seats"]), (&json!("active"), &json!(["E7", "E8"])));
        tokens.push(again["holdToken"].as_str().unwrap().to_owned());
    }
    assert_eq!(tokens[0], tokens[1]);
    sys.release(&show, &tokens[0]).await.expect(204);
    sys.hold(&show, &["E7", "E8"]).await.expect(201);
    assert_agreement(&sys, &show).await;
}

/// After the hold script ran: the same request with the same key, or expiry. Here nobody knows the token.
#[tokio::test]
async fn a_hold_that_was_never_answered_and_has_no_key_lapses() {
    let (sys, proxy, _front) = Sys::fragile(&UNHURRIED).await;
    let show = sys.define(json!({})).await;
    warm(&sys, &show).await;
    lose_replies(&proxy, &show);
    assert_unavailable(&hold(&sys, &show, None, 1).await);
    until("the seats are for sale again", || async {
        let next = hold(&sys, &show, None, 300).await;
        (next.status == 201).then_some(())
    })
    .await;
    assert_agreement(&sys, &show).await;
}
