//! Holds that lapse while many ask for few seats.

use std::collections::BTreeMap;
use std::time::Duration;

use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::sys::{Client, paid};
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::crowd::Race;

const SEATS: [&str; 6] = ["E1", "E2", "E3", "E4", "E5", "E6"];
/// Long enough for every seat to change hands.
const LOAD: Duration = Duration::from_secs(3);

/// What one buyer saw.
#[derive(Debug, Default)]
struct Diary {
    load_ended: Option<Instant>,
    holds: BTreeMap<&'static str, usize>,
    sold: Vec<&'static str>,
    lost: usize,
}

/// Holds pairs for a second, never gives one back, and late or in time confirms every third: now and then one lapsed.
async fn buyer(client: Client, show: String, at: usize) -> Diary {
    let (mut diary, mut kept) = (Diary::default(), Vec::new());
    let begun = Instant::now();
    for round in at.. {
        let pair = [SEATS[round % SEATS.len()], SEATS[(round + 1 + at) % SEATS.len()]];
        let pair = if pair[0] == pair[1] { &pair[..1] } else { &pair[..] };
        let answer = client.hold_for(&show, pair, 1).await;
        if answer.status == 201 {
            pair.iter().for_each(|seat| *diary.holds.entry(*seat).or_default() += 1);
            kept.push((answer.text("holdToken").to_owned(), pair.to_vec()));
        } else {
            assert!(matches!(answer.code(), "seat_unavailable"), "{}", answer.body);
        }
        if begun.elapsed() > LOAD {
            break;
        }
    }
    diary.load_ended = Some(Instant::now());
    // Only now, so that the seats change hands for as long as the load lasts: old holds first, one after the other.
    for (token, pair) in kept {
        let answer = client.confirm(&show, &token, paid(&format!("pay_{token}"))).await;
        match answer.status {
            201 => diary.sold.extend(pair),
            _ => {
                assert!(matches!(answer.code(), "hold_lost"), "{}", answer.body);
                assert_eq!(answer.body["refund"]["status"], "due");
                diary.lost += 1;
            }
        }
    }
    diary
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn seats_change_hands_by_expiry_alone_and_each_is_sold_once() {
    let sys = Race::start().await;
    let show = sys.define(json!({})).await;
    let (mut tasks, begun) = (JoinSet::new(), Instant::now());
    for (at, client) in sys.environments.iter().cloned().enumerate() {
        tasks.spawn(buyer(client, show.clone(), at));
    }
    let diaries = tasks.join_all().await;
    let load_ended = diaries.iter().filter_map(|diary| diary.load_ended).max().unwrap();
    // A seat is held for a second at least: more holds than seconds would be two at once.
    let most = 1 + (load_ended - begun).as_secs() as usize;
    for seat in SEATS {
        let holds: usize = diaries.iter().filter_map(|diary| diary.holds.get(seat)).sum();
        let sold = diaries.iter().flat_map(|diary| &diary.sold).filter(|sold| **sold == seat).count();
        assert!(sold <= 1, "{seat} was sold {sold} times");
        assert!(holds > 1 && holds <= most, "{seat} was held {holds} times");
    }
    assert!(diaries.iter().any(|diary| !diary.sold.is_empty()) && diaries.iter().any(|diary| diary.lost > 0));
    assert_agreement(&sys, &show).await;
}
