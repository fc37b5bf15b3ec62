//! When several refusals apply: 400, 404, 403, 422, 409.

use holdfast_tests::servers::fresh_show_id;
use holdfast_tests::sys::{Sys, paid};
use serde_json::{Value, json};

use crate::expect::{assert_invalid, assert_invalid_fields, assert_problem};
use crate::hold::replace;

const CLOSED: &str = "2020-01-01T00:00:00Z";

#[tokio::test]
async fn what_is_wrong_with_a_request_goes_before_what_is_not_there() {
    let sys = Sys::shared().await;
    let nowhere = fresh_show_id();
    assert_invalid_fields(&sys.hold(&nowhere, &["E{"]).await, &["seats[0]"]);
    assert_invalid_fields(&sys.decrement(&nowhere, "GA", 97).await, &["quantity"]);
    let token = uuid::Uuid::new_v4().to_string();
    assert_invalid_fields(&sys.extend(&nowhere, &token, 0).await, &["ttlSeconds"]);
    assert_invalid_fields(&sys.confirm(&nowhere, &token, json!({"seats": []})).await, &["seats"]);
    // The show's own maximum is no fault of a show that is not there.
    assert_problem(&sys.hold_for(&nowhere, &["E1"], 90_000).await, "show_not_found", json!({}));
}

#[tokio::test]
async fn a_hold_is_judged_in_the_order_of_the_contract() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({"limits": {"maxPlacesPerHold": 2}})).await;
    sys.hold(&show, &["E1"]).await.expect(201);
    let path = holds(&show);
    let seats = |seats: Value, ttl: u64| sys.call("POST", &path, json!({"seats": seats, "ttlSeconds": ttl}));
    // Of two conflicts the limit comes first: more seats cannot help.
    let limit = json!({"limit": 2, "current": 3});
    assert_problem(&seats(json!(["E1", "E2", "E3"]), 60).await, "limit_exceeded", limit);
    replace(&sys, &show, json!({"sale": {"closesAt": CLOSED}})).await.expect(200);
    // Closed (403), too many and held (409).
    let closed = json!({"closesAt": CLOSED});
    assert_problem(&seats(json!(["E1", "E2", "E3"]), 60).await, "not_on_sale", closed);
    // Unknown (404), closed, too many and held.
    let unknown = json!({"seats": ["E99"]});
    assert_problem(&seats(json!(["E1", "E99", "E3"]), 60).await, "unknown_seat", unknown);
    // Above the show's maximum (400), and all of that.
    let ttl = [("ttlSeconds", "must be at most 900 for this show")];
    assert_invalid(&seats(json!(["E1", "E99", "E3"]), 901).await, &ttl);
}

fn holds(show: &str) -> String {
    format!("/shows/{show}/holds")
}

#[tokio::test]
async fn a_decrement_is_judged_in_the_order_of_the_contract() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({"limits": {"maxPlacesPerHold": 10}})).await;
    sys.decrement(&show, "GA", 10).await.expect(201);
    let take = |zone: &str, quantity: u64, ttl: u64| {
        let path = format!("/shows/{show}/stock/{zone}/decrement");
        let body = json!({"quantity": quantity, "ttlSeconds": ttl});
        let sys = &sys;
        async move { sys.call("POST", &path, body).await }
    };
    assert_problem(&take("GA", 11, 60).await, "limit_exceeded", json!({"limit": 10, "current": 11}));
    replace(&sys, &show, json!({"sale": {"closesAt": CLOSED}})).await.expect(200);
    assert_problem(&take("GA", 11, 60).await, "not_on_sale", json!({"closesAt": CLOSED}));
    assert_problem(&take("nowhere", 11, 60).await, "zone_not_found", json!({}));
    let ttl = [("ttlSeconds", "must be at most 900 for this show")];
    assert_invalid(&take("nowhere", 11, 901).await, &ttl);
}

#[tokio::test]
async fn a_confirm_of_other_places_is_a_mismatch_before_it_is_late() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E1"]).await.text("holdToken").to_owned();
    sys.release(&show, &token).await.expect(204);
    let mut other = paid("pay_1");
    other["seats"] = json!(["E2"]);
    let refund = json!({"refund": {"reference": "pay_1", "status": "due"}});
    assert_problem(&sys.confirm(&show, &token, json!({"seats": ["E2"]})).await, "hold_mismatch", json!({}));
    assert_problem(&sys.confirm(&show, &token, other).await, "hold_mismatch", refund);
}

#[tokio::test]
async fn a_body_is_too_long_before_it_is_of_another_type_and_that_before_it_is_wrong() {
    let sys = Sys::shared().await;
    let path = holds("{");
    let plain = [("content-type", "text/plain")];
    let detail = "The body has 65537 bytes, more than 65536.";
    let answer = sys.call_raw("POST", &path.replace('{', "_"), &plain, "x".repeat(65_537)).await;
    assert_problem(&answer, "payload_too_large", json!({"detail": detail}));
    let answer = sys.call_raw("POST", &path.replace('{', "_"), &plain, "x").await;
    assert_problem(&answer, "unsupported_media_type", json!({}));
}

#[tokio::test]
async fn extending_a_lapsed_hold_beyond_the_maximum_is_a_fault_of_the_request() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E1"]).await.text("holdToken").to_owned();
    sys.release(&show, &token).await.expect(204);
    let ttl = [("ttlSeconds", "must be at most 900 for this show")];
    assert_invalid(&sys.extend(&show, &token, 901).await, &ttl);
    assert_problem(&sys.extend(&show, &token, 900).await, "hold_lost", json!({}));
    // Neither creates anything.
    sys.hold(&show, &["E1"]).await.expect(201);
}
