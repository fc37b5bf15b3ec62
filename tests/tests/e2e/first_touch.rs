//! A Redis that has forgotten the show: whichever function comes first loads it.

use holdfast_tests::cases::Stores;
use holdfast_tests::loaded::issued_token;
use holdfast_tests::runtime_api::Deployment;
use holdfast_tests::sys::{Sys, paid};
use serde_json::{Value, json};

async fn forget(sys: &Sys) {
    let _: () = redis::cmd("FLUSHALL").query_async(&mut sys.redis().await).await.unwrap();
}

#[tokio::test]
async fn whichever_function_comes_first_loads_the_show() {
    let stores = Stores::own().await;
    let sys = stores.sys();
    let deployment = Deployment::on(stores).await;
    let show = sys.define(json!({})).await;
    let sold = sys.hold(&show, &["E1"]).await.text("holdToken").to_owned();
    let booking = sys.confirm(&show, &sold, paid("pay_1")).await.text("bookingId").to_owned();
    let lost = issued_token(&show);
    let larger = json!({
        "name": "Hamlet", "sections": [{"id": "stalls", "rows": [{"id": "E", "from": 1, "to": 21}]}],
        "zones": [{"id": "GA", "capacity": 10}],
    });
    let hold = format!("/shows/{show}/holds/{lost}");
    for (method, path, body, status) in [
        ("POST", format!("/shows/{show}/holds"), json!({"seats": ["E1"]}), 409),
        ("POST", format!("/shows/{show}/holds"), json!({"seats": ["E2"]}), 201),
        ("GET", hold.clone(), Value::Null, 404),
        ("PATCH", hold.clone(), json!({"ttlSeconds": 60}), 409),
        ("DELETE", hold.clone(), Value::Null, 409),
        ("POST", format!("{hold}/confirm"), Value::Null, 409),
        ("POST", format!("{hold}/confirm"), json!({"seats": ["E3"]}), 201),
        ("POST", format!("/shows/{show}/stock/GA/decrement"), json!({"quantity": 1}), 201),
        ("GET", format!("/shows/{show}/stock/GA"), Value::Null, 200),
        ("POST", format!("/bookings/{booking}/cancel"), Value::Null, 200),
        ("POST", format!("/bookings/{booking}/restore"), Value::Null, 200),
        ("PUT", format!("/shows/{show}"), larger, 200),
    ] {
        forget(&sys).await;
        let answer = deployment.call(method, &path, body).await;
        assert_eq!(answer.status, status, "{method} {path}: {}", answer.body);
    }
    forget(&sys).await;
    let report = deployment.reconcile(json!({"showId": show})).await;
    assert_eq!((&report["errors"], &report["shows"][0]["drift"]), (&json!([]), &json!(0)), "{report}");
}
