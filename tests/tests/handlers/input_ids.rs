//! Ids that would be something else in a key.

use holdfast_tests::sys::Sys;
use serde_json::{Value, json};

use crate::expect::{assert_invalid_fields, assert_problem};

/// Each of these would end a hash tag, begin one, or reach another key. Percent-encoded for a path.
const BAD: [(&str, &str); 10] = [
    ("a{b}", "a%7Bb%7D"),
    ("}", "%7D"),
    ("E7}:x{show:other", "E7%7D%3Ax%7Bshow%3Aother"),
    ("a:b", "a%3Ab"),
    ("*", "*"),
    ("a*", "a*"),
    ("a\nb", "a%0Ab"),
    ("a\0", "a%00"),
    ("a b", "a%20b"),
    ("\u{e9}7", "%C3%A97"),
];

#[tokio::test]
async fn pitfall_29_an_id_in_a_path_keeps_to_its_grammar() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E1"]).await.text("holdToken").to_owned();
    let ttl = json!({"ttlSeconds": 60});
    for (_, bad) in BAD {
        let body = json!({"name": "x", "zones": [{"id": "GA", "capacity": 1}]});
        assert_invalid_fields(&sys.call("PUT", &format!("/shows/{bad}"), body).await, &["showId"]);
        assert_invalid_fields(&sys.get(&format!("/shows/{bad}")).await, &["showId"]);
        assert_invalid_fields(&sys.hold(bad, &["E1"]).await, &["showId"]);
        assert_invalid_fields(&sys.decrement(bad, "GA", 1).await, &["showId"]);
        assert_invalid_fields(&sys.decrement(&show, bad, 1).await, &["zoneId"]);
        assert_invalid_fields(&sys.get(&format!("/shows/{show}/stock/{bad}")).await, &["zoneId"]);
        for (show, token, field) in [(bad, token.as_str(), "showId"), (&show, bad, "holdToken")] {
            let path = format!("/shows/{show}/holds/{token}");
            assert_invalid_fields(&sys.get(&path).await, &[field]);
            assert_invalid_fields(&sys.call("PATCH", &path, ttl.clone()).await, &[field]);
            assert_invalid_fields(&sys.call("DELETE", &path, Value::Null).await, &[field]);
            assert_invalid_fields(&sys.confirm(show, token, Value::Null).await, &[field]);
        }
        assert_invalid_fields(&sys.get(&format!("/bookings/{bad}")).await, &["bookingId"]);
    }
    assert_eq!(sys.hold_status(&show, &token).await.expect(200)["state"], "active");
}

#[tokio::test]
async fn pitfall_29_an_id_in_a_body_keeps_to_its_grammar() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E1"]).await.text("holdToken").to_owned();
    for (bad, _) in BAD {
        assert_invalid_fields(&sys.hold(&show, &["E2", bad]).await, &["seats[1]"]);
        let with = |body: Value| sys.confirm(&show, &token, body);
        assert_invalid_fields(&with(json!({"seats": [bad]})).await, &["seats[0]"]);
        assert_invalid_fields(&with(json!({"zone": "GA", "units": [bad]})).await, &["units[0]"]);
        let unit = format!("{bad}-1");
        let answer = with(json!({"zone": bad, "units": [unit]})).await;
        assert_eq!((answer.status, &answer.body["errors"][0]["field"]), (400, &"zone".into()), "{}", answer.body);
        let section = |id: &str, row: &str| json!({"id": id, "rows": [{"id": row, "from": 1, "to": 2}]});
        let mut prefixed = section("a", "A");
        prefixed["prefix"] = bad.into();
        for (field, value, at) in [
            ("sections", json!([section(bad, "A")]), "sections[0].id"),
            ("sections", json!([section("a", bad)]), "sections[0].rows[0].id"),
            ("sections", json!([prefixed]), "sections[0].prefix"),
            ("zones", json!([{"id": bad, "capacity": 1}]), "zones[0].id"),
        ] {
            let mut body = json!({"name": "x"});
            body[field] = value;
            let answer = sys.call("PUT", &format!("/shows/{show}"), body).await;
            let fields: Vec<_> =
                answer.body["errors"].as_array().unwrap().iter().map(|error| &error["field"]).collect();
            assert!(answer.status == 400 && fields.contains(&&Value::from(at)), "{bad:?} in {at}: {}", answer.body);
        }
    }
    assert_eq!(sys.hold_status(&show, &token).await.expect(200)["state"], "active");
    sys.hold(&show, &["E2"]).await.expect(201);
}

#[tokio::test]
async fn pitfall_29_ids_are_case_sensitive_and_may_be_as_long_as_they_may() {
    let sys = Sys::shared().await;
    let zone = format!("Z-{}", "9".repeat(62));
    let section =
        json!([{"id": "s".repeat(64), "prefix": "p".repeat(16), "rows": [{"id": "r".repeat(15), "from": 1, "to": 9}]}]);
    let show = sys.define(json!({"sections": section, "zones": [{"id": zone, "capacity": 1}]})).await;
    let seat = format!("{}{}7", "p".repeat(16), "r".repeat(15));
    sys.hold(&show, &[&seat]).await.expect(201);
    let other = seat.to_uppercase();
    assert_problem(&sys.hold(&show, &[&other]).await, "unknown_seat", json!({"seats": [other]}));
    assert_eq!(sys.decrement(&show, &zone, 1).await.expect(201)["units"], json!([format!("{zone}-1")]));
}
