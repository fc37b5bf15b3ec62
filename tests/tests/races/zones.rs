//! Everybody wants units of the same zone.

use std::collections::BTreeSet;

use holdfast_tests::invariants::{assert_agreement, assert_invariants};
use holdfast_tests::sys::{Client, paid};
use serde_json::{Value, json};

use super::crowd::{Race, assert_tally};

/// A show of one zone.
async fn zone_of(client: &Client, capacity: u64) -> String {
    client.define(json!({"sections": null, "zones": [{"id": "GA", "capacity": capacity}]})).await
}

async fn count(client: &Client, show: &str, zone: &str) -> Value {
    client.get(&format!("/shows/{show}/stock/{zone}")).await.expect(200)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_buyers_share_a_hundred_units_and_none_is_sold_twice() {
    let sys = Race::start().await;
    let show = zone_of(&sys, 100).await;
    let answers = sys
        .in_a_rush(1_000, |client, buyer| {
            let show = show.clone();
            async move {
                let held = client.decrement(&show, "GA", 1).await;
                if held.status != 201 {
                    return (held, None);
                }
                let paid = paid(&format!("pay_{buyer}"));
                let booked = client.confirm(&show, held.text("holdToken"), paid).await;
                (held, Some(booked))
            }
        })
        .await;
    assert_tally(answers.iter().map(|(held, _)| held), &[(201, "", 100), (409, "sold_out", 900)]);
    let booked: Vec<_> = answers.iter().filter_map(|(_, booked)| booked.as_ref()).collect();
    assert_tally(booked.iter().copied(), &[(201, "", 100)]);
    let units: BTreeSet<String> = booked.iter().map(|answer| answer.body["units"].to_string()).collect();
    assert_eq!(units.len(), 100, "{units:?}");
    let wanted = json!({"zone": "GA", "capacity": 100, "remaining": 0, "held": 0, "sold": 100});
    assert_eq!(count(&sys, &show, "GA").await, wanted);
    assert_agreement(&sys, &show).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pitfall_10_two_who_want_two_of_three() {
    let sys = Race::start().await;
    let zones: Vec<Value> = (0..25).map(|zone| json!({"id": format!("Z{zone}"), "capacity": 3})).collect();
    let show = sys.define(json!({"sections": null, "zones": zones})).await;
    let answers = sys
        .at_once(50, |client, buyer| {
            let (show, zone) = (show.clone(), format!("Z{}", buyer / 2));
            async move { (zone.clone(), client.decrement(&show, &zone, 2).await) }
        })
        .await;
    assert_tally(answers.iter().map(|(_, answer)| answer), &[(201, "", 25), (409, "sold_out", 25)]);
    for (zone, answer) in &answers {
        assert_eq!(answer.body["remaining"], 1, "{zone}: {}", answer.body);
    }
    for zone in 0..25 {
        assert_eq!(count(&sys, &show, &format!("Z{zone}")).await["remaining"], 1);
    }
    assert_invariants(&sys, &show).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pitfall_10_five_hundred_who_want_one_of_a_hundred() {
    let sys = Race::start().await;
    let show = zone_of(&sys, 100).await;
    let answers = sys
        .in_a_rush(500, |client, _| {
            let show = show.clone();
            async move { client.decrement(&show, "GA", 1).await }
        })
        .await;
    assert_tally(&answers, &[(201, "", 100), (409, "sold_out", 400)]);
    let granted = answers.iter().filter(|answer| answer.status == 201);
    let left: BTreeSet<i64> = granted.map(|answer| answer.body["remaining"].as_i64().unwrap()).collect();
    assert!(left.into_iter().eq(0..100), "every sale left one less");
    assert_eq!(count(&sys, &show, "GA").await["remaining"], 0);
    assert_invariants(&sys, &show).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pitfall_10_who_wants_five_of_three_leaves_three() {
    let sys = Race::start().await;
    let show = zone_of(&sys, 3).await;
    let answers = sys
        .at_once(16, |client, _| {
            let show = show.clone();
            async move { client.decrement(&show, "GA", 5).await }
        })
        .await;
    assert_tally(&answers, &[(409, "sold_out", 16)]);
    assert!(answers.iter().all(|answer| answer.body["remaining"] == 3));
    assert_eq!(count(&sys, &show, "GA").await["remaining"], 3);
    sys.decrement(&show, "GA", 3).await.expect(201);
    assert_invariants(&sys, &show).await;
}
