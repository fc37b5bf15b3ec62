//! A zone that was made smaller sells no more than it has, whoever comes late.

use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::poll::until;
use holdfast_tests::sys::{Sys, paid};
use serde_json::json;

/// A hold lapses, nobody touches its zone, the zone is made as small as what is held, and then the confirm comes.
#[tokio::test]
async fn pitfall_11_a_rescue_does_not_pass_a_capacity_that_was_lowered() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({"zones": [{"id": "GA", "capacity": 3}]})).await;
    let path = format!("/shows/{show}");
    let late = sys.call("POST", &format!("{path}/stock/GA/decrement"), json!({"quantity": 1, "ttlSeconds": 1})).await;
    let late = late.text("holdToken").to_owned();
    let others = sys.decrement(&show, "GA", 2).await.text("holdToken").to_owned();
    until("the hold lapses", || async {
        (sys.hold_status(&show, &late).await.expect(200)["state"] == "expired").then_some(())
    })
    .await;
    let mut smaller = sys.get(&path).await.expect(200);
    smaller["zones"][0]["capacity"] = json!(2);
    sys.call("PUT", &path, smaller).await.expect(200);

    let refused = sys.confirm(&show, &late, paid("pay_late")).await.expect_problem(409, "hold_lost");
    assert_eq!(refused["refund"]["status"], "due");
    sys.confirm(&show, &others, paid("pay_others")).await.expect(201);
    let stock = sys.get(&format!("{path}/stock/GA")).await.expect(200);
    assert_eq!(stock, json!({"zone": "GA", "capacity": 2, "remaining": 0, "held": 0, "sold": 2}));
    sys.reconcile(json!({"showId": show})).await;
    assert_agreement(&sys, &show).await;
}
