//! Two masters, each of which says that the other one has a slot.

use crate::house::House;

/// How often a script is sent at most: four times, and each time on to where a node sends it, four nodes in all.
const MOST: u64 = 16;
const CALLS: u64 = 3;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_masters_that_send_a_slot_to_each_other_are_asked_a_few_times_over_the_same_connections() {
    let house = House::build().await;
    let (show, neighbour, other) =
        (house.define_unloaded_on(0).await, house.define_on(0).await, house.define_on(1).await);
    let [here, there] = [&house.cluster.nodes[0], &house.cluster.nodes[1]];
    // One gives the slot away, and the other has never heard of it.
    let slot = house.cluster.slot(&show).await;
    let () = here.ask(&format!("CLUSTER SETSLOT {slot} NODE {}", there.id)).await;

    let seen = || async {
        let counts = here.count("evalsha").await + there.count("evalsha").await;
        (counts, here.connections().await, there.connections().await)
    };
    let (sent, connections, others) = seen().await;
    for _ in 0..CALLS {
        house.sys.get(&format!("/shows/{show}/stock/GA")).await.expect_problem(503, "unavailable");
    }
    let after = seen().await;
    assert!((CALLS..=CALLS * MOST).contains(&(after.0 - sent)), "{} scripts", after.0 - sent);
    assert_eq!((after.1, after.2), (connections, others));
    for show in [&neighbour, &other] {
        house.sys.hold(show, &["E1"]).await.expect(201);
    }
}
