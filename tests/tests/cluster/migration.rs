//! A slot moves to another master while its show is sold.

use holdfast_tests::cluster::MASTERS;
use holdfast_tests::dynamo_front::Front;
use holdfast_tests::servers;
use holdfast_tests::sys::{Client, paid};
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::house::House;
use crate::load::{Load, assert_undisturbed, unavailable};

/// While the slot moves, part of the show's keys is here and part there: a script of several keys runs nowhere.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_a_slot_moves_its_holds_are_503_at_worst_and_no_other_show_is_disturbed() {
    let house = House::build().await;
    let (show, neighbour, other) = (house.define_on(0).await, house.define_on(0).await, house.define_on(1).await);
    let moving = Load::start(house.sys.clients(4), &show);
    let undisturbed = [&neighbour, &other].map(|show| Load::start(house.sys.clients(2), show));
    moving.each_succeeds_after(Instant::now()).await;

    let slot = house.cluster.slot(&show).await;
    house.cluster.begin_move(slot, 0, 1).await;
    moving.each_is_answered().await;
    // Half of it: the buyers go on against what is on two masters.
    for _ in 0..3 {
        assert!(house.cluster.move_keys(slot, 0, 1, 5).await > 0);
        moving.each_is_answered().await;
    }
    for load in &undisturbed {
        load.each_succeeds_after(Instant::now()).await;
    }
    while house.cluster.move_keys(slot, 0, 1, 100).await > 0 {}
    house.cluster.end_move(slot, 1).await;
    let over = Instant::now();
    moving.each_succeeds_after(over).await;
    println!("all buy again after {:?}", over.elapsed());
    for load in &undisturbed {
        load.each_succeeds_after(over).await;
    }

    let got = moving.end().await;
    println!("{} answers, 503 for {:?}", got.len(), unavailable(&got));
    let lost: Vec<_> = got.iter().filter(|got| got.status == 409 && got.code != "seat_unavailable").collect();
    assert!(lost.is_empty(), "a hold was lost: {lost:?}");
    for load in undisturbed {
        assert_undisturbed(&load.end().await);
    }
    for show in [&show, &neighbour, &other] {
        house.agrees(show).await;
    }
}

/// What was held before is confirmed after, and a process that has not noticed is told where the slot is.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_knows_the_old_master_is_led_to_the_new_one_at_once() {
    let house = House::build().await;
    let show = house.define_on(0).await;
    let client = &house.sys.clients(1)[0];
    let token = client.hold(&show, &["E1"]).await.text("holdToken").to_owned();
    house.cluster.move_slot(house.cluster.slot(&show).await, 0, 2).await;

    client.hold(&show, &["E1"]).await.expect_problem(409, "seat_unavailable");
    assert_eq!(client.hold_status(&show, &token).await.expect(200)["state"], "active");
    client.extend(&show, &token, 600).await.expect(200);
    client.confirm(&show, &token, paid("pay_1")).await.expect(201);
    let units = client.decrement(&show, "GA", 2).await.expect(201);
    assert_eq!(units["remaining"], json!(9_998));
    house.agrees(&show).await;
}

/// A show of which Redis has nothing: its slot moves, and it is loaded where the slot is, once, whoever comes first, or late.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_show_that_is_not_loaded_while_its_slot_moves_is_loaded_once() {
    let house = House::build().await;
    let show = house.define_unloaded_on(0).await;
    let slot = house.cluster.slot(&show).await;
    let clients = house.sys.clients(8);
    let each_holds = || {
        let hold = |(number, client): (usize, &Client)| {
            let (client, show) = (client.clone(), show.clone());
            async move { client.hold(&show, &[&format!("E{}", number + 1)]).await.status }
        };
        clients.iter().enumerate().map(hold).collect::<JoinSet<_>>().join_all()
    };
    house.cluster.begin_move(slot, 0, 1).await;
    let got = each_holds().await;
    assert!(got.iter().all(|status| matches!(status, 201 | 503)), "{got:?}");
    while house.cluster.move_keys(slot, 0, 1, 100).await > 0 {}
    house.cluster.end_move(slot, 1).await;

    // One has heard that it is not loaded, and reads what to load until the others have done it.
    let front = Front::start(&servers::dynamo().await.endpoint()).await;
    let vars = [("AWS_ENDPOINT_URL_DYNAMODB", front.endpoint()), ("DYNAMODB_RESPONSE_TIMEOUT_MS", "4000".to_owned())];
    let slow = house.sys_with(&vars.each_ref().map(|(name, value)| (*name, value.as_str()))).await;
    let gate = front.on("GetItem").hold_before();
    let (slow_show, slow_client) = (show.clone(), Client::clone(&slow));
    let late = tokio::spawn(async move { slow_client.hold(&slow_show, &["E9"]).await });
    gate.reached().await;
    let got = each_holds().await;
    assert!(got.iter().all(|status| matches!(status, 201 | 409)) && got.contains(&201), "{got:?}");
    gate.open();
    late.await.unwrap().expect(201);
    // A load ends by moving the seats into place, which nothing else does.
    let mut loads = 0;
    for node in &house.cluster.nodes[..MASTERS] {
        loads += node.count("rename").await;
    }
    assert_eq!(loads, 1);
    house.agrees(&show).await;
}

/// The keys are on the new master and the slot is not: each command is to be asked for there, whatever others send meanwhile.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_has_moved_before_its_slot_has_is_answered_by_the_new_master() {
    let house = House::build().await;
    let (show, other) = (house.define_on(0).await, house.define_on(1).await);
    let client = &house.sys.clients(1)[0];
    let token = client.hold(&show, &["E1"]).await.text("holdToken").to_owned();
    let slot = house.cluster.slot(&show).await;
    house.cluster.begin_move(slot, 0, 1).await;
    while house.cluster.move_keys(slot, 0, 1, 100).await > 0 {}

    let mut calls = JoinSet::new();
    for call in 0..200 {
        let (client, show, other, token) = (client.clone(), show.clone(), other.clone(), token.clone());
        calls.spawn(async move {
            if call % 2 == 0 {
                assert_eq!(client.hold_status(&show, &token).await.expect(200)["state"], "active");
            } else {
                client.get(&format!("/shows/{other}/stock/GA")).await.expect(200);
            }
        });
    }
    calls.join_all().await;
    house.cluster.end_move(slot, 1).await;
    client.confirm(&show, &token, paid("pay_1")).await.expect(201);
    house.agrees(&show).await;
}
