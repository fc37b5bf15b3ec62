//! A token that nobody knew when it was asked for, and that somebody holds places with by the time it is acted on.

use holdfast::Touch;
use holdfast::domain::{Buyer, Request, ShowId};
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::loaded;
use holdfast_tests::sys::Sys;
use serde_json::json;

use crate::expect::assert_problem;
use crate::lists::PATIENT;

#[tokio::test]
async fn an_extend_of_a_token_that_becomes_known_changes_nothing() {
    let (sys, _proxy, front) = Sys::fragile(&PATIENT).await;
    let show = sys.define(json!({})).await;
    sys.hold(&show, &["E1"]).await.expect(201);
    let id = ShowId::parse(&show).unwrap();
    let token = loaded::token_secrets().issue(&id);
    // Redis does not know the token; whether it is booked is read while somebody takes a seat with it.
    let gate = front.on("GetItem").hold_before();
    let asked = token.to_string();
    let (extended, held) = tokio::join!(sys.extend(&show, &asked, 800), async {
        gate.reached().await;
        let request = Request::once(token);
        let (stores, seats) = (sys.app().stores(loaded::deadline()), loaded::seats(&["E2"]));
        let held = stores.redis.hold_seats(&id, &request, &seats, Some(60_000), &Buyer::default()).await.unwrap();
        gate.open();
        held
    });
    assert_problem(&extended, "hold_lost", json!({}));
    let Touch::Known(Ok(held)) = held else { panic!("{held:?}") };
    let status = sys.hold_status(&show, &asked).await.expect(200);
    assert_eq!(status["state"], "active");
    assert!(status["expiresInMs"].as_u64() <= Some(held.lease.expires_in_ms), "{status}");
    sys.extend(&show, &asked, 800).await.expect(200);
    sys.confirm(&show, &asked, json!({})).await.expect(201);
    assert_agreement(&sys, &show).await;
}
