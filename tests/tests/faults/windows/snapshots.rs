//! Redis restarted from an old snapshot, or a stale replica was promoted: reconcile by versions; for units, other units.

use std::fs;

use holdfast_tests::image::booking_of;
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::proxy::Proxy;
use holdfast_tests::servers;
use holdfast_tests::sys::{Client, Sys, paid};
use serde_json::{Value, json};

use crate::outages::UNHURRIED;

async fn sell(client: &Client, show: &str, held: holdfast_tests::sys::Answer, reference: &str) -> String {
    let token = held.text("holdToken").to_owned();
    client.confirm(show, &token, paid(reference)).await.expect(201);
    token
}

/// Redis restarted from an old snapshot, or a stale replica was promoted: reconcile by versions; for units, other units.
#[tokio::test]
async fn a_redis_that_restarted_from_an_old_snapshot_is_put_right_by_one_reconcile() {
    let folder = std::env::temp_dir().join(format!("holdfast-{}", uuid::Uuid::new_v4()));
    fs::create_dir(&folder).unwrap();
    let from_there = ["--dir", folder.to_str().unwrap()];
    let mut before = servers::own_redis(&from_there);
    let address = Proxy::redis(before.addr()).await;
    let sys = Sys::with(&address.url(), &servers::dynamo().await.endpoint(), &UNHURRIED);
    let show = sys.define(json!({})).await;
    let cancelled = sell(&sys, &show, sys.hold(&show, &["E1"]).await, "pay_1").await;
    let released = sys.hold(&show, &["E3"]).await.text("holdToken").to_owned();
    sell(&sys, &show, sys.decrement(&show, "GA", 2).await, "pay_2").await;
    let _: () = redis::cmd("SAVE").query_async(&mut sys.redis().await).await.unwrap();

    // What the snapshot does not know of.
    sys.call("POST", &format!("/bookings/{}/cancel", booking_of(&show, &cancelled)), Value::Null).await.expect(200);
    sell(&sys, &show, sys.hold(&show, &["E2"]).await, "pay_3").await;
    sys.release(&show, &released).await.expect(204);
    sell(&sys, &show, sys.hold(&show, &["E3"]).await, "pay_4").await;
    let sold = sys.decrement(&show, "GA", 2).await;
    assert_eq!(sold.body["units"], json!(["GA-3", "GA-4"]));
    sell(&sys, &show, sold, "pay_5").await;
    before.kill();
    let after = servers::own_redis(&from_there);
    address.retarget(after.addr());

    // Units that were sold are handed out again, and the guard knows better: others take their place.
    let rival = sys.decrement(&show, "GA", 2).await;
    assert_eq!(rival.body["units"], json!(["GA-3", "GA-4"]));
    let booking = sys.confirm(&show, rival.text("holdToken"), paid("pay_6")).await.expect(201);
    assert_eq!(booking["units"], json!(["GA-5", "GA-6"]));
    // A seat is not: it is refused, and paid back.
    let rival = sys.hold(&show, &["E2", "E4"]).await.text("holdToken").to_owned();
    let refused = sys.confirm(&show, &rival, paid("pay_7")).await.expect_problem(409, "seat_already_sold");
    assert_eq!((&refused["seats"], &refused["refund"]["status"]), (&json!(["E2"]), &json!("due")));

    let report = sys.reconcile(json!({"showId": show})).await;
    assert_eq!((&report["complete"], &report["errors"]), (&json!(true), &json!([])), "{report}");
    // The seat of the cancelled booking is for sale again, and the hold that the snapshot brought back has ended.
    let repairs = &report["shows"][0]["repairs"];
    assert_eq!((&repairs["freed"], &repairs["holdsLost"]), (&json!(1), &json!(1)), "{repairs}");
    assert_agreement(&sys, &show).await;
    let again = sys.reconcile(json!({"showId": show})).await;
    assert_eq!(again["shows"][0]["drift"], 0, "{again}");
    sys.hold(&show, &["E1", "E4"]).await.expect(201);
    let taken = sys.hold(&show, &["E2", "E3"]).await.expect_problem(409, "seat_unavailable");
    let reasons: Vec<&Value> = taken["seats"].as_array().unwrap().iter().map(|seat| &seat["reason"]).collect();
    assert_eq!(reasons, ["sold", "sold"]);
    let counts = json!({"zone": "GA", "capacity": 10, "remaining": 4, "held": 0, "sold": 6});
    assert_eq!(sys.get(&format!("/shows/{show}/stock/GA")).await.expect(200), counts);
    fs::remove_dir_all(&folder).unwrap();
}
