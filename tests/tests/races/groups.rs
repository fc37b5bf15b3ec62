//! Groups that overlap, named in opposite orders: all or nothing, and nobody sees a part.

use std::collections::BTreeSet;

use holdfast_tests::invariants::assert_invariants;
use holdfast_tests::sys::{Answer, Client};
use serde_json::json;
use tokio::task::JoinSet;

use super::crowd::{Race, assert_tally};

const FRONT: [&str; 3] = ["E1", "E2", "E3"];
/// It shares `E3` with the front.
const BACK: [&str; 3] = ["E5", "E4", "E3"];
const ALL: [&str; 5] = ["E1", "E2", "E3", "E4", "E5"];
const ROUNDS: usize = 60;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pitfall_67_groups_in_opposite_orders_have_one_winner() {
    let sys = Race::start().await;
    let show = sys.define(json!({})).await;
    let answers = sys
        .at_once(100, |client, buyer| {
            let (show, group) = (show.clone(), if buyer % 2 == 0 { FRONT } else { BACK });
            async move { (group, client.hold(&show, &group).await) }
        })
        .await;
    assert_tally(answers.iter().map(|(_, answer)| answer), &[(201, "", 1), (409, "seat_unavailable", 99)]);
    let (winners, _) = answers.iter().find(|(_, answer)| answer.status == 201).unwrap();
    let others = ALL.into_iter().filter(|seat| !winners.contains(seat)).collect::<Vec<_>>();
    sys.hold(&show, &others).await.expect(201);
    assert_invariants(&sys, &show).await;
}

/// The seats that a refusal names.
fn refused(answer: &Answer) -> BTreeSet<String> {
    let seats = answer.clone().expect_problem(409, "seat_unavailable");
    seats["seats"].as_array().unwrap().iter().map(|seat| seat["seat"].as_str().unwrap().to_owned()).collect()
}

fn set(seats: &[&str]) -> BTreeSet<String> {
    seats.iter().map(|seat| (*seat).to_owned()).collect()
}

/// Holds a group and gives it back, again and again. What is in the way must be one of `may_be_held`: whole groups only.
async fn come_and_go(
    client: Client,
    show: String,
    group: &'static [&'static str],
    may_be_held: Vec<BTreeSet<String>>,
) -> [usize; 2] {
    let mut seen = [0, 0];
    for _ in 0..ROUNDS {
        let answer = client.hold(&show, group).await;
        if answer.status == 201 {
            seen[0] += 1;
            client.release(&show, answer.text("holdToken")).await.expect(204);
        } else {
            seen[1] += 1;
            let held = refused(&answer);
            assert!(may_be_held.contains(&held), "{group:?} met {held:?}, a part of a hold");
        }
    }
    seen
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_ever_sees_a_part_of_a_hold() {
    let sys = Race::start().await;
    let show = sys.define(json!({})).await;
    let mut tasks = JoinSet::new();
    for (at, client) in sys.environments.iter().cloned().enumerate() {
        let show = show.clone();
        match at % 4 {
            0 => tasks.spawn(come_and_go(client, show, &FRONT, vec![set(&["E3"]), set(&FRONT)])),
            1 => tasks.spawn(come_and_go(client, show, &BACK, vec![set(&["E3"]), set(&BACK)])),
            // They ask for everything, and so see whose seats are held now.
            _ => tasks.spawn(come_and_go(client, show, &ALL, vec![set(&FRONT), set(&BACK), set(&ALL)])),
        };
    }
    let seen = tasks.join_all().await;
    let [granted, refused] = seen.iter().fold([0, 0], |sum, seen| [sum[0] + seen[0], sum[1] + seen[1]]);
    assert!(granted > 8 && refused > 8, "they met: {seen:?}");
    assert_invariants(&sys, &show).await;
    sys.hold(&show, &ALL).await.expect(201);
}
