//! What a process took, from its start to its end.

use std::sync::Arc;
use std::time::{Duration, Instant};

use holdfast_tests::runtime_api::{Deployment, Emulator, Process, RuntimeApi};
use serde_json::Value;

use crate::memory::peak_kib;

/// What the processes of one program took, in milliseconds and KB.
#[derive(Default)]
pub struct Samples {
    /// From the start of the process to its first answer.
    pub first: Vec<f64>,
    /// From an event to its answer, in a process that has answered before.
    pub warm: Vec<f64>,
    /// The same, without what the function's own log line says of waiting for stores.
    pub outside: Vec<f64>,
    /// The most memory that a process had.
    pub peak_kib: Vec<f64>,
    /// What the emulator reports of first answers.
    pub emulated_first: Vec<f64>,
    /// And of others.
    pub emulated_warm: Vec<f64>,
}

/// The middle one; NaN where there is none.
pub fn median(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

impl Samples {
    /// Has a new process of a program, in a function's place, answer these events.
    pub async fn take(&mut self, deployment: &Deployment, program: &str, function: &str, events: &[String]) {
        let api = Arc::new(RuntimeApi::start().await);
        let direct = direct(deployment);
        let (first, others) = events.split_first().expect("an event");
        // The event waits for the process, as Lambda has it.
        let waiting = {
            let (api, first) = (Arc::clone(&api), first.clone());
            tokio::spawn(async move { (api.invoke("any", TIMEOUT, &first).await, Instant::now()) })
        };
        tokio::task::yield_now().await;
        let began = Instant::now();
        let process = deployment.start_as(program, &api, function, &[("AWS_ENDPOINT_URL_DYNAMODB", &direct)]);
        let (answer, ended) = waiting.await.expect("an outcome");
        succeeded(&answer.unwrap_or_else(|failed| panic!("{program}: {failed:?}\n{}", process.log())));
        self.first.push(ms(ended - began));

        let mut took = Vec::new();
        for event in others {
            let began = Instant::now();
            let answer = process.invoke(event).await;
            took.push(ms(began.elapsed()));
            succeeded(&answer);
        }
        self.outside.extend(took.iter().zip(waited(&process)).map(|(took, waited)| took - waited));
        self.warm.extend(took);
        self.peak_kib.extend(peak_kib(&process.pid().to_string()).map(|kib| kib as f64));
    }

    /// Has it answer these events under the emulator.
    pub async fn take_emulated(&mut self, deployment: &Deployment, program: &str, function: &str, events: &[String]) {
        let direct = direct(deployment);
        let emulator = deployment.emulate(program, function, &[("AWS_ENDPOINT_URL_DYNAMODB", &direct)]).await;
        for event in events {
            succeeded(&emulator.try_invoke(event).await.expect("an answer"));
        }
        let reported = reported(&emulator);
        let (first, others) = reported.split_first().expect("a report");
        self.emulated_first.push(*first);
        self.emulated_warm.extend(others);
    }
}

const TIMEOUT: Duration = Duration::from_secs(5);

/// The way to DynamoDB without the front that the tests put before it.
fn direct(deployment: &Deployment) -> String {
    deployment.stores().dynamo_endpoint.clone()
}

fn ms(took: Duration) -> f64 {
    took.as_secs_f64() * 1000.0
}

#[track_caller]
fn succeeded(answer: &Value) {
    let status = answer["statusCode"].as_u64();
    // The fallback's success is that there is nothing, and a report has no status.
    assert!(matches!(status, None | Some(200..=299 | 404)), "{answer}");
}

/// How long each answer but the first waited for stores, as the function's log has it; for a hello that has none, not at all.
fn waited(process: &Process) -> impl Iterator<Item = f64> {
    let log = process.log();
    let lines: Vec<Value> = log.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let of_a_request = |line: &Value| {
        let part = |name: &str| line[name].as_f64();
        Some(part("redis.duration_ms")? + part("dynamodb.duration_ms")?)
    };
    let waited: Vec<f64> = lines.iter().filter_map(of_a_request).skip(1).collect();
    let none = if lines.is_empty() { usize::MAX } else { 0 };
    waited.into_iter().chain(std::iter::repeat_n(0.0, none))
}

/// The milliseconds of each answer that the emulator reports; of the first one with the start of the process.
fn reported(emulator: &Emulator) -> Vec<f64> {
    let log = emulator.log();
    let reports = log.lines().filter(|line| line.starts_with("REPORT RequestId"));
    let took = |line: &str| line.split("\tDuration: ").nth(1)?.split(' ').next()?.parse().ok();
    reports.filter_map(took).collect()
}
