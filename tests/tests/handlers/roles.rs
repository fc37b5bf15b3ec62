//! Who may call what: a table of every route that is not for buyers, by what an authorizer says of the caller.

use std::sync::Arc;

use holdfast::App;
use holdfast::domain::Buyer;
use holdfast_local::handlers::handlers;
use holdfast_tests::image::booking_of;
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::loaded::{deadline, issued_token};
use holdfast_tests::servers::{self, fresh_show_id};
use holdfast_tests::sys::Sys;
use serde_json::{Value, json};

use crate::expect::problem;
use crate::like::assert_like;
use crate::raw::{body, event, invoke_value};

const SHOW: &str = r#"{"name": "Hamlet", "zones": [{"id": "GA", "capacity": 5}]}"#;
const OPERATORS: &str = "This is for operators.";
const SELLERS: &str = "This is for the shop's own backend.";
const PAID: &str = "Only the shop's own backend may say what was paid.";

/// A caller: what it is, whether it may sell, and operate, and the context that its authorizer gives the event.
fn callers() -> Vec<(&'static str, bool, bool, Value)> {
    let jwt = |claims: Value, scopes: Value| json!({"jwt": {"claims": claims, "scopes": scopes}});
    let iam = json!({"iam": {"accessKey": "A", "accountId": "1", "callerId": "A", "userArn": "arn:a", "userId": "A"}});
    vec![
        ("no authorizer", false, false, Value::Null),
        ("a Lambda authorizer", false, false, json!({"lambda": {"scope": "holdfast/operate"}})),
        ("a JWT", false, false, jwt(json!({"sub": "ann"}), Value::Null)),
        ("no scope", false, false, jwt(json!({"sub": "ann"}), json!([]))),
        ("other scopes", false, false, jwt(json!({"sub": "ann"}), json!(["holdfast/operate/not", "openid"]))),
        ("a longer scope", false, false, jwt(json!({"sub": "ann", "scope": "openid holdfast/seller"}), Value::Null)),
        ("a seller", true, false, jwt(json!({"sub": "shop"}), json!(["openid", "holdfast/sell"]))),
        ("a seller by claim", true, false, jwt(json!({"sub": "shop", "scope": "openid holdfast/sell"}), Value::Null)),
        ("a seller by scp", true, false, jwt(json!({"sub": "shop", "scp": "[openid holdfast/sell]"}), Value::Null)),
        ("an operator", true, true, jwt(json!({"sub": "ada"}), json!(["holdfast/operate"]))),
        ("an operator by claim", true, true, jwt(json!({"sub": "ada", "scope": "holdfast/operate"}), Value::Null)),
        ("IAM", true, true, iam),
    ]
}

/// A route that is not for buyers.
struct Restricted {
    function: &'static str,
    route: &'static str,
    path: String,
    parameters: Value,
    body: Option<&'static str>,
    /// Whether sellers may call it, or only operators.
    for_sellers: bool,
}

fn routes(show: &str, token: &str, booking: &str) -> Vec<Restricted> {
    let refund = "0d3c2b1a-0000-4000-8000-000000000001";
    let restricted = |function, route: &'static str, for_sellers| {
        let values = [("showId", show), ("holdToken", token), ("bookingId", booking), ("refundId", refund)];
        let named = |name: &str| route.contains(&format!("{{{name}}}"));
        let parameters = values.iter().filter(|(name, _)| named(name)).map(|(name, value)| (*name, *value));
        let path = route.split_once(' ').unwrap().1.to_owned();
        let path = values.iter().fold(path, |path, (name, value)| path.replace(&format!("{{{name}}}"), value));
        let body = route.starts_with("PUT").then_some(SHOW);
        Restricted { function, route, path, parameters: parameters.collect(), body, for_sellers }
    };
    vec![
        restricted("DefineShowFunction", "PUT /shows/{showId}", false),
        restricted("DefineShowFunction", "GET /shows", false),
        restricted("BookingsFunction", "GET /shows/{showId}/bookings", false),
        restricted("BookingsFunction", "POST /bookings/{bookingId}/restore", false),
        restricted("RefundsFunction", "GET /refunds", false),
        restricted("RefundsFunction", "POST /refunds/{refundId}/settle", false),
        restricted("ConfirmFunction", "POST /shows/{showId}/holds/{holdToken}/confirm", true),
        restricted("BookingsFunction", "POST /bookings/{bookingId}/cancel", true),
    ]
}

