//! An HTTP request as the event that API Gateway would make of it, compared whole.

// A test may stop where it stands.
#![allow(clippy::expect_used, clippy::indexing_slicing)]

use axum::extract::Request;
use holdfast_local::event;
use holdfast_local::router::Router;
use serde_json::{Value, json};

fn event_of(request: Request<()>, body: &[u8]) -> Value {
    let keys = ["$default", "POST /shows/{showId}/holds", "GET /shows/{showId}/holds/{holdToken}"];
    let router = Router::new(keys.map(|key| (key.to_owned(), ()))).expect("good routes");
    let (request, ()) = request.into_parts();
    let found = router.find(&request.method, request.uri.path());
    let now = "2027-01-02T03:04:05.678Z".parse().expect("a time");
    let event = event::build(request, body, &found, 3000, "request-1", now).expect("an event");
    serde_json::from_str(event.get()).expect("JSON")
}

#[test]
fn a_request_with_everything() {
    let request = Request::post("/shows/a%2Fb/holds?x=1&y=%20z+w&x=2")
        .header("Content-Type", "application/json")
        .header("User-Agent", "test/1.0")
        .header("X-Twice", "one")
        .header("X-Twice", "two, three")
        .header("Cookie", "a=1; b=2")
        .header("Cookie", "c=3")
        .header("X-Latin", b"caf\xe9".as_slice())
        // What only the gateway may say, and what ends there.
        .header("Host", "a b [")
        .header("X-Forwarded-For", "6.6.6.6")
        .header("X-Forwarded-Port", "6")
        .header("X-Forwarded-Proto", "gopher")
        .header("Content-Length", "666")
        .header("Connection", "keep-alive")
        .header("Transfer-Encoding", "chunked")
        .body(())
        .expect("a request");
    let expected = json!({
        "version": "2.0",
        "routeKey": "POST /shows/{showId}/holds",
        "rawPath": "/shows/a%2Fb/holds",
        "rawQueryString": "x=1&y=%20z+w&x=2",
        "cookies": ["a=1", "b=2", "c=3"],
        "headers": {
            "content-length": "16",
            "content-type": "application/json",
            "host": "localhost:3000",
            "user-agent": "test/1.0",
            "x-forwarded-for": "127.0.0.1",
            "x-forwarded-port": "3000",
            "x-forwarded-proto": "http",
            "x-latin": "caf\u{fffd}",
            "x-twice": "one,two, three",
        },
        "queryStringParameters": { "x": "1,2", "y": " z w" },
        "requestContext": {
            "accountId": "000000000000",
            "apiId": "localhost",
            "domainName": "localhost",
            "domainPrefix": "localhost",
            "http": {
                "method": "POST",
                "path": "/shows/a%2Fb/holds",
                "protocol": "HTTP/1.1",
                "sourceIp": "127.0.0.1",
                "userAgent": "test/1.0",
            },
            "requestId": "request-1",
            "routeKey": "POST /shows/{showId}/holds",
            "stage": "$default",
            "time": "02/Jan/2027:03:04:05 +0000",
            "timeEpoch": 1_798_859_045_678_i64,
        },
        "pathParameters": { "showId": "a/b" },
        "body": "{\"seats\":[\"E7\"]}",
        "isBase64Encoded": false,
    });
    assert_eq!(event_of(request, br#"{"seats":["E7"]}"#), expected);
}

#[test]
fn a_request_with_nothing() {
    let request = Request::head("/").body(()).expect("a request");
    let expected = json!({
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": "/",
        "rawQueryString": "",
        "headers": {
            "content-length": "0",
            "host": "localhost:3000",
            "x-forwarded-for": "127.0.0.1",
            "x-forwarded-port": "3000",
            "x-forwarded-proto": "http",
        },
        "requestContext": {
            "accountId": "000000000000",
            "apiId": "localhost",
            "domainName": "localhost",
            "domainPrefix": "localhost",
            "http": {
                "method": "HEAD",
                "path": "/",
                "protocol": "HTTP/1.1",
                "sourceIp": "127.0.0.1",
                "userAgent": "",
            },
            "requestId": "request-1",
            "routeKey": "$default",
            "stage": "$default",
            "time": "02/Jan/2027:03:04:05 +0000",
            "timeEpoch": 1_798_859_045_678_i64,
        },
        "isBase64Encoded": false,
    });
    assert_eq!(event_of(request, b""), expected);
}

#[test]
fn a_body_that_is_no_text_is_base64() {
    let request = Request::post("/shows/1/holds").body(()).expect("a request");
    let event = event_of(request, b"\xff\x00");
    assert_eq!((&event["body"], &event["isBase64Encoded"]), (&json!("/wA="), &json!(true)));
}
