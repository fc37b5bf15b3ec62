//! A restore that Redis cannot be told of is not known, and never refused because of its own places.

use holdfast::adapters::redis::keys;
use holdfast::domain::ShowId;
use holdfast_tests::image::booking_of;
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::proxy::{After, Lose, Proxy};
use holdfast_tests::sys::{Answer, Client, Sys, paid};
use serde_json::{Value, json};

use crate::outages::{UNHURRIED, assert_unavailable};

/// A script is sent four times at most.
const ATTEMPTS: usize = 4;

async fn change(client: &Client, show: &str, token: &str, what: &str) -> Answer {
    client.call("POST", &format!("/bookings/{}/{what}", booking_of(show, token)), Value::Null).await
}

/// Loses the next call that carries the version of this token's booking: a mark, or a free.
fn lose_version(proxy: &Proxy, show: &str, token: &str) {
    let version = keys::booking(&ShowId::parse(show).unwrap(), booking_of(show, token));
    (0..ATTEMPTS).for_each(|_| proxy.lose(Lose::Request, 1, &version, After::Cut));
}

/// Redis has not heard of the cancel, and has the places as sold to this very booking.
#[tokio::test]
async fn a_restore_whose_free_is_lost_is_unavailable_and_not_refused() {
    let (sys, proxy, _front) = Sys::fragile(&UNHURRIED).await;
    let show = sys.define(json!({})).await;
    for seat in ["E7", "E8"] {
        let token = sys.hold(&show, &[seat]).await.text("holdToken").to_owned();
        let booking = sys.confirm(&show, &token, paid("pay_1")).await.expect(201);
        lose_version(&proxy, &show, &token);
        change(&sys, &show, &token, "cancel").await.expect(200);
        lose_version(&proxy, &show, &token);
        assert_unavailable(&change(&sys, &show, &token, "restore").await);
        assert_eq!(proxy.rules_left(), 0);
        let mut restored = booking;
        restored["version"] = json!(3);
        assert_eq!(change(&sys, &show, &token, "restore").await.expect(200), restored);
        assert_agreement(&sys, &show).await;
    }
}

/// The guard refuses it, and it cannot let go of what it holds: the next one, or a reconcile, does.
#[tokio::test]
async fn a_refused_restore_that_cannot_let_go_is_not_known() {
    let (sys, proxy, _front) = Sys::fragile(&UNHURRIED).await;
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E7"]).await.text("holdToken").to_owned();
    sys.confirm(&show, &token, paid("pay_1")).await.expect(201);
    change(&sys, &show, &token, "cancel").await.expect(200);
    sys.settle(&booking_of(&show, &token).to_string(), "pay_1").await.expect(200);
    // The first free is that of the cancel, which comes again; the second one lets go.
    let version = keys::booking(&ShowId::parse(&show).unwrap(), booking_of(&show, &token));
    (0..ATTEMPTS).for_each(|_| proxy.lose(Lose::Request, 2, &version, After::Cut));
    assert_unavailable(&change(&sys, &show, &token, "restore").await);
    assert_eq!(proxy.rules_left(), 0);
    let refused = change(&sys, &show, &token, "restore").await.expect_problem(409, "not_restorable");
    assert_eq!(refused["reason"], "refunded");
    sys.hold(&show, &["E7"]).await.expect(201);
    assert_agreement(&sys, &show).await;
}
