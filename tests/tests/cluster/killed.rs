//! A master that is gone, or mute, and its replica that takes over when the others have noticed.

use std::time::Duration;

use holdfast_tests::cluster::MASTERS;
use holdfast_tests::poll::until;
use tokio::time::Instant;

use crate::house::House;
use crate::load::{Load, assert_undisturbed, unavailable};

/// The nodes take two seconds to be sure, and one or two to elect the replica.
const BOUND: Duration = Duration::from_secs(9);

/// The first node is the one that the configuration names.
const FIRST: usize = 0;

async fn a_master_goes(how: impl FnOnce(&mut House)) {
    let mut house = House::build().await;
    let (show, other) = (house.define_on(FIRST).await, house.define_on(1).await);
    let load = Load::start(house.sys.clients(6), &show);
    let elsewhere = Load::start(house.sys.clients(2), &other);
    load.each_succeeds_after(Instant::now()).await;

    let begun = Instant::now();
    how(&mut house);
    let replica = &house.cluster.nodes[FIRST + MASTERS];
    until("the replica is the master", || async { replica.role().await.is_master.then_some(()) }).await;
    let over = Instant::now();
    load.each_succeeds_after(over).await;
    println!("a takeover after {:?}, all buy again {:?} later", over - begun, over.elapsed());
    elsewhere.each_succeeds_after(over).await;

    let got = load.end().await;
    println!("{} answers, 503 for {:?}", got.len(), unavailable(&got));
    assert!(unavailable(&got).is_some_and(|time| time < BOUND), "503 for {:?}", unavailable(&got));
    assert_undisturbed(&elsewhere.end().await);
    if !house.cluster.nodes[FIRST].is_dead() {
        house.cluster.nodes[FIRST].signal("CONT");
        let old = &house.cluster.nodes[FIRST];
        until("the old master follows", || async { (!old.role().await.is_master).then_some(()) }).await;
    }
    for show in [&show, &other] {
        house.agrees(show).await;
    }
}

/// Nobody listens at the address that the configuration names, and every process goes on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pitfall_15_a_master_that_is_killed_is_replaced_by_its_replica_in_the_same_processes() {
    a_master_goes(|house| house.cluster.nodes[FIRST].kill()).await;
}

/// It neither answers nor refuses: shows of the others are not to wait for it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pitfall_15_a_master_that_is_mute_is_replaced_by_its_replica_in_the_same_processes() {
    a_master_goes(|house| house.cluster.nodes[FIRST].signal("STOP")).await;
}
