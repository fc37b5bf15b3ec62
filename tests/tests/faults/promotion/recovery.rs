//! Callers in the moment of a promotion, and after it.

use holdfast_tests::poll::until;
use holdfast_tests::servers;
use holdfast_tests::sys::{Sys, paid};
use serde_json::json;
use tokio::task::JoinSet;

use super::{Pair, command};
use crate::outages::{UNHURRIED, every_call_works};

/// A connection to the old primary stays open, and refuses every write; and the new one knows no script.
#[tokio::test]
async fn pitfall_15_who_stays_on_the_demoted_primary_recovers_in_the_same_process() {
    let pair = Pair::start(&UNHURRIED).await;
    let show = pair.sys.define(json!({})).await;
    let token = pair.sys.hold(&show, &["E1"]).await.text("holdToken").to_owned();
    pair.replicated().await;
    pair.promote().await;
    command(&pair.new, &["SCRIPT", "FLUSH"]).await;
    // Never "taken" from what the old one has: it is asked for nothing any more.
    pair.sys.hold(&show, &["E1"]).await.expect_problem(409, "seat_unavailable");
    every_call_works(&pair.sys, &show, &token).await;
    pair.agrees(&show).await;
}

/// Buyers who go on buying meanwhile, each in a process of its own: 503 at worst, then it works again, in the same process, and
/// nothing is sold twice.
#[tokio::test]
async fn pitfall_15_a_promotion_under_load_is_503_at_worst_and_then_over() {
    let pair = Pair::start(&UNHURRIED).await;
    let show = pair.sys.define(json!({})).await;
    pair.sys.hold(&show, &["E20"]).await.expect(201);
    pair.replicated().await;
    let mut buyers = JoinSet::new();
    let processes = Sys::with(&pair.address.url(), &servers::dynamo().await.endpoint(), &[]).clients(8);
    for (number, client) in processes.into_iter().enumerate() {
        let show = show.clone();
        buyers.spawn(async move {
            // Each wants every seat, and starts at another one.
            for at in 0..19 {
                let seat = format!("E{}", (number * 2 + at) % 19 + 1);
                let held = client.hold(&show, &[&seat]).await;
                assert!(matches!(held.status, 201 | 409 | 503), "{} {}", held.status, held.body);
                if held.status == 201 {
                    let token = held.text("holdToken").to_owned();
                    let booked = client.confirm(&show, &token, paid(&format!("pay_{number}_{at}"))).await;
                    assert!(matches!(booked.status, 201 | 409 | 503), "{} {}", booked.status, booked.body);
                }
            }
            client
        });
    }
    until("somebody has bought a seat", || async {
        let bookings = pair.sys.get(&format!("/shows/{show}/bookings?limit=1")).await.expect(200);
        (bookings["bookings"] != json!([])).then_some(())
    })
    .await;
    pair.part();
    pair.promote().await;
    let clients = buyers.join_all().await;
    for client in clients {
        client.hold(&show, &["E20"]).await.expect_problem(409, "seat_unavailable");
    }
    pair.agrees(&show).await;
}
