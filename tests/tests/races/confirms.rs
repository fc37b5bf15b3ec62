//! Two confirms of one token in the same instant.

use std::sync::Arc;

use holdfast_tests::image::booking_of;
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::sys::{Answer, Client, paid};
use serde_json::{Value, json};
use tokio::sync::Barrier;
use tokio::task::JoinSet;

use super::crowd::Race;

/// How many pairs confirm side by side.
const LANES: usize = 4;

/// Confirms a hold from two environments at once.
async fn twice(pair: [Client; 2], show: &str, token: &str, bodies: [Value; 2]) -> [Answer; 2] {
    let start = Arc::new(Barrier::new(2));
    let tasks = pair.into_iter().zip(bodies).map(|(client, body)| {
        let (start, show, token) = (Arc::clone(&start), show.to_owned(), token.to_owned());
        tokio::spawn(async move {
            start.wait().await;
            client.confirm(&show, &token, body).await
        })
    });
    let [first, second] = tasks.collect::<Vec<_>>().try_into().unwrap();
    [first.await.unwrap(), second.await.unwrap()]
}

/// Runs `rounds` in each of four lanes, each on a seat of its own: `E<lane * rounds + round + 1>`.
async fn in_lanes<F>(
    clients: &[Client],
    rounds: usize,
    round: impl Fn([Client; 2], String, String) -> F + Clone + Send + 'static,
) where
    F: Future<Output = ()> + Send + 'static,
{
    let mut lanes = JoinSet::new();
    for (lane, pair) in clients.chunks(2).take(LANES).enumerate() {
        let (pair, round): ([Client; 2], _) = (pair.to_vec().try_into().unwrap(), round.clone());
        lanes.spawn(async move {
            for at in 0..rounds {
                let seat = lane * rounds + at + 1;
                round(pair.clone(), format!("E{seat}"), format!("pay_{seat}")).await;
            }
        });
    }
    lanes.join_all().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pitfall_13_two_confirms_at_once_are_one_booking_two_hundred_times() {
    let sys = Race::start().await;
    let show = sys.define(json!({"sections": [{"id": "s", "rows": [{"id": "E", "from": 1, "to": 200}]}]})).await;
    let of_round = show.clone();
    in_lanes(&sys.environments, 50, move |pair, seat, reference| {
        let show = of_round.clone();
        async move {
            let token = pair[0].hold(&show, &[&seat]).await.text("holdToken").to_owned();
            let [first, second] = twice(pair.clone(), &show, &token, [paid(&reference), paid(&reference)]).await;
            let mut statuses = [first.status, second.status];
            statuses.sort_unstable();
            assert_eq!(statuses, [200, 201], "{} {}", first.body, second.body);
            assert_eq!(first.body, second.body);
            assert_eq!(first.text("bookingId"), booking_of(&show, &token).to_string());
            assert_eq!(first.body["seats"], json!([seat]));
            let read = pair[1].get(&format!("/bookings/{}", first.text("bookingId"))).await.expect(200);
            assert_eq!(read, first.body);
        }
    })
    .await;
    assert_agreement(&sys, &show).await;
}

/// Only one payment can be the booking's. The other one is due back.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_payments_at_once_are_one_booking_and_one_refund() {
    let sys = Race::start().await;
    let show = sys.define(json!({})).await;
    let of_round = show.clone();
    in_lanes(&sys.environments, 5, move |pair, seat, reference| {
        let show = of_round.clone();
        async move {
            let token = pair[0].hold(&show, &[&seat]).await.text("holdToken").to_owned();
            let references = [format!("{reference}_a"), format!("{reference}_b")];
            let bodies = [paid(&references[0]), paid(&references[1])];
            let answers = twice(pair, &show, &token, bodies).await;
            let (won, lost) = if answers[0].status < 300 { (0, 1) } else { (1, 0) };
            assert!(matches!(answers[won].status, 200 | 201), "{answers:?}");
            assert_eq!(answers[won].body["payment"]["reference"], references[won]);
            let refused = answers[lost].clone().expect_problem(422, "idempotency_mismatch");
            assert_eq!(refused["refund"], json!({"reference": references[lost], "status": "due"}));
        }
    })
    .await;
    assert_agreement(&sys, &show).await;
}
