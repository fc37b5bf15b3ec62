//! Several invocations at once in one process, as the platform may let it have.

use std::collections::BTreeMap;
use std::sync::Arc;

use holdfast_tests::cases::Stores;
use holdfast_tests::poll::until;
use holdfast_tests::runtime_api::{Deployment, Process, trace_id};
use serde_json::{Value, json};
use tokio::task::JoinSet;

const AT_ONCE: usize = 8;

/// A hold of one seat: the event, and its own id.
fn hold(deployment: &Deployment, show: &str, seat: &str) -> (String, String) {
    let (_, event) = deployment.event("POST", &format!("/shows/{show}/holds"), json!({"seats": [seat]}));
    let parsed: Value = serde_json::from_str(&event).unwrap();
    let id = parsed["requestContext"]["requestId"].as_str().unwrap().to_owned();
    (event, id)
}

/// Fails unless the answer is the one to this event: its seat, and its id.
#[track_caller]
fn assert_own(answer: &Value, seat: &str, id: &str) {
    assert_eq!((&answer["statusCode"], &answer["headers"]["x-request-id"]), (&json!(201), &json!(id)), "{answer}");
    let body: Value = serde_json::from_str(answer["body"].as_str().unwrap()).unwrap();
    assert_eq!(body["seats"], json!([seat]), "{body}");
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_owned()
}

fn in_background(process: &Arc<Process>, event: String) -> impl Future<Output = Value> + 'static {
    let process = Arc::clone(process);
    async move { process.invoke(&event).await }
}

#[tokio::test]
async fn eight_events_at_once_get_eight_answers_each_its_own() {
    let stores = Stores::shared().await;
    let sys = stores.sys();
    let deployment = Deployment::on(stores).await;
    let process = Arc::new(deployment.start("hold", &[("AWS_LAMBDA_MAX_CONCURRENCY", "8")]).await);
    let rows = json!([{"id": "E", "from": 1, "to": 800}]);
    let show = sys.define(json!({"sections": [{"id": "stalls", "rows": rows}]})).await;
    let _: () = redis::cmd("DEL")
        .arg(holdfast::adapters::redis::keys::show(&holdfast::domain::ShowId::parse(&show).unwrap()))
        .query_async(&mut sys.redis().await)
        .await
        .unwrap();

    // The first eight meet a show that nobody has loaded, and whoever loads it is held up: all eight are under way.
    let gate = deployment.front("hold").on("GetItem").hold_before();
    let (mut answers, mut traces) = (JoinSet::new(), BTreeMap::new());
    for number in 1..=AT_ONCE {
        let (event, id) = hold(&deployment, &show, &format!("E{number}"));
        traces.insert(id.clone(), trace_id(&event));
        let answer = in_background(&process, event);
        answers.spawn(async move { (number, id, answer.await) });
    }
    until("eight are under way", async || (process.api().running() == AT_ONCE).then_some(())).await;
    gate.open();
    while let Some(answered) = answers.join_next().await {
        let (number, id, answer) = answered.unwrap();
        assert_own(&answer, &format!("E{number}"), &id);
    }

    // Many more, as fast as the process takes them.
    for number in AT_ONCE + 1..=800 {
        let (event, id) = hold(&deployment, &show, &format!("E{number}"));
        traces.insert(id.clone(), trace_id(&event));
        let answer = in_background(&process, event);
        answers.spawn(async move { (number, id, answer.await) });
    }
    while let Some(answered) = answers.join_next().await {
        let (number, id, answer) = answered.unwrap();
        assert_own(&answer, &format!("E{number}"), &id);
    }
    assert_eq!(process.api().most_at_once(), AT_ONCE);

    // Each request's line has the trace of its own invocation.
    let log = process.log();
    let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let told: BTreeMap<String, String> =
        lines.map(|line| (text(&line["request.id"]), text(&line["trace.id"]))).collect();
    assert_eq!(told, traces);
}
