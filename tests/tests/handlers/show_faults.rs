//! Shows that cannot be.

use holdfast_tests::servers::fresh_show_id;
use holdfast_tests::sys::{Answer, Sys};
use serde_json::{Value, json};

use crate::expect::{assert_invalid, assert_problem};

async fn put(sys: &Sys, body: Value) -> Answer {
    sys.call("PUT", &format!("/shows/{}", fresh_show_id()), body).await
}

/// A good show but for these fields.
fn show(changes: Value) -> Value {
    let mut show = json!({"name": "x", "zones": [{"id": "GA", "capacity": 5}]});
    for (name, value) in changes.as_object().unwrap() {
        show[name] = value.clone();
    }
    show
}

/// One section `a` with these rows.
fn rows(rows: Value) -> Value {
    json!({"sections": [{"id": "a", "rows": rows}]})
}

#[tokio::test]
async fn all_faults_of_a_show_are_told_at_once() {
    let sys = Sys::shared().await;
    let body = r#"{"showId": "other", "name": "", "startsAt": "tomorrow", "colour": "red",
        "sale": {"opensAt": "2027-01-02T00:00:00Z", "closesAt": "2027-01-01T00:00:00Z", "tz": "UTC"},
        "sections": [{"id": "a b", "rows": [{"id": "A", "from": 0, "to": 10000}, {"id": "B", "from": 3, "to": 2}]}, {}],
        "zones": [{"id": "GA", "capacity": 0}, 7],
        "hold": {"defaultTtlSeconds": 901, "maxTtlSeconds": 900, "maxLifetimeSeconds": 604801},
        "limits": {"maxPlacesPerHold": 97}, "lateConfirm": "maybe",
        "waitingRoom": {"enabled": "no", "admitPerMinute": 0}, "name": "x"}"#;
    let path = "/shows/this";
    let answer = sys.call_raw("PUT", path, &[("content-type", "application/json")], body).await;
    let id = "must be 1 to 64 of A-Z a-z 0-9 _ -, beginning with a letter or digit";
    let number = "must be an integer from 1 to 9999";
    assert_invalid(
        &answer,
        &[
            ("showId", "must be that of the path"),
            ("name", "must be 1 to 500 characters"),
            ("startsAt", "must be an RFC 3339 instant like 2027-01-20T19:30:00Z"),
            ("sale.closesAt", "must be after opensAt"),
            ("sale.tz", "is not a field of this request"),
            ("sections[0].id", id),
            ("sections[0].rows[0].from", number),
            ("sections[0].rows[0].to", number),
            ("sections[0].rows[1].to", "must not be below from"),
            ("sections[1].id", "is required"),
            ("sections[1].rows", "is required"),
            ("zones[0].capacity", "must be an integer from 1 to 100000"),
            ("zones[1]", "must be an object"),
            ("hold.maxLifetimeSeconds", "must be an integer from 1 to 604800"),
            ("hold.defaultTtlSeconds", "must not be above maxTtlSeconds"),
            ("limits.maxPlacesPerHold", "must be an integer from 1 to 96"),
            ("lateConfirm", "must be \"rescue\" or \"refuse\""),
            ("waitingRoom.enabled", "must be true or false"),
            ("waitingRoom.admitPerMinute", "must be an integer from 1 to 10000000"),
            ("colour", "is not a field of this request"),
            ("name", "is there twice"),
        ],
    );
}

#[tokio::test]
async fn there_is_no_waiting_room_yet() {
    let sys = Sys::shared().await;
    let answer = put(&sys, show(json!({"waitingRoom": {"enabled": true}}))).await;
    assert_invalid(&answer, &[("waitingRoom.enabled", "must be false: there is no waiting room yet")]);
}

#[tokio::test]
async fn a_show_needs_a_name_and_something_to_sell() {
    let sys = Sys::shared().await;
    assert_invalid(&put(&sys, json!({"zones": [{"id": "GA", "capacity": 5}]})).await, &[("name", "is required")]);
    let nothing = [("sections", "at least one section or zone is required")];
    for body in [json!({"name": "x"}), json!({"name": "x", "sections": [], "zones": []})] {
        assert_invalid(&put(&sys, body).await, &nothing);
    }
}

