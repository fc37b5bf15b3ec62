//! A zone whose capacity was lowered since: nobody is sold more of it than it has.

use holdfast::adapters::redis::keys;
use holdfast::domain::{ShowId, ZoneId};
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::sys::{Sys, paid};
use redis::AsyncCommands;
use serde_json::{Value, json};

use crate::cancel::post;
use crate::hold::replace;
use crate::life::until_state;

async fn zone(sys: &Sys, show: &str) -> Value {
    sys.get(&format!("/shows/{show}/stock/GA")).await.expect(200)
}

/// Units of a hold that lapsed are free, so the capacity may go below them; the late confirm then finds too few.
#[tokio::test]
async fn a_late_confirm_of_more_units_than_the_zone_has_left_is_refused() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({"hold": {"defaultTtlSeconds": 1}})).await;
    let token = sys.decrement(&show, "GA", 10).await.text("holdToken").to_owned();
    until_state(&sys, &show, &token, "expired").await;
    replace(&sys, &show, json!({"zones": [{"id": "GA", "capacity": 5}]})).await.expect(200);
    let refused = sys.confirm(&show, &token, paid("pay_1")).await.expect_problem(409, "hold_lost");
    assert_eq!(refused["refund"]["status"], "due");
    assert_eq!(zone(&sys, &show).await["sold"], 0);
    assert_agreement(&sys, &show).await;
}

/// Somebody holds a unit above the capacity: it counts, as every other does.
#[tokio::test]
async fn a_held_unit_above_the_capacity_leaves_one_less_for_a_restore() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let token = sys.decrement(&show, "GA", 9).await.text("holdToken").to_owned();
    let booking = sys.confirm(&show, &token, paid("pay_1")).await.expect(201);
    assert_eq!(sys.decrement(&show, "GA", 1).await.expect(201)["units"], json!(["GA-10"]));
    post(&sys, &booking, "cancel", Value::Null).await.expect(200);
    replace(&sys, &show, json!({"zones": [{"id": "GA", "capacity": 9}]})).await.expect(200);
    post(&sys, &booking, "restore", Value::Null).await.expect_problem(409, "not_restorable");
    assert_agreement(&sys, &show).await;
}

/// Redis has forgotten a sale, as a promoted replica may. It counts all the same: what is held and what is sold has to fit.
#[tokio::test]
async fn a_sale_that_redis_has_forgotten_counts_when_a_zone_gets_smaller() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({"zones": [{"id": "GA", "capacity": 12}]})).await;
    let sold = sys.decrement(&show, "GA", 4).await.text("holdToken").to_owned();
    sys.confirm(&show, &sold, Value::Null).await.expect(201);
    sys.decrement(&show, "GA", 6).await.expect(201);
    let (id, ga) = (ShowId::parse(&show).unwrap(), ZoneId::parse("GA").unwrap());
    let _: () = sys.redis().await.hdel(keys::stock_sold(&id, &ga), 1).await.unwrap();

    let smaller = json!({"zones": [{"id": "GA", "capacity": 9}]});
    replace(&sys, &show, smaller).await.expect_problem(409, "in_use");
    sys.reconcile(json!({"showId": show})).await;
    assert_eq!(zone(&sys, &show).await, json!({"zone": "GA", "capacity": 12, "remaining": 2, "held": 6, "sold": 4}));
    replace(&sys, &show, json!({"zones": [{"id": "GA", "capacity": 10}]})).await.expect(200);
    assert_agreement(&sys, &show).await;
}
