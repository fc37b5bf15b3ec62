//! What a cluster says of itself to a reconcile.

use holdfast_tests::cluster::MASTERS;
use holdfast_tests::loaded::deadline;

use crate::house::House;

const POLICIES: [&str; MASTERS] = ["allkeys-lru", "noeviction", "volatile-ttl"];

/// A sum without one of them would look like a change: then there is none.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_masters_are_inspected_or_none() {
    let house = House::build().await;
    for (node, policy) in house.cluster.nodes.iter().zip(POLICIES) {
        let () = node.ask(&format!("CONFIG SET maxmemory-policy {policy}")).await;
    }
    let inspected = house.sys.app().stores(deadline()).redis.inspect_cache().await.unwrap();
    let mut policies: Vec<_> = inspected.into_iter().map(|node| node.eviction_policy).collect();
    policies.sort();
    assert_eq!(policies, POLICIES);

    // And nobody takes over from it.
    for node in [1, 1 + MASTERS] {
        house.cluster.nodes[node].signal("STOP");
    }
    let inspected = house.sys.app().stores(deadline()).redis.inspect_cache().await;
    assert!(inspected.is_err(), "{inspected:?}");
}
