//! A function's answer, `{"statusCode", "headers", "body", ...}`, as the HTTP response that API Gateway makes of it.

use std::borrow::Cow;
use std::collections::HashMap;

use axum::body::Body;
use axum::response::Response;
use base64::prelude::{BASE64_STANDARD, Engine as _};
use http::StatusCode;
use http::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, SET_COOKIE};
use serde::Deserialize;

/// What payload 2.0 knows. (It has no `multiValueHeaders`: a header that comes again is joined by commas.)
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'a> {
    status_code: u16,
    #[serde(default)]
    headers: HashMap<String, String>,
    #[serde(default)]
    cookies: Vec<String>,
    #[serde(default, borrow)]
    body: Option<Cow<'a, str>>,
    #[serde(default)]
    is_base64_encoded: bool,
}

/// The response that `json` describes, or `None` if it describes none.
pub fn parse(json: &str) -> Option<Response> {
    let answer: Answer = serde_json::from_str(json).ok()?;
    let body = match answer.body {
        None => Body::empty(),
        Some(text) if answer.is_base64_encoded => Body::from(BASE64_STANDARD.decode(text.as_bytes()).ok()?),
        Some(text) => Body::from(text.into_owned()),
    };
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(answer.status_code).ok()?;
    let headers = response.headers_mut();
    for (name, value) in answer.headers {
        headers.insert(HeaderName::try_from(name).ok()?, HeaderValue::try_from(value).ok()?);
    }
    for cookie in answer.cookies {
        headers.append(SET_COOKIE, HeaderValue::try_from(cookie).ok()?);
    }
    Some(response)
}

/// An answer of the gateway itself, in its own shape.
pub fn of_gateway(status: StatusCode, message: &str) -> Response {
    let mut response = Response::new(Body::from(serde_json::json!({ "message": message }).to_string()));
    *response.status_mut() = status;
    let json = HeaderValue::from_static("application/json");
    *response.headers_mut() = HeaderMap::from_iter([(CONTENT_TYPE, json)]);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn becomes_a_response() {
        let json = r#"{"statusCode": 201, "headers": {"x-request-id": "1"}, "multiValueHeaders": {}, "body": "{\"a\":1}",
            "isBase64Encoded": false, "cookies": ["a=1", "b=2"]}"#;
        let response = parse(json).expect("an answer");
        assert_eq!(response.status(), StatusCode::CREATED);
        let headers: Vec<_> =
            response.headers().iter().map(|(name, value)| (name.as_str(), value.as_bytes())).collect();
        assert_eq!(headers, [("x-request-id", &b"1"[..]), ("set-cookie", b"a=1"), ("set-cookie", b"b=2")]);
        let body = axum::body::to_bytes(response.into_body(), 100).await.expect("a body");
        assert_eq!(body, r#"{"a":1}"#);
    }

    #[tokio::test]
    async fn base64_is_decoded() {
        let response = parse(r#"{"statusCode": 200, "body": "/wA=", "isBase64Encoded": true}"#).expect("an answer");
        assert_eq!(axum::body::to_bytes(response.into_body(), 100).await.expect("a body"), &b"\xff\x00"[..]);
    }

    #[test]
    fn what_is_no_answer_becomes_none() {
        let others = [
            "null",
            "{}",
            r#"{"statusCode": 99}"#,
            r#"{"statusCode": 200, "headers": {"a b": "c"}}"#,
            r#"{"statusCode": 200, "body": "*", "isBase64Encoded": true}"#,
        ];
        for json in others {
            assert!(parse(json).is_none(), "{json}");
        }
    }
}
