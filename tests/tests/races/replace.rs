//! A show that is replaced while people buy, or while others replace it.

use holdfast_tests::invariants::{assert_agreement, assert_invariants};
use holdfast_tests::sys::{Client, paid};
use serde_json::{Value, json};

use super::crowd::{Race, assert_tally, tally};

fn rows(to: usize) -> Value {
    json!({"name": "Hamlet", "sections": [{"id": "stalls", "rows": [{"id": "E", "from": 1, "to": to}]}]})
}

async fn put(client: &Client, show: &str, body: Value) -> holdfast_tests::sys::Answer {
    client.call("PUT", &format!("/shows/{show}"), body).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_seat_is_held_or_removed_but_never_both() {
    let sys = Race::start().await;
    let (mut held, mut removed) = (0, 0);
    for round in 0..8 {
        let show = sys.define(rows(20)).await;
        // The first touch loads the show: without it the PUT would have nothing to close.
        sys.hold(&show, &["E1"]).await.expect(201);
        let answers = sys
            .at_once(8, |client, buyer| {
                let show = show.clone();
                async move {
                    // Who comes first changes from round to round.
                    if buyer == round {
                        put(&client, &show, rows(19)).await
                    } else {
                        client.hold(&show, &["E20"]).await
                    }
                }
            })
            .await;
        let is_put =
            |answer: &&holdfast_tests::sys::Answer| answer.body["sections"] != json!(null) || answer.code() == "in_use";
        let replaced = answers.iter().find(is_put).unwrap();
        let won: Vec<_> = answers.iter().filter(|answer| answer.status == 201).collect();
        match replaced.status {
            200 => {
                removed += 1;
                assert_tally(&answers, &[(200, "", 1), (404, "unknown_seat", 7)]);
            }
            _ => {
                held += 1;
                assert_tally(&answers, &[(409, "in_use", 1), (201, "", 1), (409, "seat_unavailable", 6)]);
                assert_eq!(replaced.body["places"], json!(["E20"]));
                sys.confirm(&show, won[0].text("holdToken"), paid("pay_1")).await.expect(201);
            }
        }
        assert_agreement(&sys, &show).await;
    }
    assert!(held + removed == 8, "{held} held, {removed} removed");
}

/// Each PUT is a version of its own or refused, and the last version is what people can hold.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_definitions_at_once_the_last_version_is_what_is_sold() {
    let sys = Race::start().await;
    for _ in 0..5 {
        let show = sys.define(rows(10)).await;
        sys.hold(&show, &["E1"]).await.expect(201);
        let answers = sys
            .at_once(8, |client, buyer| {
                let show = show.clone();
                // Some take seats away, some add them.
                async move { put(&client, &show, rows(4 + 2 * buyer)).await }
            })
            .await;
        assert!(answers.iter().all(|answer| matches!(answer.status, 200 | 409 | 503)), "{:?}", tally(&answers));
        let now = sys.get(&format!("/shows/{show}")).await.expect(200);
        let written =
            answers.iter().filter(|answer| answer.status == 200 && answer.body["sections"] == now["sections"]);
        assert!(written.count() > 0, "{now} was answered to nobody: {:?}", tally(&answers));
        let last = now["places"].as_u64().unwrap() as usize;
        for seat in 2..=20 {
            let answer = sys.hold(&show, &[&format!("E{seat}")]).await;
            if seat <= last {
                answer.expect(201);
            } else {
                answer.expect_problem(404, "unknown_seat");
            }
        }
        assert_invariants(&sys, &show).await;
    }
}
