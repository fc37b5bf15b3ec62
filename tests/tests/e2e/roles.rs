//! Each route with each role, by the built binaries: what openapi.yaml says of it in `x-role` is what they do.

use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
use holdfast_tests::cases::Stores;
use holdfast_tests::runtime_api::{Deployment, SIGNED};
use holdfast_tests::servers::fresh_show_id;
use serde_json::{Value, json};

/// A token with these claims, as the gateway passes them on.
fn jwt(claims: Value) -> String {
    format!("Bearer e30.{}.sig", BASE64_URL_SAFE_NO_PAD.encode(claims.to_string()))
}

/// Who calls: the `Authorization`, and how much they may: a buyer 0, a seller 1, an operator 2.
fn callers() -> [(&'static str, String, usize); 6] {
    [
        ("nobody", String::new(), 0),
        ("a buyer", jwt(json!({"sub": "ann"})), 0),
        ("another scope", jwt(json!({"sub": "ann", "scope": "openid holdfast/sellers xholdfast/sell"})), 0),
        ("a seller", jwt(json!({"sub": "shop", "scope": "openid holdfast/sell"})), 1),
        ("an operator", jwt(json!({"sub": "ops", "scp": ["holdfast/operate"]})), 2),
        ("signed", SIGNED.to_owned(), 2),
    ]
}

/// Method, path, and the least that may call it, of every route.
fn routes(show: &str) -> Vec<(String, String, usize)> {
    let openapi: serde_yaml_ng::Value = serde_yaml_ng::from_str(include_str!("../../../openapi.yaml")).unwrap();
    let id = uuid::Uuid::new_v4().to_string();
    let mut routes = Vec::new();
    for (path, operations) in openapi["paths"].as_mapping().unwrap() {
        let mut path = path.as_str().unwrap().to_owned();
        for (name, value) in
            [("showId", show), ("zoneId", "GA"), ("holdToken", &id), ("bookingId", &id), ("refundId", &id)]
        {
            path = path.replace(&format!("{{{name}}}"), value);
        }
        for (method, operation) in operations.as_mapping().unwrap() {
            let Some(role) = operation["x-role"].as_str() else { continue };
            let least = match role {
                "public" | "buyer" => 0,
                "seller" => 1,
                "operator" => 2,
                other => panic!("{other} is no role"),
            };
            routes.push((method.as_str().unwrap().to_uppercase(), path.clone(), least));
        }
    }
    routes
}

/// A body that the route accepts.
fn body(method: &str, path: &str) -> Value {
    match path.rsplit('/').next().unwrap() {
        "holds" if method == "POST" => json!({"seats": ["E1"]}),
        "decrement" => json!({"quantity": 1}),
        _ if method == "PATCH" => json!({"ttlSeconds": 60}),
        _ if method == "PUT" => {
            json!({"name": "Hamlet", "sections": [{"id": "s", "rows": [{"id": "E", "from": 1, "to": 9}]}]})
        }
        _ => Value::Null,
    }
}

#[tokio::test]
async fn each_route_is_for_the_roles_that_the_contract_names() {
    let sale = Deployment::on(Stores::own().await).await;
    let show = fresh_show_id();
    let routes = routes(&show);
    assert!(routes.len() > 12, "{routes:?}");
    for (method, path, least) in &routes {
        for (who, authorization, may) in callers() {
            let answer = sale.call_as(&authorization, method, path, body(method, path)).await;
            let is_forbidden = (answer.status, answer.code()) == (403, "forbidden");
            assert_eq!(is_forbidden, may < *least, "{method} {path} by {who}: {}", answer.body);
            assert!(answer.status < 500, "{method} {path} by {who}: {}", answer.body);
        }
    }
}

/// What is free a buyer may then confirm and cancel; money is for sellers.
#[tokio::test]
async fn with_confirm_by_buyers_money_is_for_sellers() {
    let sale = Deployment::on(Stores::own().await).await.with(&[("CONFIRM_BY", "buyers")]);
    let show = fresh_show_id();
    let (holds, id) = (format!("/shows/{show}/holds"), uuid::Uuid::new_v4());
    let confirm = format!("{holds}/{id}/confirm");
    for (path, free, money) in [
        (confirm, json!({}), json!({"payment": {"reference": "pay_1"}})),
        (format!("/bookings/{id}/cancel"), json!({}), json!({"refunded": true})),
    ] {
        for (who, authorization, may) in callers() {
            let answer = sale.call_as(&authorization, "POST", &path, free.clone()).await;
            assert_ne!(answer.status, 403, "{path} by {who}: {}", answer.body);
            let answer = sale.call_as(&authorization, "POST", &path, money.clone()).await;
            assert_eq!(answer.status == 403, may < 1, "{path} by {who}: {}", answer.body);
        }
    }
}
