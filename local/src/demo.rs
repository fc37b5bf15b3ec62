//! The demo show: what a newcomer sells first.

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use http::{Method, StatusCode, header};
use serde_json::json;

use crate::gateway::Gateway;

const PATH: &str = "/shows/demo";

/// The function did not put the show up.
#[derive(Debug, thiserror::Error)]
#[error("the demo show was answered {0}")]
pub struct DemoError(StatusCode);

/// Puts the demo show up through its own function, on sale from now on. One that is there already stays as it is.
///
/// # Errors
///
/// When the function refuses it, or a store does not answer.
pub async fn put_up(gateway: &Gateway) -> Result<(), DemoError> {
    match call(gateway, Method::GET, Body::empty()).await.status() {
        StatusCode::NOT_FOUND => {}
        StatusCode::OK => return Ok(()),
        status => return Err(DemoError(status)),
    }
    let rows = |names: &[&str]| names.iter().map(|id| json!({ "id": id, "from": 1, "to": 20 })).collect::<Vec<_>>();
    let show = json!({
        "name": "Hamlet",
        "sections": [
            { "id": "stalls", "rows": rows(&["A", "B", "C", "D", "E"]) },
            { "id": "balcony", "prefix": "B-", "rows": rows(&["A", "B"]) },
        ],
        "zones": [{ "id": "GA", "capacity": 500 }],
    });
    match call(gateway, Method::PUT, Body::from(show.to_string())).await.status() {
        StatusCode::CREATED | StatusCode::OK => Ok(()),
        status => Err(DemoError(status)),
    }
}

/// Three commands that sell two seats of it: hold them, watch the countdown, confirm.
pub fn commands(url: &str) -> String {
    let holds = format!("{url}{PATH}/holds");
    let json = "-H 'Content-Type: application/json'";
    let token = r#"sed -n 's/.*"holdToken": *"\([^"]*\)".*/\1/p'"#;
    let payment = r#"{"payment":{"reference":"pay_1","amount":"55000","currency":"KRW"}}"#;
    format!(
        "TOKEN=$(curl -s {holds} {json} -d '{{\"seats\":[\"E7\",\"E8\"]}}' | {token})\n\
         curl -s {holds}/$TOKEN\n\
         curl -s {holds}/$TOKEN/confirm {json} -d '{payment}'"
    )
}

async fn call(gateway: &Gateway, method: Method, body: Body) -> Response {
    let mut request = Request::new(body);
    *request.method_mut() = method;
    *request.uri_mut() = http::Uri::from_static(PATH);
    request.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static("application/json"));
    // Whatever LOCAL_ROLES lets others do.
    request.headers_mut().insert(header::AUTHORIZATION, header::HeaderValue::from_static("local"));
    gateway.answer(request).await
}
