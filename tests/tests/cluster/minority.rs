//! A master that the others do not hear, and that a process reaches as before.

use holdfast_tests::cluster::MASTERS;
use holdfast_tests::poll::until;

use crate::house::House;

/// The first node is the one that the configuration names.
const FIRST: usize = 0;

/// It says that it serves nothing, and that its slots are its own: so whoever knows it alone has to ask those that it names.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pitfall_15_a_process_that_knows_only_a_master_without_a_majority_finds_its_replica() {
    let house = House::build().await;
    let show = house.define_on(FIRST).await;
    let client = &house.sys.clients(1)[0];
    client.get(&format!("/shows/{show}/stock/GA")).await.expect(200);

    let _strangers = house.cluster.cut_off(FIRST).await;
    let (old, replica) = (&house.cluster.nodes[FIRST], &house.cluster.nodes[FIRST + MASTERS]);
    until("the replica is the master", || async { replica.role().await.is_master.then_some(()) }).await;
    until("the old master serves nothing", || async {
        old.ask::<String>("CLUSTER INFO").await.contains("cluster_state:fail").then_some(())
    })
    .await;
    let said = old.role().await;
    assert!(said.is_master && !said.slots.is_empty(), "{said:?}");
    let asked = old.count("evalsha").await;
    client.hold(&show, &["E1"]).await.expect(201);
    // On a busy machine the others may be late to say otherwise, once.
    assert!(old.count("evalsha").await <= asked + 2, "it was believed");
    client.hold(&show, &["E1"]).await.expect_problem(409, "seat_unavailable");

    house.cluster.join_again(FIRST).await;
    until("the old master follows", || async { (!old.role().await.is_master).then_some(()) }).await;
    house.agrees(&show).await;
}
