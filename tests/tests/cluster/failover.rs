//! A replica takes over from a master that lives, as an upgrade of the cache does it.

use std::time::Duration;

use holdfast_tests::cluster::MASTERS;
use holdfast_tests::poll::until;
use tokio::time::Instant;

use crate::house::House;
use crate::load::{Load, assert_none_lost, assert_undisturbed, unavailable};

/// A manual failover loses nothing: the master waits until its replica has everything.
const BOUND: Duration = Duration::from_secs(3);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pitfall_15_a_failover_under_load_is_503_for_a_bounded_time_and_nothing_is_sold_twice() {
    let house = House::build().await;
    let (show, other) = (house.define_on(0).await, house.define_on(1).await);
    let load = Load::start(house.sys.clients(6), &show);
    let elsewhere = Load::start(house.sys.clients(2), &other);
    load.each_succeeds_after(Instant::now()).await;

    let replica = &house.cluster.nodes[MASTERS];
    let begun = Instant::now();
    let () = replica.ask("CLUSTER FAILOVER").await;
    until("the replica is the master", || async { replica.role().await.is_master.then_some(()) }).await;
    let over = Instant::now();
    // The same processes, and each of them.
    load.each_succeeds_after(over).await;
    println!("a failover of {:?}, all buy again after {:?}", over - begun, over.elapsed());
    elsewhere.each_succeeds_after(over).await;

    let got = load.end().await;
    println!("{} answers, 503 for {:?}", got.len(), unavailable(&got));
    assert!(unavailable(&got).unwrap_or_default() < BOUND, "503 for {:?}", unavailable(&got));
    // Its master waits for the replica, so that no hold is lost.
    assert_none_lost(&got);
    assert_undisturbed(&elsewhere.end().await);
    house.agrees(&show).await;
    house.agrees(&other).await;
}

/// All masters one after another, as an upgrade does it, and nobody is busy: each process learns of it by its next request.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pitfall_15_after_every_master_was_replaced_each_process_works_at_once() {
    let house = House::build().await;
    let shows = [house.define_on(0).await, house.define_on(1).await, house.define_on(2).await];
    let clients = house.sys.clients(2);
    for (show, client) in shows.iter().flat_map(|show| clients.iter().map(move |client| (show, client))) {
        client.get(&format!("/shows/{show}/stock/GA")).await.expect(200);
    }
    for (master, show) in shows.iter().enumerate() {
        let replica = &house.cluster.nodes[master + MASTERS];
        let () = replica.ask("CLUSTER FAILOVER").await;
        until("the replica is the master", || async { replica.role().await.is_master.then_some(()) }).await;
        for (number, client) in clients.iter().enumerate() {
            let seat = format!("E{}", number + 1);
            client.hold(show, &[&seat]).await.expect(201);
            client.hold(show, &[&seat]).await.expect_problem(409, "seat_unavailable");
        }
    }
    for show in &shows {
        house.agrees(show).await;
    }
}
