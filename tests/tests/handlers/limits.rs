//! How much one request may ask for, and that nothing is asked of a store when it is too much.

use holdfast::adapters::redis::keys;
use holdfast::domain::ShowId;
use holdfast_tests::sys::{Answer, Sys};
use serde_json::{Value, json};

use crate::expect::{assert_invalid, assert_problem, assert_success};
use crate::hold::held;

const JSON: [(&str, &str); 1] = [("content-type", "application/json")];

/// The names of so many seats.
fn names(count: usize) -> Vec<String> {
    (1..=count).map(|number| format!("E{number}")).collect()
}

/// A show of 96 seats, which one hold may have.
async fn of_96(sys: &Sys) -> String {
    let sections = json!([{"id": "stalls", "rows": [{"id": "E", "from": 1, "to": 96}]}]);
    sys.define(json!({"sections": sections, "limits": {"maxPlacesPerHold": 96}})).await
}

async fn hold_of(sys: &Sys, show: &str, seats: &[String]) -> Answer {
    sys.call("POST", &format!("/shows/{show}/holds"), json!({"seats": seats})).await
}

#[tokio::test]
async fn pitfall_27_too_many_seats_reach_no_store() {
    let sys = Sys::shared().await;
    let show = of_96(&sys).await;
    let mark = sys.monitor().mark();
    for count in [0, 97, 8_001] {
        let refused = hold_of(&sys, &show, &names(count)).await;
        if count < 1_000 {
            assert_invalid(&refused, &[("seats", "must have 1 to 96 entries")]);
        } else {
            // Whichever limit it meets first.
            assert!([400, 413].contains(&refused.status), "{}", refused.body);
        }
    }
    let seats = names(100_000);
    let bytes = json!({"seats": seats}).to_string().len();
    let detail = format!("The body has {bytes} bytes, more than 65536.");
    assert_problem(&hold_of(&sys, &show, &seats).await, "payload_too_large", json!({"detail": detail}));
    assert_eq!(sys.monitor().seen_of_show(mark, &show).len(), 0, "no store was asked");
}

#[tokio::test]
async fn pitfall_27_more_than_the_show_allows_is_a_conflict() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({"limits": {"maxPlacesPerHold": 4}})).await;
    let carries = json!({"limit": 4, "current": 5});
    assert_problem(&hold_of(&sys, &show, &names(5)).await, "limit_exceeded", carries.clone());
    assert_problem(&sys.decrement(&show, "GA", 5).await, "limit_exceeded", carries);
    hold_of(&sys, &show, &names(4)).await.expect(201);
    assert_eq!(sys.decrement(&show, "GA", 4).await.expect(201)["remaining"], 6);
}

#[tokio::test]
async fn a_body_of_64_kb_is_read_and_one_byte_more_is_not() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let path = format!("/shows/{show}/holds");
    let sent = r#"{"seats": ["E1"]}"#;
    let body = |length: usize| " ".repeat(length - sent.len()) + sent;
    let refused = sys.call_raw("POST", &path, &JSON, body(65_537)).await;
    let detail = "The body has 65537 bytes, more than 65536.";
    assert_problem(&refused, "payload_too_large", json!({"detail": detail}));
    assert_success(&sys.call_raw("POST", &path, &JSON, body(65_536)).await, 201, held(&show, &["E1"]));
}

#[tokio::test]
async fn pitfall_55_a_confirm_has_room_for_the_most_places_that_a_hold_can_have() {
    let sys = Sys::shared().await;
    let show = of_96(&sys).await;
    let seats = names(96);
    let token = hold_of(&sys, &show, &seats).await.text("holdToken").to_owned();
    let confirmed = sys.confirm(&show, &token, holdfast_tests::sys::paid("pay_1")).await.expect(201);
    assert_eq!(confirmed["seats"], json!(seats));
    let taken = hold_of(&sys, &show, &seats).await.expect_problem(409, "seat_unavailable");
    assert!(taken["seats"].as_array().unwrap().iter().all(|seat| seat["reason"] == "sold"), "{taken}");
}

#[tokio::test]
async fn pitfall_55_a_confirm_of_more_places_is_refused_before_any_write() {
    let (sys, _proxy, front) = Sys::fragile(&[]).await;
    let show = of_96(&sys).await;
    let token = hold_of(&sys, &show, &names(96)).await.text("holdToken").to_owned();
    front.reset_counts();
    let mark = sys.monitor().mark();
    for (field, more) in [("seats", names(97)), ("units", (1..=97).map(|number| format!("GA-{number}")).collect())] {
        let mut body = json!({"payment": {"reference": "pay_1"}});
        body[field] = json!(more);
        if field == "units" {
            body["zone"] = "GA".into();
        }
        assert_invalid(&sys.confirm(&show, &token, body).await, &[(field, "must have 1 to 96 entries")]);
    }
    assert_eq!(front.operations(), Vec::<String>::new());
    assert_eq!(sys.monitor().seen_of_show(mark, &show).len(), 0);
    assert_eq!(sys.hold_status(&show, &token).await.expect(200)["state"], "active");
}

#[tokio::test]
async fn a_refused_request_leaves_no_trace() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    sys.hold(&show, &["E1"]).await.expect(201);
    sys.hold(&show, &["E1", "E2"]).await.expect_problem(409, "seat_unavailable");
    sys.hold(&show, &["E2", "E99"]).await.expect_problem(404, "unknown_seat");
    let id = ShowId::parse(&show).unwrap();
    let held: Vec<String> = redis::cmd("ZRANGE")
        .arg(&[keys::held(&id), "0".to_owned(), "-1".to_owned()])
        .query_async(&mut sys.redis().await)
        .await
        .unwrap();
    assert_eq!(held, ["E1"]);
    sys.call("POST", &format!("/shows/{show}/holds"), Value::Null).await.expect(400);
}