/// Functions of a deployment, where a caller without an authorizer is a buyer.
fn deployed(vars: &[(&str, &str)]) -> impl Future<Output = Sys> {
    let vars: Vec<(String, String)> = [("LOCAL_ROLES", "buyer")]
        .iter()
        .chain(vars)
        .map(|(name, value)| (name.to_string(), value.to_string()))
        .collect();
    async move {
        let vars: Vec<(&str, &str)> = vars.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        Sys::with(&servers::redis().url(), &servers::dynamo().await.endpoint(), &vars)
    }
}

async fn call(app: &Arc<App>, function: &str, event: &Value, authorizer: &Value) -> Value {
    let mut event = event.clone();
    if !authorizer.is_null() {
        event["requestContext"]["authorizer"] = authorizer.clone();
    }
    invoke_value(&handlers(app)[function], &event).await
}

#[track_caller]
fn assert_forbidden(answer: &Value, detail: &str, what: &str) {
    assert_eq!(answer["statusCode"], 403, "{what}: {answer}");
    let request_id = answer["headers"]["x-request-id"].as_str().unwrap();
    assert_like(&body(answer), &problem("forbidden", 403, detail, request_id, json!({})));
}

#[tokio::test]
async fn each_route_is_open_to_its_roles_and_closed_to_all_others() {
    let (sys, local) = (deployed(&[]).await, Sys::shared().await);
    for (caller, may_sell, may_operate, authorizer) in callers() {
        let show = local.define(json!({})).await;
        let (token, sold) = (held(&local, &show, "E1").await, held(&local, &show, "E2").await);
        let booking = local.confirm(&show, &sold, Value::Null).await.text("bookingId").to_owned();
        for restricted in routes(&show, &token, &booking) {
            let Restricted { function, route, path, parameters, body: sent, for_sellers } = restricted;
            let what = format!("{route} by {caller}");
            let method = route.split(' ').next().unwrap();
            let asked = event(method, &path, route, parameters, sent);
            let answer = call(sys.app(), function, &asked, &authorizer).await;
            match (for_sellers, may_sell, may_operate) {
                (true, true, _) | (false, _, true) => {
                    assert_ne!(answer["statusCode"], 403, "{what}: {answer}");
                    assert_ne!(body(&answer)["code"], "invalid_request", "{what}: {answer}");
                }
                (true, false, _) => assert_forbidden(&answer, SELLERS, &what),
                (false, _, false) => assert_forbidden(&answer, OPERATORS, &what),
            }
            // A request that is wrong is answered so first, whoever sends it.
            let mut wrong = asked.clone();
            (wrong["rawQueryString"], wrong["body"]) = ("limit=0".into(), "{".into());
            for name in ["bookingId", "refundId"] {
                wrong["pathParameters"][name] = "7".into();
            }
            let answer = call(sys.app(), function, &wrong, &authorizer).await;
            assert_eq!(body(&answer)["code"], "invalid_request", "{what}: {answer}");
        }
        // What was forbidden was not done.
        let state = local.hold_status(&show, &token).await.expect(200)["state"].clone();
        assert_eq!(state, if may_sell { "confirmed" } else { "active" }, "{caller}");
        let status = local.get(&format!("/bookings/{booking}")).await.expect(200)["status"].clone();
        assert_eq!(status, if may_sell { "cancelled" } else { "confirmed" }, "{caller}");
        assert_agreement(&local, &show).await;
    }
}

async fn held(sys: &Sys, show: &str, seat: &str) -> String {
    sys.hold(show, &[seat]).await.text("holdToken").to_owned()
}

