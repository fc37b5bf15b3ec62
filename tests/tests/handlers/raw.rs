//! Calling a function with a raw event, past the gateway.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use holdfast::lambda::Function;
use lambda_runtime::{Context, LambdaEvent};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

/// What Lambda calls the invocation.
pub const INVOCATION: &str = "0d3c2b1a-0000-4000-8000-000000000001";

/// Calls a function as the Lambda runtime does, with five seconds to answer.
pub async fn invoke(function: &Function, event: &RawValue) -> Value {
    let deadline = SystemTime::now() + Duration::from_secs(5);
    let mut context = Context::default();
    context.request_id = INVOCATION.to_owned();
    context.deadline = u64::try_from(deadline.duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap();
    let answer = function.clone().call(LambdaEvent::new(event.to_owned(), context)).await;
    serde_json::to_value(answer).unwrap()
}

/// The same with an event that is still a value.
pub async fn invoke_value(function: &Function, event: &Value) -> Value {
    invoke(function, &to_raw_value(event).unwrap()).await
}

/// An event of API Gateway for a route without a parameter but these.
pub fn event(method: &str, path: &str, route: &str, parameters: Value, body: Option<&str>) -> Value {
    let mut event = json!({
        "version": "2.0", "routeKey": route, "rawPath": path, "rawQueryString": "",
        "headers": {"host": "localhost:3000", "content-type": "application/json"},
        "pathParameters": parameters, "isBase64Encoded": false,
        "requestContext": {
            "accountId": "000000000000", "apiId": "a", "domainName": "localhost", "domainPrefix": "localhost",
            "http": {"method": method, "path": path, "protocol": "HTTP/1.1", "sourceIp": "127.0.0.1", "userAgent": ""},
            "requestId": "7b7ad5a4-0000-4000-8000-000000000001", "routeKey": route, "stage": "$default",
            "time": "01/Dec/2026:09:00:00 +0000", "timeEpoch": 1_796_115_600_000_u64,
        },
    });
    if let Some(body) = body {
        event["body"] = body.into();
    }
    event
}

/// The body of a raw answer; `Null` if it has none.
pub fn body(answer: &Value) -> Value {
    match answer["body"].as_str() {
        None | Some("") => Value::Null,
        Some(text) => serde_json::from_str(text).unwrap(),
    }
}
