//! What goes on between an HTTP request and a function: Lambda's own interface, and invocations that do not end well.
//! No store is needed for it: the fallback answers without one.

// A test may stop where it stands.
#![allow(clippy::expect_used, clippy::indexing_slicing)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use holdfast::domain::Report;
use holdfast::http::Answer;
use holdfast::lambda::Function;
use holdfast::{App, Config, Stores};
use holdfast_local::gateway::Gateway;
use holdfast_local::lambda::{Invocations, Lambda};
use holdfast_local::scheduler::Scheduler;
use holdfast_local::server;
use holdfast_local::template::{self, FunctionSpec};
use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc};
use tower::Service;

const FALLBACK: &str = "/2015-03-31/functions/FallbackFunction/invocations";

/// The whole route table, over stores that nobody can reach.
fn router() -> Router {
    let template = template::functions().expect("template.yaml is understood");
    let (router, _) = serve(&template, holdfast_local::handlers::handlers(&app()).into_iter());
    router
}

/// One function, which gets every request.
fn router_of(timeout: Duration, function: Function) -> (Router, Invocations) {
    let name = "OnlyFunction";
    let route_keys = vec!["$default".to_owned()];
    let spec = FunctionSpec { name: name.to_owned(), timeout, route_keys, schedules: Vec::new() };
    serve(&[spec], [(name, function)].into_iter())
}

fn serve(template: &[FunctionSpec], handlers: impl Iterator<Item = (&'static str, Function)>) -> (Router, Invocations) {
    let (lambda, invocations) = Lambda::deploy(template, handlers.collect()).expect("a handler each");
    let gateway = Arc::new(Gateway::new(template, &lambda, 3000).expect("good routes"));
    (server::router(gateway, lambda), invocations)
}

fn app() -> Arc<App> {
    let vars = [
        ("REDIS_URL", "redis://127.0.0.1:1"),
        ("AWS_ENDPOINT_URL_DYNAMODB", "http://127.0.0.1:1"),
        ("TOKEN_SECRET", "0123456789abcdef0123456789abcdef"),
    ];
    let vars = vars.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    Arc::new(App::new(Config::from_vars(&vars).expect("a configuration")))
}

async fn call(router: &Router, request: Request) -> (Response<()>, Value) {
    let response = router.clone().call(request).await.expect("it always answers");
    let (parts, body) = response.into_parts();
    let body = axum::body::to_bytes(body, usize::MAX).await.expect("a body");
    (Response::from_parts(parts, ()), serde_json::from_slice(&body).unwrap_or_default())
}

fn invocation(path: &str, kind: &str, body: impl Into<Body>) -> Request {
    Request::post(path).header("X-Amz-Invocation-Type", kind).body(body.into()).expect("a request")
}

fn header<'a>(response: &'a Response<()>, name: &str) -> &'a str {
    response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

#[tokio::test]
async fn the_invoke_api_hands_the_event_over_as_it_is() {
    let event = include_str!("../../events/fallback/no-such-path.json");
    let (response, answer) = call(&router(), invocation(FALLBACK, "RequestResponse", event)).await;
    assert_eq!((response.status().as_u16(), header(&response, "x-amz-executed-version")), (200, "$LATEST"));
    assert_eq!((&answer["statusCode"], &answer["isBase64Encoded"]), (&json!(404), &json!(false)));
    assert_eq!(response.headers().get("x-amz-function-error"), None);
}

#[tokio::test]
async fn the_invoke_api_has_three_kinds_of_invocation() {
    for (kind, status) in [("Event", 202), ("DryRun", 204), ("Often", 400)] {
        let (response, _) = call(&router(), invocation(FALLBACK, kind, "{}")).await;
        assert_eq!(response.status().as_u16(), status, "{kind}");
        assert_eq!(header(&response, "x-amzn-requestid").len(), 36);
    }
}

#[tokio::test]
async fn the_invoke_api_refuses_as_lambda_does() {
    let refused = |path: &'static str, body: Body| async move {
        let (response, answer) = call(&router(), invocation(path, "RequestResponse", body)).await;
        assert_eq!(answer["Type"], "User");
        (response.status().as_u16(), header(&response, "x-amzn-errortype").to_owned())
    };
    let unknown = refused("/2015-03-31/functions/NoFunction/invocations", "{}".into()).await;
    assert_eq!(unknown, (404, "ResourceNotFoundException".to_owned()));
    assert_eq!(refused(FALLBACK, "{".into()).await, (400, "InvalidRequestContentException".to_owned()));
    let long = vec![b' '; 6 * 1024 * 1024 + 1];
    assert_eq!(refused(FALLBACK, long.into()).await, (413, "RequestTooLargeException".to_owned()));
}

#[tokio::test]
async fn the_gateway_refuses_what_is_too_long_for_it() {
    let request = |length| Request::post("/nowhere").body(Body::from(vec![b' '; length])).expect("a request");
    let limit = 10 * 1024 * 1024;
    assert_eq!(call(&router(), request(limit)).await.0.status(), 404);
    let (response, answer) = call(&router(), request(limit + 1)).await;
    assert_eq!((response.status().as_u16(), answer), (413, json!({ "message": "Request Too Long" })));
}

