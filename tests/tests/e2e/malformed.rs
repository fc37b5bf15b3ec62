//! What no gateway sends, and what makes a library panic: the process answers, and goes on.

use holdfast_tests::cases::Stores;
use holdfast_tests::runtime_api::{Deployment, Failed, Process};
use holdfast_tests::template::Function;
use serde_json::{Value, json};

/// Events of others, and of nobody.
const UNKNOWN: [&str; 9] = [
    "{}",
    "[]",
    "null",
    "7",
    "\"\"",
    r#"{"version": "2.0"}"#,
    r#"{"source": "aws.scheduler", "detail-type": "Scheduled Event", "detail": {}}"#,
    r#"{"Records": [{"eventSource": "aws:sqs", "body": "{}"}]}"#,
    r#"{"requestContext": {"elb": {"targetGroupArn": "arn"}}, "httpMethod": "POST", "path": "/shows/42/holds", "body": ""}"#,
];

struct Scene {
    deployment: Deployment,
    show: String,
}

impl Scene {
    async fn open() -> Scene {
        let stores = Stores::shared().await;
        let show = stores.sys().define(json!({})).await;
        Scene { deployment: Deployment::on(stores).await, show }
    }

    /// A good hold of this seat.
    fn good(&self, seat: &str) -> Value {
        let path = format!("/shows/{}/holds", self.show);
        serde_json::from_str(&self.deployment.event("POST", &path, json!({"seats": [seat]})).1).unwrap()
    }

    async fn is_served(&self, process: &Process, seat: &str) {
        let answer = process.invoke(&self.good(seat).to_string()).await;
        assert_eq!(answer["statusCode"], 201, "{answer}");
    }
}

/// The contract's 500, as JSON, and with a request id.
#[track_caller]
fn assert_internal(answer: &Value) {
    assert_eq!(answer["statusCode"], 500, "{answer}");
    assert_eq!(answer["headers"]["content-type"], "application/problem+json", "{answer}");
    let body: Value = serde_json::from_str(answer["body"].as_str().unwrap()).unwrap();
    assert_eq!((&body["code"], &body["requestId"]), (&json!("internal"), &answer["headers"]["x-request-id"]), "{body}");
    assert!(!body["requestId"].as_str().unwrap().is_empty(), "{body}");
}

#[tokio::test]
async fn pitfall_41_a_malformed_event_then_a_good_one_in_the_same_process() {
    let scene = Scene::open().await;
    let process = scene.deployment.start("hold", &[]).await;
    for (number, event) in (1..).zip(UNKNOWN) {
        assert_internal(&process.invoke(event).await);
        scene.is_served(&process, &format!("E{number}")).await;
    }
}

#[tokio::test]
async fn pitfall_41_what_is_no_json_is_an_error_of_the_invocation_and_no_end() {
    let scene = Scene::open().await;
    let process = scene.deployment.start("hold", &[]).await;
    for (number, event) in (1..).zip(["", "{", "{\"a\": }", "\u{0}"]) {
        let failed = process.try_invoke(event).await;
        assert!(matches!(failed, Err(Failed::Error(..))), "{event:?}: {failed:?}");
        scene.is_served(&process, &format!("E{number}")).await;
    }
}

#[tokio::test]
async fn pitfall_41_a_panic_then_a_good_event_in_the_same_process() {
    let scene = Scene::open().await;
    for concurrency in ["1", "8"] {
        let process = scene.deployment.start("hold", &[("AWS_LAMBDA_MAX_CONCURRENCY", concurrency)]).await;
        for (number, name) in (1..).zip(["host", "base64", "method"]) {
            let mut event = scene.good("E20");
            match name {
                "host" => event["headers"]["host"] = "no host at all".into(),
                "base64" => event["isBase64Encoded"] = true.into(),
                _ => event["requestContext"]["http"]["method"] = "NO METHOD".into(),
            }
            assert_internal(&process.invoke(&event.to_string()).await);
            scene.is_served(&process, &format!("E{}", number + if concurrency == "8" { 3 } else { 0 })).await;
        }
        assert!(process.is_alive());
    }
}

#[tokio::test]
async fn unknown_events_are_refused_by_every_function_that_has_a_route() {
    let scene = Scene::open().await;
    for function in holdfast_tests::template::functions().values().map(Function::binary) {
        let process = scene.deployment.start(function, &[]).await;
        for event in UNKNOWN.iter().filter(|_| function != "reconcile") {
            assert_internal(&process.invoke(event).await);
        }
    }
}

#[tokio::test]
async fn a_process_with_a_wrong_environment_says_what_is_wrong_and_ends() {
    let scene = Scene::open().await;
    let wrong = [("REDIS_URL", "nowhere"), ("REQUEST_BUDGET_MS", "soon")];
    let process = scene.deployment.start("hold", &wrong).await;
    holdfast_tests::poll::until("it ends", async || (!process.is_alive()).then_some(())).await;
    let log = process.log();
    assert!(wrong.iter().all(|(name, _)| log.contains(name)), "{log}");
}
