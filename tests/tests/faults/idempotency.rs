//! A hold that is sent again with its `Idempotency-Key`, since its reply was lost on the way to the caller: it is the same
//! hold, and nobody else gets its places.

use holdfast::adapters::redis::keys;
use holdfast::domain::{SeatId, ShowId, ZoneId};
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::proxy::{After, Lose};
use holdfast_tests::sys::{Answer, Sys, paid};
use serde_json::{Value, json};

use super::outages::{UNHURRIED, assert_unavailable};
use super::redis_replies::events;

/// A script is sent four times at most.
const ATTEMPTS: usize = 4;

async fn send(sys: &Sys, path: &str, body: &Value) -> Answer {
    send_as(sys, "cart-4711", path, body).await
}

async fn send_as(sys: &Sys, key: &str, path: &str, body: &Value) -> Answer {
    let headers = [("content-type", "application/json"), ("idempotency-key", key), ("x-user-id", "ann")];
    sys.call_raw("POST", path, &headers, body.to_string()).await
}

/// Path, body, what the rival asks for, and a key of Redis that only this call has.
fn cases(show: &str) -> [(String, Value, Value, String, &'static str); 2] {
    let id = ShowId::parse(show).unwrap();
    let (holds, decrements) = (format!("/shows/{show}/holds"), format!("/shows/{show}/stock/GA/decrement"));
    let lock = keys::seat_hold(&id, &SeatId::parse("E7").unwrap());
    let stock = keys::stock(&id, &ZoneId::parse("GA").unwrap());
    [
        (holds, json!({"seats": ["E7", "E8"]}), json!({"seats": ["E8", "E9"]}), lock, "seat_unavailable"),
        (decrements, json!({"quantity": 10}), json!({"quantity": 1}), stock, "sold_out"),
    ]
}

/// Not one of the script's replies comes: 503, and it was done all the same.
#[tokio::test]
async fn the_same_key_gives_the_same_token_and_the_rival_gets_nothing() {
    let (sys, proxy, _front) = Sys::fragile(&UNHURRIED).await;
    let show = sys.define(json!({})).await;
    for (path, asked, rival, key, refusal) in cases(&show) {
        // The server has to know the script and the process the show's epoch, or the reply that is lost is one that says so.
        let warm = if asked.get("seats").is_some() { json!({"seats": ["E1"]}) } else { json!({"quantity": 1}) };
        let warm = send_as(&sys, "warm", &path, &warm).await.text("holdToken").to_owned();
        sys.release(&show, &warm).await.expect(204);
        let before = events(&sys, &show).await;
        (0..ATTEMPTS).for_each(|_| proxy.drop_reply(1, &key));
        assert_unavailable(&send(&sys, &path, &asked).await);
        assert_eq!(proxy.rules_left(), 0);
        sys.call("POST", &path, rival.clone()).await.expect_problem(409, refusal);

        let first = send(&sys, &path, &asked).await;
        assert_eq!((first.status, &first.body["state"]), (201, &json!("active")), "{}", first.body);
        let again = send(&sys, &path, &asked).await;
        assert_eq!((again.status, again.text("holdToken")), (201, first.text("holdToken")));
        assert_eq!(events(&sys, &show).await - before, 1, "it was taken once");
        sys.call("POST", &path, rival).await.expect_problem(409, refusal);
        sys.confirm(&show, first.text("holdToken"), paid("pay_1")).await.expect(201);
        assert_agreement(&sys, &show).await;
    }
}

/// It never came to the store: the repeat is the first, and before it the places are anybody's.
#[tokio::test]
async fn a_request_that_was_lost_took_nothing() {
    let (sys, proxy, _front) = Sys::fragile(&UNHURRIED).await;
    let show = sys.define(json!({})).await;
    let [(path, asked, rival, key, refusal), _] = cases(&show);
    (0..ATTEMPTS).for_each(|_| proxy.lose(Lose::Request, 1, &key, After::Cut));
    assert_unavailable(&send(&sys, &path, &asked).await);
    assert_eq!(proxy.rules_left(), 0);
    let others = sys.call("POST", &path, rival).await.text("holdToken").to_owned();
    send(&sys, &path, &asked).await.expect_problem(409, refusal);
    sys.release(&show, &others).await.expect(204);
    let first = send(&sys, &path, &asked).await;
    assert_eq!(send(&sys, &path, &asked).await.text("holdToken"), first.text("holdToken"));
    assert_agreement(&sys, &show).await;
}

/// Without a key nobody can ask again: what was taken stands until its time is over, and a second request is a rival.
#[tokio::test]
async fn without_a_key_the_second_request_is_a_rival() {
    let (sys, proxy, _front) = Sys::fragile(&UNHURRIED).await;
    let show = sys.define(json!({})).await;
    let warm = sys.hold(&show, &["E1"]).await.text("holdToken").to_owned();
    sys.release(&show, &warm).await.expect(204);
    let [(_, _, _, key, _), _] = cases(&show);
    (0..ATTEMPTS).for_each(|_| proxy.drop_reply(1, &key));
    assert_unavailable(&sys.hold(&show, &["E7"]).await);
    sys.hold(&show, &["E7"]).await.expect_problem(409, "seat_unavailable");
}