/// What is free may be confirmed and cancelled by its buyer where the deployment says so; money is the seller's.
#[tokio::test]
async fn buyers_may_confirm_what_is_free_where_the_deployment_lets_them() {
    let (sys, local) = (deployed(&[("CONFIRM_BY", "buyers")]).await, Sys::shared().await);
    let show = local.define(json!({})).await;
    let jwt = |scopes: Value| json!({"jwt": {"claims": {"sub": "ann"}, "scopes": scopes}});
    let (buyer, seller) = (jwt(json!([])), jwt(json!(["holdfast/sell"])));
    let payment = r#"{"payment": {"reference": "pay_1"}}"#;
    for (number, authorizer) in [(1, &Value::Null), (2, &buyer)] {
        let token = held(&local, &show, &format!("E{number}")).await;
        let confirm = |sent: Option<&str>| confirm_event(&show, &token, sent);
        assert_forbidden(&call(sys.app(), "ConfirmFunction", &confirm(Some(payment)), authorizer).await, PAID, "paid");
        let answer = call(sys.app(), "ConfirmFunction", &confirm(None), authorizer).await;
        assert_eq!(answer["statusCode"], 201, "{answer}");
        let booking = body(&answer)["bookingId"].as_str().unwrap().to_owned();
        for refunded in [r#"{"refunded": true}"#, r#"{"refunded": false}"#] {
            let answer = call(sys.app(), "BookingsFunction", &cancel_event(&booking, Some(refunded)), authorizer).await;
            assert_forbidden(&answer, PAID, refunded);
        }
        let answer = call(sys.app(), "BookingsFunction", &cancel_event(&booking, None), authorizer).await;
        assert_eq!(answer["statusCode"], 200, "{answer}");
    }
    // A seller confirms with a payment, and only a seller cancels what was paid.
    let token = held(&local, &show, "E3").await;
    let answer = call(sys.app(), "ConfirmFunction", &confirm_event(&show, &token, Some(payment)), &seller).await;
    assert_eq!(answer["statusCode"], 201, "{answer}");
    let booking = body(&answer)["bookingId"].as_str().unwrap().to_owned();
    let detail = "The booking was paid: only the shop's own backend may cancel it.";
    for authorizer in [&Value::Null, &buyer] {
        let answer = call(sys.app(), "BookingsFunction", &cancel_event(&booking, None), authorizer).await;
        assert_forbidden(&answer, detail, "a paid booking");
    }
    let answer = call(sys.app(), "BookingsFunction", &cancel_event(&booking, None), &seller).await;
    assert_eq!(answer["statusCode"], 200, "{answer}");
    assert_agreement(&local, &show).await;
}

fn confirm_event(show: &str, token: &str, sent: Option<&str>) -> Value {
    let (path, route) =
        (format!("/shows/{show}/holds/{token}/confirm"), "POST /shows/{showId}/holds/{holdToken}/confirm");
    event("POST", &path, route, json!({"showId": show, "holdToken": token}), sent)
}

fn cancel_event(booking: &str, sent: Option<&str>) -> Value {
    let (path, route) = (format!("/bookings/{booking}/cancel"), "POST /bookings/{bookingId}/cancel");
    event("POST", &path, route, json!({"bookingId": booking}), sent)
}

#[tokio::test]
async fn the_scopes_are_those_of_the_deployment() {
    let sys = deployed(&[("SELLER_SCOPE", "shop/sell"), ("OPERATOR_SCOPE", "shop/run")]).await;
    let show = fresh_show_id();
    let define = event("PUT", &format!("/shows/{show}"), "PUT /shows/{showId}", json!({"showId": show}), Some(SHOW));
    let jwt = |scope: &str| json!({"jwt": {"claims": {"sub": "ada"}, "scopes": [scope]}});
    for (scope, status) in [("holdfast/operate", 403), ("shop/sell", 403), ("shop/run", 201)] {
        let answer = call(sys.app(), "DefineShowFunction", &define, &jwt(scope)).await;
        assert_eq!(answer["statusCode"], status, "{scope}: {answer}");
    }
    let token = issued_token(&show);
    for (scope, status) in [("holdfast/sell", 403), ("shop/sell", 409), ("shop/run", 409)] {
        let answer = call(sys.app(), "ConfirmFunction", &confirm_event(&show, &token, None), &jwt(scope)).await;
        assert_eq!(answer["statusCode"], status, "{scope}: {answer}");
    }
}

