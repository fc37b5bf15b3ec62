//! A Redis that is full, or busy, or without any notices of what expires.

use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::poll::until;
use holdfast_tests::raw;
use holdfast_tests::sys::{Sys, paid};
use serde_json::json;
use tokio::task::JoinSet;

use crate::outages::{UNHURRIED, assert_unavailable, every_call_is_unavailable, every_call_works};

async fn set_memory(sys: &Sys, bytes: u32) {
    let config = redis::cmd("CONFIG").arg("SET").arg("maxmemory").arg(bytes).to_owned();
    let _: () = config.query_async(&mut sys.redis().await).await.unwrap();
}

#[tokio::test]
async fn pitfall_21_with_its_memory_full_nothing_is_held_and_all_else_works() {
    let sys = Sys::own(&["--maxmemory-policy", "noeviction"], &UNHURRIED).await;
    let show = sys.define(json!({})).await;
    let hold = async |seats: &[&str]| sys.hold(&show, seats).await.text("holdToken").to_owned();
    let (released, confirmed, cancelled) = (hold(&["E1"]).await, hold(&["E2"]).await, hold(&["E3", "E4"]).await);
    let sold = sys.confirm(&show, &cancelled, paid("pay_3")).await.expect(201);
    let units = sys.decrement(&show, "GA", 2).await.text("holdToken").to_owned();
    set_memory(&sys, 1).await;

    assert_unavailable(&sys.hold(&show, &["E11", "E12", "E13", "E14", "E15"]).await);
    assert_unavailable(&sys.decrement(&show, "GA", 2).await);
    sys.release(&show, &released).await.expect(204);
    sys.confirm(&show, &confirmed, paid("pay_2")).await.expect(201);
    sys.confirm(&show, &units, paid("pay_ga")).await.expect(201);
    let path = format!("/bookings/{}", sold["bookingId"].as_str().unwrap());
    sys.call("POST", &format!("{path}/cancel"), json!({})).await.expect(200);
    let status = sys.get(&format!("/shows/{show}/stock/GA")).await.expect(200);
    assert_eq!((&status["held"], &status["sold"]), (&json!(0), &json!(2)));
    let report = sys.reconcile(json!({})).await;
    assert_eq!((&report["complete"], &report["errors"]), (&json!(true), &json!([])), "{report}");
    assert_eq!(report["shows"][0]["drift"], 0, "the free was told: {report}");
    sys.call("POST", &format!("{path}/restore"), json!({})).await.expect(200);

    set_memory(&sys, 0).await;
    // None of the five is held, and neither is what was let go of.
    sys.hold(&show, &["E11", "E12", "E13", "E14", "E15"]).await.expect(201);
    sys.hold(&show, &["E1"]).await.expect(201);
    sys.hold(&show, &["E3"]).await.expect_problem(409, "seat_unavailable");
    assert_agreement(&sys, &show).await;
}

/// Nobody is told that a key has expired, and nobody needs to be.
#[tokio::test]
async fn pitfall_24_a_thousand_holds_lapse_without_notices_and_every_seat_can_be_held() {
    let sys = Sys::own(&["--notify-keyspace-events", ""], &UNHURRIED).await;
    let rows: Vec<_> = (1..=10).map(|row| json!({"id": format!("R{row}-"), "from": 1, "to": 100})).collect();
    let show = sys
        .define(json!({
            "sections": [{"id": "all", "rows": rows}], "zones": [{"id": "GA", "capacity": 500}],
            "limits": {"maxPlacesPerHold": 50},
        }))
        .await;
    let seats: Vec<String> = (1..=10).flat_map(|row| (1..=100).map(move |n| format!("R{row}-{n}"))).collect();
    // In the first round a reconcile tidies up, in the second nobody does.
    for tidied in [true, false] {
        let last = hold_each(&sys, &show, &seats).await;
        until("the last of a thousand holds lapses", || async {
            (sys.hold_status(&show, &last).await.expect(200)["state"] == "expired").then_some(())
        })
        .await;
        if tidied {
            let report = sys.reconcile(json!({"showId": show})).await;
            assert_eq!(report["shows"][0]["repairs"]["expired"], 1_500, "{report}");
        }
        let stock = sys.get(&format!("/shows/{show}/stock/GA")).await.expect(200);
        assert_eq!((&stock["remaining"], &stock["held"]), (&json!(500), &json!(0)));
    }
    hold_each(&sys, &show, &seats).await;
}

/// A hold of each seat, and of all units in groups of fifty, for a second; the token of one that ends last.
async fn hold_each(sys: &Sys, show: &str, seats: &[String]) -> String {
    let mut holding = JoinSet::new();
    for (client, part) in sys.clients(8).into_iter().zip(seats.chunks(seats.len() / 8)) {
        let (show, part) = (show.to_owned(), part.to_vec());
        holding.spawn(async move {
            for seat in part {
                client.hold_for(&show, &[&seat], 1).await.expect(201);
            }
        });
    }
    holding.join_all().await;
    let path = format!("/shows/{show}/stock/GA/decrement");
    let mut last = String::new();
    for _ in 0..10 {
        let taken = sys.call("POST", &path, json!({"quantity": 50, "ttlSeconds": 1})).await.expect(201);
        taken["holdToken"].as_str().unwrap().clone_into(&mut last);
    }
    last
}

/// Never "free", "taken" or "expired" of a server that cannot say.
#[tokio::test]
async fn pitfall_32_while_a_script_runs_for_ever_every_call_is_503_and_a_reconcile_says_so() {
    let mut sys = Sys::own(&["--busy-reply-threshold", "50"], &[]).await;
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E1"]).await.text("holdToken").to_owned();
    let mut stuck = raw::redis(&sys.own_redis().url()).await;
    let mut killing = sys.redis().await;
    let running = tokio::spawn(async move {
        redis::cmd("EVAL").arg("while true do end").arg(0).query_async::<redis::Value>(&mut stuck).await
    });
    until("the server is busy", || async { (sys.hold_status(&show, &token).await.status == 503).then_some(()) }).await;
    every_call_is_unavailable(&sys, &show, &token).await;
    let report = sys.reconcile(json!({"showId": show})).await;
    assert_eq!((&report["complete"], &report["errors"][0]["code"]), (&json!(false), &json!("unavailable")), "{report}");
    let _: () = redis::cmd("SCRIPT").arg("KILL").query_async(&mut killing).await.unwrap();
    assert!(running.await.unwrap().is_err());
    every_call_works(&sys, &show, &token).await;
    sys.reconcile(json!({"showId": show})).await;
    assert_agreement(&sys, &show).await;
}
