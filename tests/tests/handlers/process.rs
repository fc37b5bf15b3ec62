//! A process that met the worst goes on serving.

use std::sync::Arc;

use holdfast::lambda::Function;
use holdfast_local::handlers::handlers;
use holdfast_tests::sys::Sys;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::expect::{assert_problem, problem};
use crate::like::assert_like;
use crate::raw::{INVOCATION, body, event, invoke, invoke_value};

/// The contract's 500, with this request id.
#[track_caller]
fn assert_internal(answer: &Value, request_id: &str) {
    let headers = json!({"content-type": "application/problem+json", "x-request-id": request_id});
    assert_eq!(answer["statusCode"], 500, "{answer}");
    for (name, value) in headers.as_object().unwrap() {
        assert_eq!(answer["headers"][name], *value, "{answer}");
    }
    let text = "Something went wrong on our side. Tell us the request id.";
    assert_like(&body(answer), &problem("internal", 500, text, request_id, json!({})));
}

/// A good hold of a seat, as an event.
fn good(show: &str, seat: &str) -> Value {
    let body = json!({"seats": [seat]}).to_string();
    event("POST", &format!("/shows/{show}/holds"), "POST /shows/{showId}/holds", json!({"showId": show}), Some(&body))
}

#[tokio::test]
async fn pitfall_41_a_malformed_event_is_a_500_and_the_next_call_works() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let hold = &handlers(sys.app())["HoldFunction"];
    let malformed = ["{}", "[]", "null", "7", "\"\"", r#"{"version": "2.0"}"#, r#"{"requestContext": {"http": {}}}"#];
    for (number, event) in (1..).zip(malformed) {
        let event: Box<RawValue> = serde_json::from_str(event).unwrap();
        assert_internal(&invoke(hold, &event).await, INVOCATION);
        let next = invoke_value(hold, &good(&show, &format!("E{number}"))).await;
        assert_eq!(next["statusCode"], 201, "{next}");
    }
}

#[tokio::test]
async fn pitfall_41_a_bad_host_or_bad_base64_is_a_500_and_the_next_call_works() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let hold = &handlers(sys.app())["HoldFunction"];
    let (mut bad_host, mut bad_base64, mut no_method) = (good(&show, "E1"), good(&show, "E1"), good(&show, "E1"));
    bad_host["headers"]["host"] = "no host at all".into();
    bad_base64["isBase64Encoded"] = true.into();
    no_method["requestContext"]["http"]["method"] = "NO METHOD".into();
    for (seat, event) in [("E2", bad_host), ("E3", bad_base64), ("E4", no_method)] {
        assert_internal(&invoke_value(hold, &event).await, INVOCATION);
        let next = invoke_value(hold, &good(&show, seat)).await;
        assert_eq!(next["statusCode"], 201, "{next}");
    }
}

#[tokio::test]
async fn pitfall_41_a_panic_is_a_500_and_the_next_call_works() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let panics = Function::new("panics", Arc::clone(sys.app()), |call| async move {
        let seat = call.route().len();
        panic!("a defect at {seat}")
    });
    let event = good(&show, "E1");
    let request_id = event["requestContext"]["requestId"].as_str().unwrap();
    for _ in 0..3 {
        assert_internal(&invoke_value(&panics, &event).await, request_id);
    }
    let next = invoke_value(&handlers(sys.app())["HoldFunction"], &event).await;
    assert_eq!(next["statusCode"], 201, "{next}");
}

#[tokio::test]
async fn a_store_that_is_gone_is_a_503_with_a_hint_when_to_come_again() {
    let mut sys = Sys::own(&[], &[]).await;
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E1"]).await.text("holdToken").to_owned();
    sys.own_redis().kill();
    for answer in [
        sys.hold(&show, &["E2"]).await,
        sys.hold_status(&show, &token).await,
        sys.extend(&show, &token, 60).await,
        sys.release(&show, &token).await,
        sys.confirm(&show, &token, holdfast_tests::sys::paid("pay_1")).await,
        sys.decrement(&show, "GA", 1).await,
        sys.get(&format!("/shows/{show}/stock/GA")).await,
    ] {
        assert_problem(&answer, "unavailable", json!({}));
    }
    // What needs no arbiter is answered.
    sys.get(&format!("/shows/{show}")).await.expect(200);
}
