//! `PUT` and `GET /shows/{showId}`.

use holdfast_tests::servers::fresh_show_id;
use holdfast_tests::sys::Sys;
use serde_json::{Value, json};

use crate::expect::{assert_problem, assert_success};

/// A show with every field.
fn full() -> Value {
    json!({
        "name": "Hamlet \u{2014} \u{c4}\"\\", "startsAt": "2999-01-20T19:30:00Z",
        "sale": {"opensAt": "2020-12-01T09:00:00Z", "closesAt": "2999-01-20T19:00:00Z"},
        "sections": [
            {"id": "stalls", "rows": [{"id": "E", "from": 1, "to": 20}, {"id": "F", "from": 7, "to": 7}]},
            {"id": "balcony", "prefix": "B-", "rows": [{"id": "A", "from": 1, "to": 12}]},
        ],
        "zones": [{"id": "GA", "capacity": 500}, {"id": "GB", "capacity": 1}],
        "hold": {"defaultTtlSeconds": 299, "maxTtlSeconds": 899, "maxLifetimeSeconds": 7199},
        "limits": {"maxPlacesPerHold": 9, "maxPlacesPerUser": 11},
        "lateConfirm": "refuse",
        "waitingRoom": {"enabled": false, "admitPerMinute": 599, "passTtlSeconds": 601},
    })
}

/// What is answered of it.
fn answered(mut show: Value, id: &str, places: u64, version: u64) -> Value {
    (show["showId"], show["places"], show["version"]) = (id.into(), places.into(), version.into());
    show
}

#[tokio::test]
async fn every_field_of_a_show_comes_back() {
    let sys = Sys::shared().await;
    let id = fresh_show_id();
    let path = format!("/shows/{id}");
    let wanted = answered(full(), &id, 534, 1);
    assert_success(&sys.call("PUT", &path, full()).await, 201, wanted.clone());
    let got = sys.get(&path).await;
    assert_success(&got, 200, wanted.clone());
    // The answer of a GET can be PUT back, and a PUT repeated: neither is a change.
    for again in [got.body, full(), json!({"showId": id})] {
        let mut body = full();
        again.as_object().unwrap().iter().for_each(|(name, value)| body[name] = value.clone());
        assert_success(&sys.call("PUT", &path, body).await, 200, wanted.clone());
    }
}

#[tokio::test]
async fn a_show_of_a_name_and_a_zone_has_the_defaults() {
    let sys = Sys::shared().await;
    let id = fresh_show_id();
    let path = format!("/shows/{id}");
    let body = json!({"name": "x", "zones": [{"id": "GA", "capacity": 5}]});
    let wanted = json!({
        "showId": id, "name": "x", "sections": [], "zones": [{"id": "GA", "capacity": 5}],
        "hold": {"defaultTtlSeconds": 300, "maxTtlSeconds": 900, "maxLifetimeSeconds": 7200},
        "limits": {"maxPlacesPerHold": 10}, "lateConfirm": "rescue",
        "waitingRoom": {"enabled": false, "admitPerMinute": 600, "passTtlSeconds": 600}, "places": 5, "version": 1,
    });
    assert_success(&sys.call("PUT", &path, body).await, 201, wanted.clone());
    assert_success(&sys.call("PUT", &path, wanted.clone()).await, 200, wanted);
}

#[tokio::test]
async fn what_a_policy_leaves_out_gives_way_to_what_it_says() {
    let sys = Sys::shared().await;
    for (hold, wanted) in [
        (json!({"maxTtlSeconds": 60}), [60, 60, 7200]),
        (json!({"defaultTtlSeconds": 1000}), [1000, 1000, 7200]),
        (json!({"maxTtlSeconds": 86_400}), [300, 86_400, 86_400]),
        (json!({"maxLifetimeSeconds": 10}), [300, 900, 10]),
        (json!({}), [300, 900, 7200]),
    ] {
        let show = sys.define(json!({"hold": hold})).await;
        let [default, max, lifetime] = wanted;
        let policy = json!({"defaultTtlSeconds": default, "maxTtlSeconds": max, "maxLifetimeSeconds": lifetime});
        assert_eq!(sys.get(&format!("/shows/{show}")).await.expect(200)["hold"], policy, "{hold}");
    }
}

#[tokio::test]
async fn a_change_is_the_next_version_and_a_stale_one_is_refused() {
    let sys = Sys::shared().await;
    let id = fresh_show_id();
    let path = format!("/shows/{id}");
    let stale = |version: u64| json!({"version": version, "detail": "Another version is current."});
    let mut first = full();
    first["version"] = 1.into();
    // There is none to replace.
    assert_problem(&sys.call("PUT", &path, first.clone()).await, "version_conflict", stale(0));
    sys.get(&path).await.expect(404);
    sys.call("PUT", &path, full()).await.expect(201);

    let mut renamed = first.clone();
    renamed["name"] = "Macbeth".into();
    let wanted = {
        let mut wanted = answered(full(), &id, 534, 2);
        wanted["name"] = "Macbeth".into();
        wanted
    };
    assert_success(&sys.call("PUT", &path, renamed.clone()).await, 200, wanted.clone());
    // The version that it names is not current any more.
    assert_problem(&sys.call("PUT", &path, first).await, "version_conflict", stale(2));
    // But a repeat of the very change, whose answer was lost, is as good as the first.
    assert_success(&sys.call("PUT", &path, renamed).await, 200, wanted.clone());
    assert_success(&sys.get(&path).await, 200, wanted);
}

#[tokio::test]
async fn a_show_that_is_not_there_is_not_found() {
    let sys = Sys::shared().await;
    assert_problem(&sys.get(&format!("/shows/{}", fresh_show_id())).await, "show_not_found", json!({}));
}