#[tokio::test]
async fn each_place_is_there_once() {
    let sys = Sys::shared().await;
    let row = |id: &str, from: u32, to: u32| json!({"id": id, "from": from, "to": to});
    for (changes, fault) in [
        (rows(json!([row("A", 1, 3), row("A", 3, 5)])), ("sections", "seat A3 is there twice")),
        // `A1` and 2 read like `A` and 12.
        (rows(json!([row("A1", 2, 2), row("A", 12, 12)])), ("sections", "seat A12 is there twice")),
        (rows(json!([row("GA-", 17, 17)])), ("sections", "seat GA-17 looks like a unit of zone GA")),
        (
            json!({"sections": [{"id": "a", "prefix": "GA-", "rows": [row("9", 999, 999)]}]}),
            ("sections", "seat GA-9999 looks like a unit of zone GA"),
        ),
        (
            json!({"sections": [{"id": "a", "prefix": "p".repeat(16), "rows": [row(&"r".repeat(16), 1, 1)]}]}),
            ("sections", &*format!("seat {}{}1 would be longer than 32 characters", "p".repeat(16), "r".repeat(16))),
        ),
        (
            json!({"sections": [{"id": "a", "rows": [row("A", 1, 1)]}, {"id": "a", "rows": [row("B", 1, 1)]}]}),
            ("sections[1].id", "is there twice"),
        ),
        (
            json!({"zones": [{"id": "GA", "capacity": 1}, {"id": "GA", "capacity": 2}]}),
            ("zones[1].id", "is there twice"),
        ),
    ] {
        assert_invalid(&put(&sys, show(changes)).await, &[fault]);
    }
    // A zone of another name takes nothing away.
    put(&sys, show(rows(json!([row("GB-", 17, 17)])))).await.expect(201);
}

#[tokio::test]
async fn a_show_has_bounds() {
    let sys = Sys::shared().await;
    let integer = |min: u64, max: u64| format!("must be an integer from {min} to {max}");
    for (changes, field, problem) in [
        (json!({"zones": [{"id": "GA", "capacity": 100_001}]}), "zones[0].capacity", integer(1, 100_000)),
        (json!({"hold": {"maxTtlSeconds": 86_401}}), "hold.maxTtlSeconds", integer(1, 86_400)),
        (json!({"hold": {"defaultTtlSeconds": 0}}), "hold.defaultTtlSeconds", integer(1, 86_400)),
        (json!({"hold": {"maxLifetimeSeconds": 604_801}}), "hold.maxLifetimeSeconds", integer(1, 604_800)),
        (json!({"limits": {"maxPlacesPerHold": 0}}), "limits.maxPlacesPerHold", integer(1, 96)),
        (json!({"limits": {"maxPlacesPerUser": 0}}), "limits.maxPlacesPerUser", integer(1, 100_000)),
        (rows(json!([])), "sections[0].rows", "must have 1 to 10000 entries".to_owned()),
        (
            rows(json!([{"id": "A", "from": 1, "to": 1}])).as_object().map_or(
                Value::Null,
                |sections| json!({"sections": sections["sections"], "zones": [{"id": "GA", "capacity": 100_000}]}),
            ),
            "sections",
            "the show would have 100001 places, more than 100000".to_owned(),
        ),
    ] {
        assert_invalid(&put(&sys, show(changes)).await, &[(field, &problem)]);
    }
    put(&sys, show(json!({"zones": [{"id": "GA", "capacity": 100_000}]}))).await.expect(201);
}

#[tokio::test]
async fn a_show_may_have_256_kb_and_not_a_byte_more() {
    let sys = Sys::shared().await;
    let json = [("content-type", "application/json")];
    let path = format!("/shows/{}", fresh_show_id());
    let sent = show(json!({})).to_string();
    let body = |length: usize| " ".repeat(length - sent.len()) + &sent;
    let answer = sys.call_raw("PUT", &path, &json, body(262_145)).await;
    let detail = "The body has 262145 bytes, more than 262144.";
    assert_problem(&answer, "payload_too_large", json!({"detail": detail}));
    sys.call_raw("PUT", &path, &json, body(262_144)).await.expect(201);
}
