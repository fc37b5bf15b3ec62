//! Numbers that are none, and numbers that are too large to be added.

use holdfast_tests::sys::Sys;
use serde_json::json;

use crate::expect::{assert_invalid, assert_invalid_fields};

const JSON: [(&str, &str); 1] = [("content-type", "application/json")];
const TTL: &str = "must be an integer of seconds, at least 1 and at most the show's maximum";

/// Spelt as they are sent, since not all of them are JSON numbers that a library would write.
const BAD_TTLS: [&str; 14] = [
    "0",
    "-1",
    "0.5",
    "1000000000000000",
    "9223372036854775808",
    "\"60\"",
    "null",
    "true",
    "60.0",
    "6e1",
    "[60]",
    "{}",
    "-9223372036854775809",
    "99999999999999999999999999999999",
];

#[tokio::test]
async fn pitfall_23_a_ttl_that_is_none_holds_nothing() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    for ttl in BAD_TTLS {
        let body = format!("{{\"seats\": [\"E1\"], \"ttlSeconds\": {ttl}}}");
        let answer = sys.call_raw("POST", &format!("/shows/{show}/holds"), &JSON, body).await;
        assert_invalid(&answer, &[("ttlSeconds", TTL)]);
        let body = format!("{{\"quantity\": 1, \"ttlSeconds\": {ttl}}}");
        let answer = sys.call_raw("POST", &format!("/shows/{show}/stock/GA/decrement"), &JSON, body).await;
        assert_invalid(&answer, &[("ttlSeconds", TTL)]);
    }
    sys.hold(&show, &["E1"]).await.expect(201);
    assert_eq!(sys.decrement(&show, "GA", 10).await.expect(201)["remaining"], 0);
}

#[tokio::test]
async fn pitfall_23_a_ttl_that_is_none_leaves_a_hold_as_it_was() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let granted = sys.hold_for(&show, &["E1"], 60).await;
    let token = granted.text("holdToken");
    for ttl in BAD_TTLS {
        let body = format!("{{\"ttlSeconds\": {ttl}}}");
        let answer = sys.call_raw("PATCH", &format!("/shows/{show}/holds/{token}"), &JSON, body).await;
        assert_invalid(&answer, &[("ttlSeconds", TTL)]);
    }
    let status = sys.hold_status(&show, token).await;
    assert_eq!((&status.body["state"], &status.body["expiresAt"]), (&"active".into(), &granted.body["expiresAt"]));
}

#[tokio::test]
async fn pitfall_23_a_ttl_above_the_shows_maximum_is_told_once_the_show_is_known() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({"hold": {"maxTtlSeconds": 400}})).await;
    let fault = [("ttlSeconds", "must be at most 400 for this show")];
    let granted = sys.hold_for(&show, &["E1"], 400).await;
    let token = granted.text("holdToken");
    // The last is the largest that is not too large for any clock.
    for ttl in [401, 900, 9_007_199_254_740] {
        assert_invalid(&sys.hold_for(&show, &["E2"], ttl).await, &fault);
        assert_invalid(&sys.extend(&show, token, ttl).await, &fault);
        let body = json!({"quantity": 1, "ttlSeconds": ttl});
        assert_invalid(&sys.call("POST", &format!("/shows/{show}/stock/GA/decrement"), body).await, &fault);
    }
    assert_eq!(sys.hold_status(&show, token).await.expect(200)["expiresAt"], granted.body["expiresAt"]);
}

#[tokio::test]
async fn pitfall_62_a_quantity_that_is_none_takes_nothing_and_gives_nothing() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let path = format!("/shows/{show}/stock/GA");
    sys.decrement(&show, "GA", 4).await.expect(201);
    let before = sys.get(&path).await.expect(200);
    let bad = ["-1", "0", "1.5", "9007199254740993", "\"1\"", "true", "null", "97", "2.0", "2e0", "[1]", "-0"];
    for quantity in bad {
        let body = format!("{{\"quantity\": {quantity}}}");
        let answer = sys.call_raw("POST", &format!("{path}/decrement"), &JSON, body).await;
        assert_invalid(&answer, &[("quantity", "must be an integer from 1 to 96")]);
    }
    // No JSON reader takes this one.
    let answer = sys.call_raw("POST", &format!("{path}/decrement"), &JSON, r#"{"quantity": 1e400}"#).await;
    assert_invalid_fields(&answer, &["body"]);
    assert_eq!(sys.get(&path).await.expect(200), before);
}

