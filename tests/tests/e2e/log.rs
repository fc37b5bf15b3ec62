//! What the functions write: which request was the first, which trace it belongs to, what each script answered, and never
//! a token.

use std::collections::BTreeSet;

use holdfast_tests::cases::Stores;
use holdfast_tests::dynamo_front::Fault;
use holdfast_tests::runtime_api::{Deployment, deployed_name};
use holdfast_tests::sys::paid;
use serde_json::{Value, json};
use uuid::Uuid;

const ORDER: &str = "order-of-somebody";

fn show() -> Value {
    json!({
        "name": "Hamlet",
        "sections": [{"id": "stalls", "rows": [{"id": "E", "from": 1, "to": 20}]}],
        "zones": [{"id": "GA", "capacity": 10}],
    })
}

async fn hold(sale: &Deployment, seat: &str) -> String {
    sale.call("POST", "/shows/42/holds", json!({"seats": [seat]})).await.text("holdToken").to_owned()
}

#[track_caller]
fn lines(log: &str) -> Vec<Value> {
    log.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}"))).collect()
}

#[tokio::test]
async fn a_log_tells_which_request_was_the_first_and_never_a_token() {
    let sale = Deployment::on(Stores::own().await).await;
    sale.call("PUT", "/shows/42", show()).await.expect(201);
    let tokens = [hold(&sale, "E1").await, hold(&sale, "E2").await];
    let log = sale.serving("hold").await.log();
    let lines = lines(&log);
    let cold: Vec<&Value> = lines.iter().map(|line| &line["function.cold_start"]).collect();
    assert_eq!(cold, [&json!(true), &json!(false)], "{log}");
    assert!(lines.iter().all(|line| line["trace.id"].as_str().is_some_and(|id| id.starts_with("1-"))), "{log}");
    // An alarm names the function as CloudFormation does.
    assert!(lines.iter().all(|line| line["Function"] == deployed_name("hold")), "{log}");
    // What docs/OPERATIONS.md counts for the cost of logs.
    assert!(log.lines().all(|line| line.len() < 1100), "{log}");
    assert!(tokens.iter().all(|token| !log.contains(token)), "{log}");
}

/// Every kind of thing that happens in a sale. What it answered that nobody else may learn.
async fn sell(sale: &Deployment) -> Vec<String> {
    sale.call("PUT", "/shows/42", show()).await.expect(201);
    let token = hold(sale, "E7").await;
    sale.call("POST", "/shows/42/holds", json!({"seats": ["E7"]})).await.expect(409);
    let path = format!("/shows/42/holds/{token}");
    sale.call("GET", &path, Value::Null).await.expect(200);
    sale.call("PATCH", &path, json!({"ttlSeconds": 600})).await.expect(200);
    let mut order = paid("pay_of_somebody");
    order["orderId"] = ORDER.into();
    let booked = sale.call("POST", &format!("{path}/confirm"), order).await;
    let booking = booked.expect(201)["bookingId"].as_str().unwrap().to_owned();
    let released = hold(sale, "E1").await;
    sale.call("DELETE", &format!("/shows/42/holds/{released}"), Value::Null).await.expect(204);
    let refused = sale.call("POST", &format!("/shows/42/holds/{released}/confirm"), paid("pay_too_late")).await;
    refused.expect(409);
    let units = sale.call("POST", "/shows/42/stock/GA/decrement", json!({"quantity": 3})).await;
    let units = units.text("holdToken").to_owned();
    for action in ["cancel", "restore"] {
        sale.call("POST", &format!("/bookings/{booking}/{action}"), Value::Null).await.expect(200);
    }
    sale.call("GET", "/shows/42/stock/GA", Value::Null).await.expect(200);
    // Pinned, and left to reconcile, which lists such tokens.
    sale.front("confirm").on("TransactWriteItems").always().before(Fault::Reset);
    let pinned = hold(sale, "E9").await;
    sale.call("POST", &format!("/shows/42/holds/{pinned}/confirm"), paid("pay_late")).await.expect(503);
    sale.front("confirm").clear();
    let report = sale.reconcile(json!({"showId": "42"})).await;
    assert_eq!(report["shows"][0]["repairs"]["settled"], 1, "{report}");
    [token, booking, released, units, pinned].into_iter().chain(["pay_of_somebody", ORDER].map(str::to_owned)).collect()
}

/// Every token that Redis has a key or a member for: also those that no answer told.
async fn tokens_in_redis(stores: &Stores) -> BTreeSet<String> {
    let mut redis = stores.sys().redis().await;
    let keys: Vec<String> = redis::cmd("KEYS").arg("*").query_async(&mut redis).await.unwrap();
    let ends = keys.iter().filter_map(|key| key.rsplit(':').next());
    ends.filter(|end| Uuid::parse_str(end).is_ok()).map(str::to_owned).collect()
}

#[tokio::test]
async fn at_debug_a_log_tells_what_each_script_answered_and_never_a_token() {
    let sale = Deployment::on(Stores::own().await).await.with(&[("LOG_LEVEL", "debug")]);
    let mut secrets: BTreeSet<String> = sell(&sale).await.into_iter().collect();
    let known = tokens_in_redis(sale.stores()).await;
    assert!(known.len() > 5, "holds, bookings and the restore's own token: {known:?}");
    secrets.extend(known);
    let log = sale.log().await;
    let found: Vec<&String> = secrets.iter().filter(|secret| log.contains(*secret)).collect();
    assert!(found.is_empty(), "{found:?} in {log}");

    let lines = lines(&log);
    let scripts: Vec<&Value> = lines.iter().filter(|line| line["level"] == "debug").collect();
    let of = |name: &str| {
        scripts.iter().filter(|line| line["script.name"] == name).map(|line| &line["script.answer"]).collect::<Vec<_>>()
    };
    let codes = |name: &str| of(name).into_iter().map(|answer| answer["code"].as_str().unwrap()).collect::<Vec<_>>();
    assert_eq!(codes("hold"), ["NOT_LOADED", "OK", "UNAVAILABLE", "OK", "OK"], "{log}");
    assert!(of("hold")[1]["expires_in_ms"].as_u64().is_some_and(|ms| ms > 100_000), "{log}");
    assert_eq!(codes("hold_status").last(), Some(&"OK"), "{log}");
    assert_eq!((of("stock_decrement")[0]["left"].as_u64(), of("stock_status").len()), (Some(7), 1), "{log}");
    assert_eq!(*of("mark")[0], json!({"code": "OK", "marked": 1, "freed": 0, "ended": 1}), "{log}");
    for name in ["extend", "release", "pin", "free", "load_begin", "load_chunk", "load_finish", "survey", "pinned"] {
        assert!(codes(name).contains(&"OK"), "{name} in {log}");
    }
    // Each belongs to a request or a run that has a line of its own.
    let ids =
        |lines: Vec<&Value>| lines.into_iter().map(|line| line["request.id"].to_string()).collect::<BTreeSet<_>>();
    let whole = ids(lines.iter().filter(|line| line.get("request.duration_ms").is_some()).collect());
    assert!(ids(scripts.clone()).is_subset(&whole), "{log}");
    for line in scripts {
        assert_eq!(line["show.id"], "42", "{line}");
        assert!(line["script.keys"].as_u64() > Some(0) && line["script.duration_ms"].as_f64() > Some(0.0), "{line}");
        assert!(line["trace.id"].is_string(), "{line}");
    }
}
