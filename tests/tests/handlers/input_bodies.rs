//! Bodies that are none, on every route that has one.

use holdfast_tests::sys::{Answer, Sys};
use serde_json::{Value, json};

use crate::expect::{assert_invalid, assert_invalid_fields, assert_problem, assert_success};
use crate::raw;

const JSON: [(&str, &str); 1] = [("content-type", "application/json")];

/// Method and path of every route with a body, of this show and hold.
fn routes(show: &str, token: &str) -> [(&'static str, String, bool); 5] {
    // Whether the body may be absent.
    [
        ("PUT", format!("/shows/{show}"), false),
        ("POST", format!("/shows/{show}/holds"), false),
        ("PATCH", format!("/shows/{show}/holds/{token}"), false),
        ("POST", format!("/shows/{show}/holds/{token}/confirm"), true),
        ("POST", format!("/shows/{show}/stock/GA/decrement"), false),
    ]
}

/// A show with a hold, and a judge that both are as they were.
async fn set_up(sys: &Sys) -> (String, String) {
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E1"]).await.text("holdToken").to_owned();
    (show, token)
}

async fn assert_untouched(sys: &Sys, show: &str, token: &str) {
    assert_eq!(sys.hold_status(show, token).await.expect(200)["state"], "active");
    assert_eq!(sys.get(&format!("/shows/{show}")).await.expect(200)["version"], 1);
    assert_eq!(sys.get(&format!("/shows/{show}/stock/GA")).await.expect(200)["remaining"], 10);
}

#[tokio::test]
async fn pitfall_69_a_body_that_is_no_json_is_a_400() {
    let sys = Sys::shared().await;
    let (show, token) = set_up(&sys).await;
    let nested = "[".repeat(10_000) + &"]".repeat(10_000);
    let objects = "{\"a\":".repeat(10_000) + "1" + &"}".repeat(10_000);
    let broken: [&[u8]; 9] = [
        b"{",
        b"[",
        b"nul",
        b"{} {}",
        b"{\"seats\": [\"E1\",]}",
        b"{\"seats\": [\"\xff\xfe\"]}",
        b"\xef\xbb\xbf{}",
        nested.as_bytes(),
        objects.as_bytes(),
    ];
    for (method, path, _) in routes(&show, &token) {
        for body in broken {
            let answer = sys.call_raw(method, &path, &JSON, body.to_vec()).await;
            assert_invalid_fields(&answer, &["body"]);
            assert!(answer.body["errors"][0]["problem"].as_str().unwrap().starts_with("is not JSON: "), "{answer:?}");
        }
    }
    assert_untouched(&sys, &show, &token).await;
}

#[tokio::test]
async fn pitfall_69_a_body_that_is_no_object_is_a_400() {
    let sys = Sys::shared().await;
    let (show, token) = set_up(&sys).await;
    for (method, path, _) in routes(&show, &token) {
        for body in ["null", "[]", "[{}]", "7", "\"{}\"", "true"] {
            let answer = sys.call_raw(method, &path, &JSON, body).await;
            assert_invalid(&answer, &[("body", "must be a JSON object")]);
        }
    }
    assert_untouched(&sys, &show, &token).await;
}

#[tokio::test]
async fn pitfall_69_no_body_is_a_400_but_for_a_confirm() {
    let sys = Sys::shared().await;
    let (show, token) = set_up(&sys).await;
    for (method, path, _) in routes(&show, &token).iter().filter(|(_, _, may_be_absent)| !may_be_absent) {
        for (headers, body) in [(&JSON[..], ""), (&[], ""), (&JSON, " \n\t")] {
            let answer = sys.call_raw(method, path, headers, body).await;
            assert_invalid(&answer, &[("body", "is required")]);
        }
    }
    assert_untouched(&sys, &show, &token).await;
}

#[tokio::test]
async fn pitfall_69_another_content_type_is_a_415() {
    let sys = Sys::shared().await;
    let (show, token) = set_up(&sys).await;
    let types =
        ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", "json", "", "text/json", "a/b+json"];
    for (method, path, _) in routes(&show, &token) {
        for content_type in types {
            let answer = sys.call_raw(method, &path, &[("content-type", content_type)], "{}").await;
            assert_problem(&answer, "unsupported_media_type", json!({}));
        }
    }
    assert_untouched(&sys, &show, &token).await;
}

#[tokio::test]
async fn json_by_any_of_its_names_is_read() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let types = ["application/json; charset=utf-8", "APPLICATION/JSON", "application/vnd.holdfast+json;v=1"];
    for (number, content_type) in (1..).zip(types) {
        let seat = format!("E{number}");
        let body = json!({"seats": [seat]}).to_string();
        let headers = [("content-type", content_type)];
        let answer = sys.call_raw("POST", &format!("/shows/{show}/holds"), &headers, body).await;
        assert_success(&answer, 201, crate::hold::held(&show, &[&seat]));
    }
    // A missing one counts as JSON.
    sys.call_raw("POST", &format!("/shows/{show}/holds"), &[], r#"{"seats": ["E9"]}"#).await.expect(201);
}

#[tokio::test]
async fn pitfall_69_11_mb_are_a_413_of_the_gateway_or_of_ours() {
    let sys = Sys::shared().await;
    let (show, token) = set_up(&sys).await;
    let huge = " ".repeat(10_999_998) + "{}";
    for (method, path, _) in routes(&show, &token) {
        let answer: Answer = sys.call_raw(method, &path, &JSON, huge.clone()).await;
        assert_eq!((answer.status, &answer.body), (413, &json!({"message": "Request Too Long"})));
    }
    let functions = holdfast_local::handlers::handlers(sys.app());
    let named = ["DefineShowFunction", "HoldFunction", "ExtendFunction", "ConfirmFunction", "StockDecrementFunction"];
    for (name, (method, path, _)) in named.iter().zip(routes(&show, &token)) {
        let event = raw::event(method, &path, "route", json!({"showId": show, "holdToken": token}), Some(&huge));
        let answer = raw::invoke_value(&functions[name], &event).await;
        let limit = if *name == "DefineShowFunction" { 262_144 } else { 65_536 };
        let detail = format!("The body has 11000000 bytes, more than {limit}.");
        let request_id = answer["headers"]["x-request-id"].as_str().unwrap();
        let wanted = crate::expect::problem("payload_too_large", 413, &detail, request_id, json!({}));
        crate::like::assert_like(&raw::body(&answer), &wanted);
    }
    assert_untouched(&sys, &show, &token).await;
}

#[tokio::test]
async fn a_key_that_nobody_asked_for_comes_back_short() {
    let sys = Sys::shared().await;
    let (show, token) = set_up(&sys).await;
    let mut body = json!({"ttlSeconds": 60});
    body["x".repeat(60_000)] = Value::Null;
    let answer = sys.call("PATCH", &format!("/shows/{show}/holds/{token}"), body).await;
    assert_invalid(&answer, &[(&"x".repeat(200), "is not a field of this request")]);
}
