//! A deployment during an on-sale: half of the environments are of the release before.

use std::collections::BTreeSet;

use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::proxy::Proxy;
use holdfast_tests::sys::{Client, Sys, paid};
use holdfast_tests::{previous, servers};
use serde_json::{Value, json};

use super::crowd::{CLIENTS, PATIENT, Race, assert_tally};

/// A race of both releases. The proxy is what makes half of its environments older.
async fn both() -> (Race, Proxy) {
    let mut race = Race::start().await;
    let earlier = Proxy::of_the_previous_release(servers::redis().addr()).await;
    let sys = Sys::with(&earlier.url(), &servers::dynamo().await.endpoint(), &PATIENT);
    for (environment, earlier) in race.environments.iter_mut().step_by(2).zip(sys.clients(CLIENTS / 2)) {
        *environment = earlier;
    }
    (race, earlier)
}

/// Nothing has come apart that a reconcile would have to put right.
async fn assert_in_step(race: &Race, show: &str) {
    assert_agreement(race, show).await;
    let report = race.reconcile(json!({"showId": show, "dryRun": true})).await;
    assert_eq!((&report["errors"], &report["shows"][0]["drift"]), (&json!([]), &json!(0)), "{report}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_buyers_by_both_releases_one_has_the_seat() {
    let (race, _earlier) = both().await;
    let show = race.define(json!({})).await;
    for seat in ["E1", "E2", "E3", "E4"] {
        let answers = race
            .at_once(40, |client, _| {
                let show = show.clone();
                async move { client.hold(&show, &[seat]).await }
            })
            .await;
        assert_tally(&answers, &[(201, "", 1), (409, "seat_unavailable", 39)]);
    }
    assert_in_step(&race, &show).await;
    // And it was that release that half of them came by.
    let (_, sha1) = previous::names().find(|(name, _)| *name == "hold").unwrap();
    let known: Vec<bool> =
        redis::cmd("SCRIPT").arg("EXISTS").arg(sha1).query_async(&mut race.redis().await).await.unwrap();
    assert_eq!(known, [true]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn buyers_by_both_releases_share_the_units_of_a_zone() {
    let (race, _earlier) = both().await;
    let show = race.define(json!({"sections": null, "zones": [{"id": "GA", "capacity": 100}]})).await;
    let answers = race
        .in_a_rush(300, |client, buyer| {
            let show = show.clone();
            async move {
                let held = client.decrement(&show, "GA", 1).await;
                if held.status != 201 {
                    return (held, None);
                }
                let token = held.text("holdToken").to_owned();
                if buyer % 5 == 0 {
                    client.release(&show, &token).await.expect(204);
                    return (held, None);
                }
                let booked = client.confirm(&show, &token, paid(&format!("pay_{buyer}"))).await.expect(201);
                (held, Some(booked["units"].to_string()))
            }
        })
        .await;
    let sold: Vec<&String> = answers.iter().filter_map(|(_, unit)| unit.as_ref()).collect();
    assert_eq!(sold.iter().collect::<BTreeSet<_>>().len(), sold.len(), "a unit was sold twice: {sold:?}");
    let stock = race.get(&format!("/shows/{show}/stock/GA")).await.expect(200);
    let left = 100 - sold.len();
    assert_eq!(stock, json!({"zone": "GA", "capacity": 100, "remaining": left, "held": 0, "sold": sold.len()}));
    assert_in_step(&race, &show).await;
}

/// Each step of a sale by the other release than the step before, both ways round.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_one_release_begins_the_other_goes_on_with() {
    let (race, _earlier) = both().await;
    let show = race.define(json!({})).await;
    for (turn, seat) in ["E1", "E2"].into_iter().enumerate() {
        let by = |step: usize| &race.environments[(turn + step) % 2];
        let token = by(0).hold(&show, &[seat]).await.text("holdToken").to_owned();
        by(1).extend(&show, &token, 590).await.expect(200);
        by(0).hold_status(&show, &token).await.expect(200);
        let booking = by(1).confirm(&show, &token, paid(&format!("pay_{turn}"))).await.expect(201);
        let id = booking["bookingId"].as_str().unwrap();
        by(0).confirm(&show, &token, paid(&format!("pay_{turn}"))).await.expect(200);
        by(0).call("POST", &format!("/bookings/{id}/cancel"), json!({})).await.expect(200);
        by(1).call("POST", &format!("/bookings/{id}/restore"), Value::Null).await.expect(200);

        let held = by(0).decrement(&show, "GA", 3).await.expect(201);
        by(1).release(&show, held["holdToken"].as_str().unwrap()).await.expect(204);
        let held = by(1).decrement(&show, "GA", 2).await.expect(201);
        by(0).confirm(&show, held["holdToken"].as_str().unwrap(), Value::Null).await.expect(201);
        replaced(by(1), &show, 10 + turn).await;
    }
    assert_in_step(&race, &show).await;
}

async fn replaced(client: &Client, show: &str, capacity: usize) {
    let layout = json!({
        "name": "Hamlet", "zones": [{"id": "GA", "capacity": capacity}],
        "sections": [{"id": "stalls", "rows": [{"id": "E", "from": 1, "to": 20}]}],
    });
    client.call("PUT", &format!("/shows/{show}"), layout).await.expect(200);
}
