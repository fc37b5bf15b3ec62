//! Replacing a show while it sells.

use holdfast_tests::sys::Sys;
use serde_json::{Value, json};

use crate::expect::{assert_problem, assert_success};
use crate::hold::{held, replace};

/// The stalls with row E from 1 to `to`.
fn stalls(to: u32) -> Value {
    json!([{"id": "stalls", "rows": [{"id": "E", "from": 1, "to": to}]}])
}

async fn version(sys: &Sys, show: &str) -> Value {
    sys.get(&format!("/shows/{show}")).await.expect(200)["version"].clone()
}

#[tokio::test]
async fn places_may_come_at_any_time() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E20"]).await.text("holdToken").to_owned();
    sys.decrement(&show, "GA", 10).await.expect(201);
    let zones = json!([{"id": "GA", "capacity": 12}, {"id": "GB", "capacity": 3}]);
    let replaced = replace(&sys, &show, json!({"sections": stalls(22), "zones": zones})).await.expect(200);
    assert_eq!((&replaced["version"], &replaced["places"]), (&2.into(), &37.into()));

    assert_success(&sys.hold(&show, &["E21", "E22"]).await, 201, held(&show, &["E21", "E22"]));
    assert_eq!(sys.decrement(&show, "GA", 2).await.expect(201)["units"], json!(["GA-11", "GA-12"]));
    assert_eq!(sys.decrement(&show, "GB", 3).await.expect(201)["remaining"], 0);
    assert_eq!(sys.hold_status(&show, &token).await.expect(200)["state"], "active");
}

#[tokio::test]
async fn a_seat_that_is_held_or_sold_cannot_go() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let sold = sys.hold(&show, &["E18"]).await.text("holdToken").to_owned();
    sys.confirm(&show, &sold, Value::Null).await.expect(201);
    let held_token = sys.hold(&show, &["E20"]).await.text("holdToken").to_owned();

    let refused = replace(&sys, &show, json!({"sections": stalls(17)})).await;
    assert_problem(&refused, "in_use", json!({"places": ["E18", "E20"]}));
    // Nothing was changed: the free seat that would have gone is still there.
    assert_eq!(version(&sys, &show).await, 1);
    assert_success(&sys.hold(&show, &["E19"]).await, 201, held(&show, &["E19"]));
    sys.release(&show, &held_token).await.expect(204);
    let refused = replace(&sys, &show, json!({"sections": null, "name": "y"})).await;
    assert_eq!(refused.status, 400, "{}", refused.body);

    replace(&sys, &show, json!({"sections": stalls(19)})).await.expect(200);
    assert_eq!(version(&sys, &show).await, 2);
    assert_problem(&sys.hold(&show, &["E20"]).await, "unknown_seat", json!({"seats": ["E20"]}));
}

#[tokio::test]
async fn a_zone_cannot_be_smaller_than_what_it_has_sold_and_holds() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let sold = sys.decrement(&show, "GA", 2).await.text("holdToken").to_owned();
    sys.confirm(&show, &sold, Value::Null).await.expect(201);
    let token = sys.decrement(&show, "GA", 3).await.text("holdToken").to_owned();

    let zone = |capacity: u32| json!({"zones": [{"id": "GA", "capacity": capacity}]});
    for changes in [zone(4), json!({"zones": []})] {
        let refused = replace(&sys, &show, changes).await;
        let mut places: Vec<String> = serde_json::from_value(refused.body["places"].clone()).unwrap();
        places.sort();
        assert_eq!(places, ["GA-1", "GA-2", "GA-3", "GA-4", "GA-5"]);
        assert_problem(&refused, "in_use", json!({"places": refused.body["places"]}));
    }
    let count = json!({"zone": "GA", "capacity": 10, "remaining": 5, "held": 3, "sold": 2});
    assert_success(&sys.get(&format!("/shows/{show}/stock/GA")).await, 200, count);

    replace(&sys, &show, zone(5)).await.expect(200);
    let count = json!({"zone": "GA", "capacity": 5, "remaining": 0, "held": 3, "sold": 2});
    assert_success(&sys.get(&format!("/shows/{show}/stock/GA")).await, 200, count);
    assert_problem(&sys.decrement(&show, "GA", 1).await, "sold_out", json!({"remaining": 0}));
    sys.confirm(&show, &token, Value::Null).await.expect(201);
}

#[tokio::test]
async fn a_zone_that_is_free_may_go() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let token = sys.decrement(&show, "GA", 3).await.text("holdToken").to_owned();
    sys.release(&show, &token).await.expect(204);
    replace(&sys, &show, json!({"zones": []})).await.expect(200);
    assert_problem(&sys.decrement(&show, "GA", 1).await, "zone_not_found", json!({}));
    // And come again.
    replace(&sys, &show, json!({"zones": [{"id": "GA", "capacity": 2}]})).await.expect(200);
    assert_eq!(sys.decrement(&show, "GA", 2).await.expect(201)["remaining"], 0);
    sys.decrement(&show, "GA", 1).await.expect_problem(409, "sold_out");
}

#[tokio::test]
async fn a_seat_that_went_may_come_again() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    sys.hold(&show, &["E1"]).await.expect(201);
    replace(&sys, &show, json!({"sections": stalls(10)})).await.expect(200);
    assert_problem(&sys.hold(&show, &["E11"]).await, "unknown_seat", json!({"seats": ["E11"]}));
    replace(&sys, &show, json!({"sections": stalls(11)})).await.expect(200);
    assert_success(&sys.hold(&show, &["E11"]).await, 201, held(&show, &["E11"]));
    sys.hold(&show, &["E1"]).await.expect_problem(409, "seat_unavailable");
}