/// A buyer needs no scope; and of payload 1.0 the same holds.
#[tokio::test]
async fn a_buyer_needs_no_scope() {
    let (sys, local) = (deployed(&[]).await, Sys::shared().await);
    let show = local.define(json!({})).await;
    let (path, route) = (format!("/shows/{show}/holds"), "POST /shows/{showId}/holds");
    for (seat, authorizer) in [("E1", Value::Null), ("E2", json!({"jwt": {"claims": {"sub": "ann"}, "scopes": null}}))]
    {
        let asked = event("POST", &path, route, json!({"showId": show}), Some(&json!({"seats": [seat]}).to_string()));
        let answer = call(sys.app(), "HoldFunction", &asked, &authorizer).await;
        assert_eq!(answer["statusCode"], 201, "{answer}");
    }
}

/// Whoever confirms a hold, its buyer stays the booking's: a seller acts for a buyer, and says so by `X-User-Id`.
#[tokio::test]
async fn the_buyer_of_a_hold_is_the_buyer_of_its_booking() {
    let (sys, local) = (deployed(&[("TRUST_USER_HEADER", "false")]).await, Sys::shared().await);
    let show = local.define(json!({})).await;
    let seller = json!({"jwt": {"claims": {"sub": "shop"}, "scopes": ["holdfast/sell"]}});
    let buyer = json!({"jwt": {"claims": {"sub": "ann"}, "scopes": []}});
    let (path, route) = (format!("/shows/{show}/holds"), "POST /shows/{showId}/holds");
    // Who holds, by what authorizer and header; and whose booking it is in the end.
    let cases = [
        ("E1", &buyer, None, Buyer::of("ann")),
        ("E2", &buyer, Some("bob"), Buyer::of("ann")),
        ("E3", &seller, Some("bob"), Buyer::of("bob")),
        ("E4", &Value::Null, Some("bob"), Buyer::default()),
    ];
    for (seat, authorizer, header, buyer) in cases {
        let sent = json!({"seats": [seat]}).to_string();
        let mut asked = event("POST", &path, route, json!({"showId": show}), Some(&sent));
        if let Some(header) = header {
            asked["headers"]["x-user-id"] = header.into();
        }
        let held = call(sys.app(), "HoldFunction", &asked, authorizer).await;
        let token = body(&held)["holdToken"].as_str().unwrap().to_owned();
        // The seller confirms, as nobody in particular or as somebody else.
        let mut confirm = confirm_event(&show, &token, None);
        confirm["headers"]["x-user-id"] = "eve".into();
        let answer = call(sys.app(), "ConfirmFunction", &confirm, &seller).await;
        assert_eq!(answer["statusCode"], 201, "{seat}: {answer}");
        assert_eq!(buyer_of(&local, &show, &token).await, buyer, "{seat}");
    }
    // Redis has lost the hold: then the seller says whose it is, and is not the buyer itself.
    for (seat, header, buyer) in [("E5", Some("bob"), Buyer::of("bob")), ("E6", None, Buyer::default())] {
        let token = issued_token(&show);
        let mut confirm = confirm_event(&show, &token, Some(&json!({"seats": [seat]}).to_string()));
        if let Some(header) = header {
            confirm["headers"]["x-user-id"] = header.into();
        }
        let answer = call(sys.app(), "ConfirmFunction", &confirm, &seller).await;
        assert_eq!(answer["statusCode"], 201, "{seat}: {answer}");
        assert_eq!(buyer_of(&local, &show, &token).await, buyer, "{seat}");
    }
    // Of a hold that is refused, too.
    let token = call(
        sys.app(),
        "HoldFunction",
        &event("POST", &path, route, json!({"showId": show}), Some(r#"{"seats": ["E7"]}"#)),
        &buyer,
    )
    .await;
    let token = body(&token)["holdToken"].as_str().unwrap().to_owned();
    let mismatch = r#"{"seats": ["E8"], "payment": {"reference": "pay_7"}}"#;
    let answer = call(sys.app(), "ConfirmFunction", &confirm_event(&show, &token, Some(mismatch)), &seller).await;
    assert_eq!(answer["statusCode"], 422, "{answer}");
    assert_eq!(buyer_of(&local, &show, &token).await, Buyer::of("ann"));
    assert_agreement(&local, &show).await;
}

async fn buyer_of(sys: &Sys, show: &str, token: &str) -> Buyer {
    let stores = sys.app().stores(deadline());
    let id = booking_of(show, token);
    stores.record.read_booking(id).await.unwrap().unwrap().buyer
}
