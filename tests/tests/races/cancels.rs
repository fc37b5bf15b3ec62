//! Cancels, restores, settlements and rivals in the same instant: the record takes one of them after the other.

use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::sys::{Answer, Client, paid};
use serde_json::{Value, json};

use super::crowd::{CLIENTS, Race, assert_tally, tally};

const ROUNDS: usize = 10;

/// A paid booking of a seat: its id, and its token.
async fn booked(client: &Client, show: &str, seat: &str) -> (String, String) {
    booked_with(client, show, seat, "pay_1").await
}

async fn booked_with(client: &Client, show: &str, seat: &str, reference: &str) -> (String, String) {
    let token = client.hold(show, &[seat]).await.text("holdToken").to_owned();
    let id = client.confirm(show, &token, paid(reference)).await.text("bookingId").to_owned();
    (id, token)
}

async fn post(client: &Client, id: &str, action: &str) -> Answer {
    client.call("POST", &format!("/bookings/{id}/{action}"), Value::Null).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_change_by_many_is_one_change() {
    let race = Race::start().await;
    let show = race.define(json!({})).await;
    let (id, _) = booked(&race, &show, "E1").await;
    for action in ["cancel", "restore", "cancel", "restore"] {
        let by_one = id.clone();
        let answers = race.at_once(CLIENTS, |client, _| {
            let id = by_one.clone();
            async move { post(&client, &id, action).await }
        });
        let answers = answers.await;
        assert_tally(&answers, &[(200, "", CLIENTS)]);
        assert!(answers.iter().all(|answer| answer.body == answers[0].body), "{answers:#?}");
        assert_agreement(&race, &show).await;
    }
}

/// Whatever the order was in the end, both stores tell the same, and somebody who asks again is told that.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancels_and_restores_at_once_end_in_one_of_both() {
    let race = Race::start().await;
    let show = race.define(json!({})).await;
    for round in 0..ROUNDS {
        let (id, token) = booked(&race, &show, &format!("E{}", round + 1)).await;
        let of_round = (show.clone(), id.clone(), token.clone());
        let answers = race.at_once(2 * CLIENTS, |client, caller| {
            let (show, id, token) = of_round.clone();
            async move {
                match caller % 4 {
                    0 | 1 => post(&client, &id, "cancel").await,
                    2 => post(&client, &id, "restore").await,
                    _ => client.confirm(&show, &token, paid("pay_1")).await,
                }
            }
        });
        for ((status, code), count) in tally(&answers.await) {
            // One that was overtaken twice is told to ask again.
            let allowed = matches!((status, &*code), (200, "") | (409, "already_cancelled") | (503, "unavailable"));
            assert!(allowed, "{count} times {status} {code}");
        }
        assert_agreement(&race, &show).await;
        let booking = race.get(&format!("/bookings/{id}")).await.expect(200);
        let again = race.confirm(&show, &token, paid("pay_1")).await;
        let wanted = if booking["status"] == "confirmed" { (200, "") } else { (409, "already_cancelled") };
        assert_eq!((again.status, again.code()), wanted);
    }
}

/// Of a restore and a new hold of the same seat one has it, and the other one is told so.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restore_and_a_rival_do_not_both_have_the_seat() {
    let race = Race::start().await;
    let show = race.define(json!({})).await;
    for round in 0..ROUNDS {
        let seat = format!("E{}", round + 1);
        let (id, _) = booked(&race, &show, &seat).await;
        post(&race, &id, "cancel").await.expect(200);
        let of_round = (show.clone(), id.clone(), seat.clone());
        let answers = race.at_once(CLIENTS, |client, caller| {
            let (show, id, seat) = of_round.clone();
            async move {
                if caller % 2 == 0 {
                    (true, post(&client, &id, "restore").await)
                } else {
                    let hold = client.hold(&show, &[&seat]).await;
                    if hold.status != 201 {
                        return (false, hold);
                    }
                    (false, client.confirm(&show, hold.text("holdToken"), paid("pay_2")).await)
                }
            }
        });
        let answers = answers.await;
        let (restores, rivals): (Vec<_>, Vec<_>) = answers.iter().partition(|(is_restore, _)| *is_restore);
        let won = |answers: &[&(bool, Answer)]| answers.iter().filter(|(_, answer)| answer.status < 300).count();
        let (by_restore, by_rival) = (won(&restores), won(&rivals));
        let one_has_it = (by_restore, by_rival) == (CLIENTS / 2, 0) || (by_restore, by_rival) == (0, 1);
        assert!(one_has_it, "{answers:#?}");
        for (is_restore, answer) in answers.iter().filter(|(_, answer)| answer.status >= 300) {
            assert_eq!(answer.code(), if *is_restore { "not_restorable" } else { "seat_unavailable" }, "{answer:?}");
        }
        assert_agreement(&race, &show).await;
    }
}

/// The money goes back, or it pays for the seat again: never both, and never neither.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_settlement_and_a_restore_exclude_each_other() {
    let race = Race::start().await;
    let show = race.define(json!({})).await;
    for round in 0..ROUNDS {
        // Of a payment for which another booking stands, nothing can be settled.
        let reference = format!("pay_{round}_{show}");
        let (id, _) = booked_with(&race, &show, &format!("E{}", round + 1), &reference).await;
        post(&race, &id, "cancel").await.expect(200);
        let of_round = (id.clone(), reference.clone());
        let answers = race.at_once(CLIENTS, |client, caller| {
            let (id, reference) = of_round.clone();
            async move {
                if caller % 2 == 0 { post(&client, &id, "restore").await } else { client.settle(&id, &reference).await }
            }
        });
        let answers = answers.await;
        let half = CLIENTS / 2;
        let restored = [((200, String::new()), half), ((404, "refund_not_found".to_owned()), half)];
        let settled = [((200, String::new()), half), ((409, "not_restorable".to_owned()), half)];
        let tally = tally(&answers);
        assert!(tally == restored.into() || tally == settled.into(), "{answers:#?}");
        assert_agreement(&race, &show).await;
    }
}
