//! Masters that do not know the scripts.

use holdfast_tests::cluster::MASTERS;
use holdfast_tests::poll::until;
use holdfast_tests::sys::{Client, paid};
use serde_json::{Value, json};

use crate::house::House;

/// Every kind of call works, on a show in which `token` has `E1`; before each of them `forget` is called.
async fn every_call_works(house: &House, client: &Client, show: &str, token: &str, node: usize) {
    let forget = || async { house.cluster.nodes[node].ask::<()>("SCRIPT FLUSH").await };
    forget().await;
    assert_eq!(client.hold_status(show, token).await.expect(200)["state"], "active");
    forget().await;
    client.extend(show, token, 600).await.expect(200);
    forget().await;
    let other = client.hold(show, &["E2"]).await.text("holdToken").to_owned();
    forget().await;
    client.release(show, &other).await.expect(204);
    forget().await;
    let booking = client.confirm(show, token, paid("pay_1")).await.expect(201);
    forget().await;
    let cancel = format!("/bookings/{}/cancel", booking["bookingId"].as_str().unwrap());
    client.call("POST", &cancel, json!({"refunded": true})).await.expect(200);
    forget().await;
    let units = client.decrement(show, "GA", 2).await.expect(201);
    forget().await;
    let left = client.get(&format!("/shows/{show}/stock/GA")).await.expect(200);
    assert_eq!((&left["remaining"], &left["held"]), (&units["remaining"], &json!(2)));
    forget().await;
    let released = client.release(show, units["holdToken"].as_str().unwrap()).await;
    assert_eq!((released.status, released.body), (204, Value::Null));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pitfall_14_a_master_that_has_forgotten_the_scripts_is_sent_them() {
    let house = House::build().await;
    let show = house.define_on(2).await;
    let client = &house.sys.clients(1)[0];
    let token = client.hold(&show, &["E1"]).await.text("holdToken").to_owned();
    every_call_works(&house, client, &show, &token, 2).await;
    house.agrees(&show).await;
}

/// Scripts are not replicated: who was promoted has never seen one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pitfall_14_a_promoted_replica_is_sent_the_scripts() {
    let house = House::build().await;
    let show = house.define_on(2).await;
    let client = &house.sys.clients(1)[0];
    let token = client.hold(&show, &["E1"]).await.text("holdToken").to_owned();
    let replica = &house.cluster.nodes[2 + MASTERS];
    let () = replica.ask("CLUSTER FAILOVER").await;
    until("the replica is the master", || async { replica.role().await.is_master.then_some(()) }).await;
    every_call_works(&house, client, &show, &token, 2 + MASTERS).await;
    house.agrees(&show).await;
}
