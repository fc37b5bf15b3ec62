//! The reply of a script is lost after the script has run. The call sends it again: one effect, one answer.

use holdfast::adapters::redis::keys;
use holdfast::domain::{SeatId, ShowId, ZoneId};
use holdfast_tests::image::booking_of;
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::proxy::Proxy;
use holdfast_tests::sys::{Sys, paid};
use redis::AsyncCommands;
use serde_json::json;

use super::outages::{UNHURRIED, assert_unavailable};

/// A script is sent four times at most.
const ATTEMPTS: usize = 4;

fn id(show: &str) -> ShowId {
    ShowId::parse(show).unwrap()
}

/// A key that only the call that is meant has.
fn stock(show: &str) -> String {
    keys::stock(&id(show), &ZoneId::parse("GA").unwrap())
}

fn lose_replies(proxy: &Proxy, times: usize, what: &str) {
    (0..times).for_each(|_| proxy.drop_reply(1, what));
}

/// How many events a show has had: each change is one.
pub async fn events(sys: &Sys, show: &str) -> usize {
    redis::cmd("XLEN").arg(keys::events(&id(show))).query_async(&mut sys.redis().await).await.unwrap()
}

#[tokio::test]
async fn pitfall_19_a_decrement_whose_replies_are_lost_takes_stock_once() {
    let (sys, proxy, _front) = Sys::fragile(&UNHURRIED).await;
    let show = sys.define(json!({})).await;
    assert_eq!(sys.decrement(&show, "GA", 1).await.expect(201)["remaining"], 9);
    for lost in 1..ATTEMPTS {
        let before = events(&sys, &show).await;
        lose_replies(&proxy, lost, &stock(&show));
        let answer = sys.decrement(&show, "GA", 2).await.expect(201);
        assert_eq!(proxy.rules_left(), 0);
        assert_eq!(answer["remaining"], 9 - 2 * lost);
        assert_eq!(answer["units"], json!([format!("GA-{}", 2 * lost), format!("GA-{}", 2 * lost + 1)]));
        assert_eq!(answer["state"], "active");
        assert_eq!(events(&sys, &show).await - before, 1);
    }
    let count = sys.get(&format!("/shows/{show}/stock/GA")).await.expect(200);
    assert_eq!((&count["remaining"], &count["held"]), (&json!(3), &json!(7)));
    assert_agreement(&sys, &show).await;
}

/// Not even the last reply comes: 503, and what is taken is what one decrement takes.
#[tokio::test]
async fn pitfall_19_a_decrement_that_is_never_answered_takes_stock_once() {
    let (sys, proxy, _front) = Sys::fragile(&UNHURRIED).await;
    let show = sys.define(json!({})).await;
    sys.decrement(&show, "GA", 1).await.expect(201);
    lose_replies(&proxy, ATTEMPTS, &stock(&show));
    assert_unavailable(&sys.decrement(&show, "GA", 2).await);
    assert_eq!(proxy.rules_left(), 0);
    let count = sys.get(&format!("/shows/{show}/stock/GA")).await.expect(200);
    assert_eq!((&count["remaining"], &count["held"]), (&json!(7), &json!(3)));
    assert_agreement(&sys, &show).await;
}

#[tokio::test]
async fn pitfall_19_a_hold_whose_replies_are_lost_is_one_hold() {
    let (sys, proxy, _front) = Sys::fragile(&UNHURRIED).await;
    let show = sys.define(json!({})).await;
    sys.hold(&show, &["E1"]).await.expect(201);
    let (lock, before) = (keys::seat_hold(&id(&show), &SeatId::parse("E7").unwrap()), events(&sys, &show).await);
    lose_replies(&proxy, ATTEMPTS - 1, &lock);
    let answer = sys.hold(&show, &["E7", "E8"]).await;
    assert_eq!((answer.status, proxy.rules_left()), (201, 0), "{}", answer.body);
    assert_eq!(answer.body["state"], "active");
    assert_eq!(events(&sys, &show).await - before, 1);
    let holder: String = sys.redis().await.get(&lock).await.unwrap();
    assert_eq!(holder, answer.text("holdToken"));
    sys.confirm(&show, &holder, paid("pay_1")).await.expect(201);
    assert_agreement(&sys, &show).await;
}

#[tokio::test]
async fn pitfall_19_extend_and_release_whose_replies_are_lost() {
    let (sys, proxy, _front) = Sys::fragile(&UNHURRIED).await;
    let show = sys.define(json!({})).await;
    // The server has to know both scripts, or the replies that are lost are its not knowing them.
    let first = sys.hold_for(&show, &["E1"], 60).await.text("holdToken").to_owned();
    sys.extend(&show, &first, 61).await.expect(200);
    sys.release(&show, &first).await.expect(204);
    let token = sys.hold_for(&show, &["E7"], 60).await.text("holdToken").to_owned();
    // Of all that extend and release send, only the scripts themselves name the index of holds.
    let index = keys::held(&id(&show));
    lose_replies(&proxy, ATTEMPTS - 1, &index);
    let extended = sys.extend(&show, &token, 600).await.expect(200);
    assert_eq!(proxy.rules_left(), 0);
    assert!((590_000..=600_000).contains(&extended["expiresInMs"].as_u64().unwrap()), "{extended}");
    assert_eq!(sys.hold_status(&show, &token).await.expect(200)["expiresAt"], extended["expiresAt"]);

    let before = events(&sys, &show).await;
    lose_replies(&proxy, ATTEMPTS - 1, &index);
    sys.release(&show, &token).await.expect(204);
    assert_eq!((proxy.rules_left(), events(&sys, &show).await - before), (0, 1));
    sys.hold(&show, &["E7"]).await.expect(201);
    assert_agreement(&sys, &show).await;
}

#[tokio::test]
async fn pitfall_19_pin_and_mark_whose_replies_are_lost() {
    let (sys, proxy, _front) = Sys::fragile(&UNHURRIED).await;
    let show = sys.define(json!({})).await;
    for (seat, of_mark_too) in [("E1", false), ("E2", true)] {
        let token = sys.hold(&show, &[seat]).await.text("holdToken").to_owned();
        lose_replies(&proxy, ATTEMPTS - 1, &keys::confirming(&id(&show)));
        if of_mark_too {
            lose_replies(&proxy, ATTEMPTS - 1, &keys::booking(&id(&show), booking_of(&show, &token)));
        }
        let booking = sys.confirm(&show, &token, paid(&format!("pay_{seat}"))).await.expect(201);
        assert_eq!(proxy.rules_left(), 0);
        assert_eq!(booking["seats"], json!([seat]));
        let seats = sys.hold(&show, &[seat]).await.expect_problem(409, "seat_unavailable");
        assert_eq!(seats["seats"], json!([{"seat": seat, "reason": "sold"}]));
    }
    assert_agreement(&sys, &show).await;
}