#[tokio::test]
async fn a_function_that_overruns_its_timeout_is_stopped() {
    let stuck = Function::new("stuck", app(), |_| std::future::pending());
    let (router, _) = router_of(Duration::from_millis(20), stuck);

    let (response, answer) = call(&router, Request::get("/").body(Body::empty()).expect("a request")).await;
    assert_eq!((response.status().as_u16(), answer), (500, json!({ "message": "Internal Server Error" })));

    let event = include_str!("../../events/fallback/no-such-path.json");
    let path = "/2015-03-31/functions/OnlyFunction/invocations";
    let (response, answer) = call(&router, invocation(path, "RequestResponse", event)).await;
    assert_eq!((response.status().as_u16(), header(&response, "x-amz-function-error")), (200, "Unhandled"));
    let expected = json!({ "errorType": "Sandbox.Timedout", "errorMessage": "Task timed out after 0.02 seconds" });
    assert_eq!(answer, expected);
}

#[tokio::test]
async fn a_caller_that_hangs_up_stops_nothing() {
    let (begun, go_on, ended) = (Arc::new(Notify::new()), Arc::new(Notify::new()), Arc::new(AtomicBool::new(false)));
    let shared = (begun.clone(), go_on.clone(), ended.clone());
    let function = Function::new("slow", app(), move |_| {
        let (begun, go_on, ended) = shared.clone();
        async move {
            begun.notify_one();
            go_on.notified().await;
            ended.store(true, Ordering::Relaxed);
            Ok(Answer::no_content())
        }
    });
    let (mut router, invocations) = router_of(Duration::from_secs(5), function);
    let answer = tokio::spawn(router.call(Request::get("/").body(Body::empty()).expect("a request")));
    begun.notified().await;
    answer.abort();
    drop(router);
    go_on.notify_one();
    invocations.ended().await;
    assert!(ended.load(Ordering::Relaxed));
}

/// The only function of a template, called by its schedule every 5 ms.
fn scheduled(function: Function) -> (Scheduler, Invocations) {
    let yaml = "Resources: {OnlyFunction: {Type: 'AWS::Serverless::Function', Properties: {Events: {Often:
        {Type: ScheduleV2, Properties: {ScheduleExpression: rate(1 minute)}}}}}}";
    let template = template::parse(yaml).expect("a good template");
    let (lambda, invocations) = Lambda::deploy(&template, [("OnlyFunction", function)].into()).expect("a handler");
    (Scheduler::start(&template, &lambda, Some(Duration::from_millis(5))), invocations)
}

#[tokio::test]
async fn the_schedule_waits_for_a_call_that_overruns_and_stops_after_it() {
    let under_way = Arc::new(AtomicUsize::new(0));
    let (begun, mut calls) = mpsc::unbounded_channel();
    let shared = under_way.clone();
    let function = Function::of_events("slow", app(), move |event, _| {
        let (begun, under_way) = (begun.clone(), shared.clone());
        async move {
            // Fails only when the test has failed and listens no more.
            let _ = begun.send((event, under_way.fetch_add(1, Ordering::SeqCst)));
            tokio::time::sleep(Duration::from_millis(20)).await;
            under_way.fetch_sub(1, Ordering::SeqCst);
            Ok(Report::default())
        }
    });
    let (scheduler, invocations) = scheduled(function);
    for _ in 0..3 {
        let (event, others) = calls.recv().await.expect("a call");
        assert!(event.get().contains("aws.scheduler"), "{event}");
        assert_eq!(others, 0);
    }
    scheduler.stop().await;
    invocations.ended().await;
    assert_eq!(under_way.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_function_of_the_schedule_has_its_own_time_and_survives_a_panic() {
    let function = Function::of_events("reconcile", app(), |event, stores: Stores| async move {
        // Longer than the budget of a request, and less than the time-out by a margin.
        let left = stores.deadline().left();
        assert!(left > Duration::from_secs(55) && left < Duration::from_secs(60), "{left:?}");
        assert_eq!(event.get(), "{}");
        Ok(Report { complete: true, ..Report::default() })
    });
    let (router, _) = router_of(Duration::from_secs(60), function);
    let path = "/2015-03-31/functions/OnlyFunction/invocations";
    let report = |answer: Value| (answer["complete"].clone(), answer["errors"].clone());
    for (event, expected) in [
        ("[]", json!([{"code": "internal", "detail": "Something went wrong on our side. Tell us the request id."}])),
        ("{}", json!([])),
    ] {
        let (response, answer) = call(&router, invocation(path, "RequestResponse", event)).await;
        assert_eq!(response.headers().get("x-amz-function-error"), None, "{answer}");
        assert_eq!(report(answer), (json!(event == "{}"), expected));
    }
}
