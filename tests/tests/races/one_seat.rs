//! Everybody wants the same seat.

use holdfast_tests::image::{Image, booking_of};
use holdfast_tests::invariants::{assert_agreement, assert_invariants};
use holdfast_tests::loaded::any_token;
use holdfast_tests::sys::paid;
use serde_json::json;

use super::crowd::{Race, assert_tally};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pitfall_1_one_of_a_hundred_buyers_has_the_seat_and_an_invented_token_is_good_for_nothing() {
    let sys = Race::start().await;
    let show = sys.define(json!({})).await;
    let answers = sys
        .at_once(100, |client, _| {
            let show = show.clone();
            async move { client.hold(&show, &["E7"]).await }
        })
        .await;
    assert_tally(&answers, &[(201, "", 1), (409, "seat_unavailable", 99)]);
    for loser in answers.iter().filter(|answer| answer.status == 409) {
        assert_eq!(loser.body["holdToken"], json!(null));
        assert_eq!(
            (&loser.body["seats"][0]["seat"], &loser.body["seats"][0]["reason"]),
            (&json!("E7"), &json!("held"))
        );
    }
    let winner = answers.iter().find(|answer| answer.status == 201).unwrap().text("holdToken").to_owned();

    // Tokens of the losers' own making, in every call that takes one.
    let before = Image::without(&mut sys.redis().await, &show, &winner).await;
    let refused = sys
        .at_once(40, |client, buyer| {
            let (show, token) = (show.clone(), any_token().to_string());
            async move {
                match buyer % 4 {
                    0 => client.release(&show, &token).await,
                    1 => client.extend(&show, &token, 300).await,
                    2 => client.confirm(&show, &token, json!({})).await,
                    _ => client.confirm(&show, &token, json!({"seats": ["E7"]})).await,
                }
            }
        })
        .await;
    assert_tally(&refused, &[(409, "hold_lost", 40)]);
    let after = Image::without(&mut sys.redis().await, &show, &winner).await;
    before.assert_same(&after, "an invented token");

    let booking = sys.confirm(&show, &winner, paid("pay_1")).await.expect(201);
    assert_eq!(booking["bookingId"], booking_of(&show, &winner).to_string());
    assert_agreement(&sys, &show).await;
}

/// INV-17: a made-up token owes nobody anything; nothing of it stands anywhere.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pitfall_1_a_payment_for_an_invented_token_leaves_nothing() {
    let sys = Race::start().await;
    let show = sys.define(json!({})).await;
    let winner = sys.hold(&show, &["E7"]).await.text("holdToken").to_owned();
    let before = Image::without(&mut sys.redis().await, &show, &winner).await;
    let refused = sys
        .at_once(16, |client, buyer| {
            let (show, token) = (show.clone(), any_token().to_string());
            let mut body = paid(&format!("pay_{buyer}"));
            body["seats"] = json!(["E7"]);
            async move { client.confirm(&show, &token, body).await }
        })
        .await;
    assert_tally(&refused, &[(409, "hold_lost", 16)]);
    assert!(refused.iter().all(|answer| answer.body["reason"] == "never_issued"));
    assert!(refused.iter().all(|answer| answer.body["refund"] == json!(null)));
    let after = Image::without(&mut sys.redis().await, &show, &winner).await;
    before.assert_same(&after, "a payment for an invented token");
    assert_invariants(&sys, &show).await;
    sys.confirm(&show, &winner, paid("pay_w")).await.expect(201);
    assert_agreement(&sys, &show).await;
}
