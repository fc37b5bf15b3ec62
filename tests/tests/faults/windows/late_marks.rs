//! Windows between the transaction and the mark.

use holdfast::adapters::redis::keys;
use holdfast::domain::ShowId;
use holdfast_tests::image::{Image, booking_of, lose_hold};
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::poll::until;
use holdfast_tests::proxy::{After, Lose, Proxy};
use holdfast_tests::sys::{Sys, paid};
use holdfast_tests::{raw, servers};
use serde_json::json;

use crate::outages::UNHURRIED;

/// A script is sent four times at most.
const ATTEMPTS: usize = 4;

/// What only a mark of this token's booking carries, of all that a confirm sends.
fn mark_of(show: &str, token: &str) -> String {
    keys::booking(&ShowId::parse(show).unwrap(), booking_of(show, token))
}

/// Confirms a hold of `E7` whose mark never arrives: a booking that Redis does not know of.
async fn unmarked(sys: &Sys, proxy: &Proxy, show: &str) -> String {
    let token = sys.hold(show, &["E7"]).await.text("holdToken").to_owned();
    (0..ATTEMPTS).for_each(|_| proxy.lose(Lose::Request, 1, mark_of(show, &token), After::Cut));
    sys.confirm(show, &token, paid("pay_1")).await.expect(201);
    assert_eq!(proxy.rules_left(), 0);
    token
}

/// After the transaction, before the mark: the seat stays pinned, and the repeated confirm marks nothing wrong.
#[tokio::test]
async fn a_lost_mark_leaves_the_seat_with_its_owner() {
    let (sys, proxy, _front) = Sys::fragile(&UNHURRIED).await;
    let show = sys.define(json!({})).await;
    let token = unmarked(&sys, &proxy, &show).await;
    sys.hold(&show, &["E7"]).await.expect_problem(409, "seat_unavailable");
    sys.release(&show, &token).await.expect(409);
    sys.confirm(&show, &token, paid("pay_1")).await.expect(200);
    let taken = sys.hold(&show, &["E7"]).await.expect_problem(409, "seat_unavailable");
    assert_eq!(taken["seats"], json!([{"seat": "E7", "reason": "sold"}]));
    assert_agreement(&sys, &show).await;
}

/// After the transaction, before the mark: read repair at the next confirm.
#[tokio::test]
async fn a_lost_mark_is_repaired_by_the_next_owners_refusal() {
    let (sys, proxy, _front) = Sys::fragile(&UNHURRIED).await;
    let show = sys.define(json!({})).await;
    let token = unmarked(&sys, &proxy, &show).await;
    lose_hold(&mut sys.redis().await, &show, &token, &["E7"]).await;
    let next = sys.hold(&show, &["E6", "E7", "E8"]).await.text("holdToken").to_owned();
    let refused = sys.confirm(&show, &next, paid("pay_2")).await.expect_problem(409, "seat_already_sold");
    assert_eq!(refused["seats"], json!(["E7"]));
    assert_eq!(refused["refund"], json!({"reference": "pay_2", "status": "due"}));
    // Marked for who bought it, and the rest of the hold is for sale.
    let taken = sys.hold(&show, &["E7"]).await.expect_problem(409, "seat_unavailable");
    assert_eq!(taken["seats"], json!([{"seat": "E7", "reason": "sold"}]));
    sys.hold(&show, &["E6", "E8"]).await.expect(201);
    assert_eq!(sys.hold_status(&show, &next).await.expect(200)["state"], "refused");
    assert_agreement(&sys, &show).await;
}

/// A mark that arrives late, when somebody else holds the seat: it takes nothing from them. The guard decides.
#[tokio::test]
async fn a_mark_that_arrives_late_takes_no_seat_from_a_live_hold() {
    let (sys, proxy, _front) = Sys::fragile(&UNHURRIED).await;
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E7"]).await.text("holdToken").to_owned();
    let late = proxy.hold(1, mark_of(&show, &token));
    (1..ATTEMPTS).for_each(|_| proxy.lose(Lose::Request, 1, mark_of(&show, &token), After::Cut));
    sys.confirm(&show, &token, paid("pay_1")).await.expect(201);
    assert_eq!(proxy.rules_left(), 0);

    let mut redis = raw::redis(&servers::redis().url()).await;
    lose_hold(&mut redis, &show, &token, &["E7"]).await;
    let next = sys.hold(&show, &["E7"]).await.text("holdToken").to_owned();
    let before = Image::without(&mut redis, &show, &token).await;
    let mark = sys.monitor().mark();
    late.open();
    until("the late mark has run", || async {
        sys.monitor().seen_of_show(mark, &show).iter().any(|seen| seen.script == Some("mark")).then_some(())
    })
    .await;
    before.assert_same(&Image::without(&mut redis, &show, &token).await, "a late mark");
    sys.confirm(&show, &next, paid("pay_2")).await.expect_problem(409, "seat_already_sold");
    sys.hold(&show, &["E7"]).await.expect_problem(409, "seat_unavailable");
    assert_agreement(&sys, &show).await;
}

/// A mark that arrives late and twice, when all is said and done, changes nothing.
#[tokio::test]
async fn a_mark_that_arrives_twice_is_one_sale() {
    let (sys, proxy, _front) = Sys::fragile(&UNHURRIED).await;
    let show = sys.define(json!({})).await;
    let token = sys.decrement(&show, "GA", 2).await.text("holdToken").to_owned();
    let late = proxy.hold(1, mark_of(&show, &token));
    sys.confirm(&show, &token, paid("pay_1")).await.expect(201);
    let mut redis = raw::redis(&servers::redis().url()).await;
    let before = Image::without(&mut redis, &show, &token).await;
    let mark = sys.monitor().mark();
    late.open();
    until("the late mark has run", || async {
        sys.monitor().seen_of_show(mark, &show).iter().any(|seen| seen.script == Some("mark")).then_some(())
    })
    .await;
    before.assert_same(&Image::without(&mut redis, &show, &token).await, "a second mark");
    assert_eq!(sys.get(&format!("/shows/{show}/stock/GA")).await.expect(200)["sold"], 2);
    assert_agreement(&sys, &show).await;
}