/// What is near the ends of 64 bits, signed and not.
const LARGE: [&str; 6] = [
    "9223372036854775806",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775808",
];

#[tokio::test]
async fn pitfall_63_sums_near_2_63_do_not_wrap() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E1"]).await.text("holdToken").to_owned();
    let (holds, stock) = (format!("/shows/{show}/holds"), format!("/shows/{show}/stock/GA/decrement"));
    for large in LARGE {
        for (method, path, body, field) in [
            ("POST", holds.clone(), format!("{{\"seats\": [\"E2\"], \"ttlSeconds\": {large}}}"), "ttlSeconds"),
            ("PATCH", format!("{holds}/{token}"), format!("{{\"ttlSeconds\": {large}}}"), "ttlSeconds"),
            ("POST", stock.clone(), format!("{{\"quantity\": {large}}}"), "quantity"),
            ("POST", stock.clone(), format!("{{\"quantity\": 1, \"ttlSeconds\": {large}}}"), "ttlSeconds"),
        ] {
            assert_invalid_fields(&sys.call_raw(method, &path, &JSON, body).await, &[field]);
        }
    }
    assert_eq!(sys.get(&format!("/shows/{show}/stock/GA")).await.expect(200)["remaining"], 10);
}

#[tokio::test]
async fn pitfall_63_a_show_of_large_numbers_is_refused() {
    let sys = Sys::shared().await;
    let path = format!("/shows/{}", holdfast_tests::servers::fresh_show_id());
    let put = async |fields: String| sys.call_raw("PUT", &path, &JSON, format!("{{\"name\": \"x\", {fields}}}")).await;
    let zone = r#""zones": [{"id": "GA", "capacity": 1}]"#;
    for large in LARGE {
        for (fields, at) in [
            (format!("\"zones\": [{{\"id\": \"GA\", \"capacity\": {large}}}]"), "zones[0].capacity"),
            (format!("\"hold\": {{\"defaultTtlSeconds\": {large}}}, {zone}"), "hold.defaultTtlSeconds"),
            (format!("\"hold\": {{\"maxTtlSeconds\": {large}}}, {zone}"), "hold.maxTtlSeconds"),
            (format!("\"hold\": {{\"maxLifetimeSeconds\": {large}}}, {zone}"), "hold.maxLifetimeSeconds"),
            (format!("\"limits\": {{\"maxPlacesPerHold\": {large}}}, {zone}"), "limits.maxPlacesPerHold"),
            (format!("\"limits\": {{\"maxPlacesPerUser\": {large}}}, {zone}"), "limits.maxPlacesPerUser"),
            (format!("\"waitingRoom\": {{\"admitPerMinute\": {large}}}, {zone}"), "waitingRoom.admitPerMinute"),
            (format!("\"waitingRoom\": {{\"passTtlSeconds\": {large}}}, {zone}"), "waitingRoom.passTtlSeconds"),
        ] {
            let answer = put(fields).await;
            let errors = answer.body["errors"].as_array().unwrap_or_else(|| panic!("{}", answer.body));
            assert!(errors.iter().any(|error| error["field"] == at), "{large} in {at}: {}", answer.body);
        }
        for (from, to) in [(large, "1"), ("1", large), (large, large)] {
            let rows = format!("[{{\"id\": \"A\", \"from\": {from}, \"to\": {to}}}]");
            let answer = put(format!("\"sections\": [{{\"id\": \"a\", \"rows\": {rows}}}]")).await;
            assert_eq!(answer.status, 400, "{}", answer.body);
        }
    }
    // Many zones, each of which is small enough.
    let many = (0..400).map(|n| format!("{{\"id\": \"z{n}\", \"capacity\": 100000}}")).collect::<Vec<_>>().join(",");
    let answer = put(format!("\"zones\": [{many}]")).await;
    assert_invalid(&answer, &[("sections", "the show would have 40000000 places, more than 100000")]);
    sys.get(&path).await.expect(404);
}
