//! Operators' routes: a JWT needs the scope; without one the gateway has decided.

use holdfast_local::handlers::handlers;
use holdfast_tests::servers::fresh_show_id;
use holdfast_tests::sys::Sys;
use serde_json::{Value, json};

use crate::expect::problem;
use crate::like::assert_like;
use crate::raw::{body, event, invoke_value};

const SHOW: &str = r#"{"name": "Hamlet", "zones": [{"id": "GA", "capacity": 5}]}"#;

/// `PUT /shows/{showId}` by a caller with this JWT.
async fn put(sys: &Sys, jwt: Option<Value>, sent: &str) -> Value {
    let show = fresh_show_id();
    let path = format!("/shows/{show}");
    let mut event = event("PUT", &path, "PUT /shows/{showId}", json!({"showId": show}), Some(sent));
    if let Some(jwt) = jwt {
        event["requestContext"]["authorizer"] = json!({"jwt": jwt});
    }
    invoke_value(&handlers(sys.app())["DefineShowFunction"], &event).await
}

#[tokio::test]
async fn a_jwt_without_the_scope_is_forbidden() {
    let sys = Sys::shared().await;
    for jwt in [
        json!({"claims": {"sub": "ann"}, "scopes": null}),
        json!({"claims": {"sub": "ann"}, "scopes": []}),
        json!({"claims": {"sub": "ann"}, "scopes": ["holdfast/operate/not", "openid"]}),
        json!({"claims": {"sub": "ann", "scope": "openid holdfast/operator"}, "scopes": null}),
    ] {
        let answer = put(&sys, Some(jwt.clone()), SHOW).await;
        assert_eq!(answer["statusCode"], 403, "{answer}");
        let request_id = answer["headers"]["x-request-id"].as_str().unwrap();
        let wanted = problem("forbidden", 403, "This is for operators.", request_id, json!({}));
        assert_like(&body(&answer), &wanted);
        // A request that is wrong is told so first, to everybody.
        let answer = put(&sys, Some(jwt), "{").await;
        assert_eq!(body(&answer)["code"], "invalid_request", "{answer}");
    }
}

#[tokio::test]
async fn what_is_forbidden_is_not_done() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let path = format!("/shows/{show}");
    let before = sys.get(&path).await.expect(200);
    let mut event = event("PUT", &path, "PUT /shows/{showId}", json!({"showId": show}), Some(SHOW));
    event["requestContext"]["authorizer"] = json!({"jwt": {"claims": {"sub": "ann"}, "scopes": ["openid"]}});
    let answer = invoke_value(&handlers(sys.app())["DefineShowFunction"], &event).await;
    assert_eq!(answer["statusCode"], 403, "{answer}");
    assert_eq!(sys.get(&path).await.expect(200), before);
}

#[tokio::test]
async fn an_operator_may_define_a_show() {
    let sys = Sys::shared().await;
    for jwt in [
        None,
        Some(json!({"claims": {"sub": "ann"}, "scopes": ["openid", "holdfast/operate"]})),
        Some(json!({"claims": {"sub": "ann", "scope": "openid holdfast/operate"}, "scopes": null})),
    ] {
        let answer = put(&sys, jwt, SHOW).await;
        assert_eq!(answer["statusCode"], 201, "{answer}");
    }
}

#[tokio::test]
async fn a_buyer_needs_no_scope() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let path = format!("/shows/{show}/holds");
    let route = "POST /shows/{showId}/holds";
    let mut event = event("POST", &path, route, json!({"showId": show}), Some(r#"{"seats": ["E1"]}"#));
    event["requestContext"]["authorizer"] = json!({"jwt": {"claims": {"sub": "ann"}, "scopes": null}});
    let answer = invoke_value(&handlers(sys.app())["HoldFunction"], &event).await;
    assert_eq!(answer["statusCode"], 201, "{answer}");
}
