//! What is wrong with a request: everything at once, each fault with its field.

use holdfast_tests::sys::Sys;
use serde_json::{Value, json};

use crate::expect::assert_invalid;

const UUID: &str = "must be a UUID in lower case with hyphens";
const SEAT: &str = "must be 1 to 32 of A-Z a-z 0-9 . _ -, beginning with a letter or digit";
const ID: &str = "must be 1 to 64 of A-Z a-z 0-9 _ -, beginning with a letter or digit";
const TTL: &str = "must be an integer of seconds, at least 1 and at most the show's maximum";
const UNKNOWN: &str = "is not a field of this request";
const TWICE: &str = "is there twice";

const JSON: [(&str, &str); 1] = [("content-type", "application/json")];

#[tokio::test]
async fn all_faults_of_a_hold_are_told_at_once() {
    let sys = Sys::shared().await;
    let body = r#"{"seats": ["E7", "", "E7", 8, "E{9}"], "ttlSeconds": 0, "bestAvailable": {"quantity": 3},
        "ttlSeconds": 60}"#;
    let headers = [JSON[0], ("x-user-id", "")];
    let answer = sys.call_raw("POST", "/shows/a%7Bb/holds", &headers, body).await;
    let faults = [
        ("showId", ID),
        ("X-User-Id", "must be 1 to 255 bytes"),
        ("seats[1]", SEAT),
        ("seats[2]", TWICE),
        ("seats[3]", "must be a text"),
        ("seats[4]", SEAT),
        ("ttlSeconds", TTL),
        ("bestAvailable", UNKNOWN),
        ("ttlSeconds", TWICE),
    ];
    assert_invalid(&answer, &faults);
}

#[tokio::test]
async fn all_faults_of_a_confirm_are_told_at_once() {
    let sys = Sys::shared().await;
    let body = r#"{"payment": {"reference": "pay 1", "amount": "-1", "currency": "krw", "method": "card", "amount": "1"},
        "orderId": "", "seats": ["E1", "E1"], "zone": "GA", "note": null}"#;
    let answer = sys.call_raw("POST", "/shows/_/holds/token/confirm", &JSON, body).await;
    let faults = [
        ("showId", ID),
        ("holdToken", UUID),
        ("payment.reference", "must be 1 to 128 printable ASCII characters without space"),
        ("payment.amount", "must be a decimal like \"55000\" or \"12.50\", of up to 38 digits"),
        ("payment.currency", "must be three capital letters"),
        ("payment.method", UNKNOWN),
        ("payment.amount", TWICE),
        ("orderId", "must be 1 to 128 printable ASCII characters"),
        ("seats[1]", TWICE),
        ("units", "is required with zone"),
        ("zone", "cannot be there together with seats"),
        ("note", UNKNOWN),
    ];
    assert_invalid(&answer, &faults);
}

#[tokio::test]
async fn all_faults_of_a_decrement_are_told_at_once() {
    let sys = Sys::shared().await;
    let answer = sys.call("POST", "/shows/a.b/stock/-/decrement", json!({"ttlSeconds": "60", "amount": 2})).await;
    let faults =
        [("showId", ID), ("zoneId", ID), ("quantity", "is required"), ("ttlSeconds", TTL), ("amount", UNKNOWN)];
    assert_invalid(&answer, &faults);
}

#[tokio::test]
async fn all_faults_of_the_other_routes_are_told_at_once() {
    let sys = Sys::shared().await;
    let both = [("showId", ID), ("holdToken", UUID)];
    let answer = sys.call("PATCH", "/shows/-/holds/7", json!({"seconds": 60})).await;
    assert_invalid(&answer, &[both[0], both[1], ("ttlSeconds", "is required"), ("seconds", UNKNOWN)]);
    for method in ["GET", "DELETE"] {
        assert_invalid(&sys.call(method, "/shows/-/holds/7", Value::Null).await, &both);
    }
    assert_invalid(&sys.get("/shows/-/stock/_").await, &[("showId", ID), ("zoneId", ID)]);
    assert_invalid(&sys.get("/shows/-").await, &[("showId", ID)]);
    let upper = "6F9C0F6E-5B0A-4C7E-9D52-0C1A7D3F2B11";
    assert_invalid(&sys.get(&format!("/bookings/{upper}")).await, &[("bookingId", UUID)]);
}

#[tokio::test]
async fn what_a_request_needs_is_named() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let required = |field| [(field, "is required")];
    let holds = format!("/shows/{show}/holds");
    assert_invalid(&sys.call("POST", &holds, json!({})).await, &required("seats"));
    let token = sys.hold(&show, &["E1"]).await.text("holdToken").to_owned();
    let answer = sys.confirm(&show, &token, json!({"payment": {}})).await;
    assert_invalid(&answer, &required("payment.reference"));
    let answer = sys.confirm(&show, &token, json!({"payment": {"reference": "a", "amount": "1"}})).await;
    assert_invalid(&answer, &[("payment.currency", "is required with amount")]);
    let answer = sys.confirm(&show, &token, json!({"units": ["GA-1", "GA-2"]})).await;
    let alone = [("units[0]", "needs a zone"), ("units[1]", "needs a zone"), ("zone", "is required with units")];
    assert_invalid(&answer, &alone);
    let answer = sys.confirm(&show, &token, json!({"zone": "GA", "units": ["GB-1", "GA-01"]})).await;
    let unit = "must be a unit of zone GA, like GA-17";
    assert_invalid(&answer, &[("units[0]", unit), ("units[1]", unit)]);
}

#[tokio::test]
async fn a_field_of_another_type_is_named() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E1"]).await.text("holdToken").to_owned();
    for seats in [json!("E1"), json!(7), json!(null), json!({"0": "E1"})] {
        let answer = sys.call("POST", &format!("/shows/{show}/holds"), json!({"seats": seats})).await;
        assert_invalid(&answer, &[("seats", "must be a list")]);
    }
    for payment in [json!("pay_1"), json!(null), json!(["pay_1"])] {
        let answer = sys.confirm(&show, &token, json!({"payment": payment})).await;
        assert_invalid(&answer, &[("payment", "must be an object")]);
    }
    let answer = sys.confirm(&show, &token, json!({"orderId": null, "zone": 1, "units": 1})).await;
    let faults = [("orderId", "must be a text"), ("zone", "must be a text"), ("units", "must be a list")];
    assert_invalid(&answer, &faults);
    assert_eq!(sys.hold_status(&show, &token).await.expect(200)["state"], "active");
}

#[tokio::test]
async fn pitfall_67_a_seat_that_is_named_twice_is_refused() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    assert_invalid(&sys.hold(&show, &["E7", "E7"]).await, &[("seats[1]", TWICE)]);
    assert_invalid(&sys.hold(&show, &["E1", "E7", "E2", "E7"]).await, &[("seats[3]", TWICE)]);
    sys.hold(&show, &["E7"]).await.expect(201);
}

#[tokio::test]
async fn a_buyer_is_1_to_255_bytes() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let hold = async |seat: &str, buyer: &str| {
        let body = json!({"seats": [seat]}).to_string();
        let headers = [JSON[0], ("x-user-id", buyer)];
        sys.call_raw("POST", &format!("/shows/{show}/holds"), &headers, body).await
    };
    hold("E1", &"x".repeat(255)).await.expect(201);
    hold("E2", "a{b}:* c").await.expect(201);
    let fault = [("X-User-Id", "must be 1 to 255 bytes")];
    assert_invalid(&hold("E3", &"x".repeat(256)).await, &fault);
    assert_invalid(&hold("E3", "").await, &fault);
}
