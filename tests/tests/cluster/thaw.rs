//! A process that was frozen for long: what it was connected to is gone when it thaws, and nothing has told it.

use std::net::SocketAddr;

use holdfast_tests::cluster::MASTERS;
use holdfast_tests::proxy::Proxy;
use holdfast_tests::sys::Client;
use serde_json::json;
use tokio::task::JoinSet;

use crate::house::House;

const AT_ONCE: usize = 50;

/// All of its connections are mute. Each is replaced, once, and no other node is asked for anything.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_thaw_one_request_and_fifty_at_once_have_new_connections_to_their_masters_alone() {
    let house = House::build().await;
    let shows = [house.define_on(0).await, house.define_on(1).await, house.define_on(2).await];
    let proxies = house.cluster.behind_proxies().await;
    let sys = house.sys_with(&[("REDIS_URL", &format!("rediss://{}", proxies[0].addr()))]).await;
    for show in &shows {
        sys.get(&format!("/shows/{show}/stock/GA")).await.expect(200);
    }
    let count = || proxies.iter().map(Proxy::connections).collect::<Vec<_>>();
    let before = count();

    proxies.iter().for_each(Proxy::mute_now);
    sys.hold(&shows[0], &["E1"]).await.expect(201);
    proxies.iter().for_each(Proxy::mute_now);
    let mut calls = JoinSet::new();
    for call in 0..AT_ONCE {
        let (sys, show) = (Client::clone(&sys), shows[call % MASTERS].clone());
        calls.spawn(async move { sys.hold(&show, &[&format!("E{}", call + 2)]).await });
    }
    for answer in calls.join_all().await {
        answer.expect(201);
    }

    let new: Vec<usize> = count().iter().zip(&before).map(|(now, before)| now - before).collect();
    assert_eq!(new, [2, 1, 1, 0, 0, 0], "to each master, and to each replica");
}

/// The name that the configuration has leads to another cluster by then, and the nodes of the old one are gone.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_thaw_a_cluster_of_other_nodes_is_found_by_its_name() {
    let house = House::build().await;
    let new = SocketAddr::from(([127, 0, 0, 1], house.cluster.nodes[0].tls_port));
    for how in ["KILL", "STOP"] {
        let old = house.cluster.other_of_one().await;
        let name = Proxy::tcp(SocketAddr::from(([127, 0, 0, 1], old.tls_port))).await;
        let sys = house.sys_with(&[("REDIS_URL", &format!("rediss://{}", name.addr()))]).await;
        let show = sys.define(json!({})).await;
        sys.hold(&show, &["E1"]).await.expect(201);

        name.retarget(new);
        old.signal(how);
        sys.hold(&show, &["E2"]).await.expect(201);
        sys.hold(&show, &["E2"]).await.expect_problem(409, "seat_unavailable");
        house.agrees(&show).await;
    }
}
