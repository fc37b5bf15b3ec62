//! An on-sale begins, and every request meets an environment of its own that has to start.

use std::sync::Arc;
use std::time::{Duration, Instant};

use holdfast_tests::cases::Stores;
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::runtime_api::{Deployment, RuntimeApi};
use holdfast_tests::sys::paid;
use serde_json::{Value, json};
use tokio::task::JoinSet;

const PROCESSES: usize = 500;
/// In which all have to have answered.
const WITHIN: Duration = Duration::from_secs(10);
const TIMEOUT: Duration = Duration::from_secs(5);

#[tokio::test]
async fn pitfall_49_five_hundred_cold_starts_at_once_settle() {
    let stores = Stores::own().await;
    let sys = stores.sys();
    let rows = json!([{"id": "E", "from": 1, "to": PROCESSES}]);
    let show = sys.define(json!({"sections": [{"id": "stalls", "rows": rows}]})).await;
    let deployment = Deployment::on(stores).await;
    // Every other one is a confirm: these are held already.
    let (mut events, mut tokens) = (Vec::new(), Vec::new());
    for number in 1..=PROCESSES {
        let seat = format!("E{number}");
        if number % 2 == 0 {
            let token = sys.hold(&show, &[&seat]).await.text("holdToken").to_owned();
            let path = format!("/shows/{show}/holds/{token}/confirm");
            events.push((seat, deployment.event("POST", &path, paid(&token))));
            tokens.push(token);
        } else {
            let event = deployment.event("POST", &format!("/shows/{show}/holds"), json!({"seats": [&seat]}));
            events.push((seat, event));
        }
    }

    let apis = [Arc::new(RuntimeApi::start().await), Arc::new(RuntimeApi::start().await)];
    let began = Instant::now();
    let mut answers = JoinSet::new();
    for (number, (seat, (function, event))) in events.into_iter().enumerate() {
        let api = Arc::clone(&apis[number % 2]);
        answers.spawn(async move { (seat, api.invoke(&function, TIMEOUT, &event).await) });
    }
    let functions = ["hold", "confirm"];
    let processes: Vec<_> =
        (0..PROCESSES).map(|number| deployment.start_at(&apis[number % 2], functions[number % 2], &[])).collect();
    let started = began.elapsed();
    let (mut done, mut refused) = (0, Vec::new());
    while let Some(answered) = answers.join_next().await {
        let (seat, answer) = answered.unwrap();
        match answer.unwrap()["statusCode"].as_u64() {
            Some(200..=299) => done += 1,
            Some(429 | 503) => refused.push(seat),
            other => panic!("{seat}: {other:?}"),
        }
    }
    let settled = began.elapsed();
    eprintln!("{PROCESSES} processes: started {started:?}, settled {settled:?}, {done} done, {} later", refused.len());
    assert!(settled < WITHIN, "{settled:?}");
    assert!(done > PROCESSES / 2, "{done} of {PROCESSES} were served");
    drop(processes);

    // Whoever was told to come later finds the seat as it was, or as he has bought it.
    for seat in refused {
        let number: usize = seat[1..].parse().unwrap();
        if number % 2 == 1 {
            sys.hold(&show, &[&seat]).await.expect(201);
        } else {
            let token = &tokens[number / 2 - 1];
            let booked = sys.confirm(&show, token, paid(token)).await;
            assert!(matches!(booked.status, 200 | 201), "{seat}: {booked:?}");
        }
    }
    let report = sys.reconcile(json!({"showId": show})).await;
    assert_eq!(report["errors"], Value::Array(Vec::new()), "{report}");
    assert_agreement(&sys, &show).await;
}
