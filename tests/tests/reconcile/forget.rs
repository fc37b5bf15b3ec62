//! What Redis has of a show is wrong, or of another release: it is told to forget it.

use holdfast::adapters::dynamo;
use holdfast::adapters::redis::keys;
use holdfast::adapters::redis::scripts::FORMAT;
use holdfast_tests::dynamo_front::{Fault, Front};
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::servers;
use holdfast_tests::sys::{Sys, paid};
use redis::AsyncCommands;
use serde_json::json;

use crate::house::{House, Plot};

#[tokio::test]
async fn a_show_of_another_release_is_loaded_anew_and_what_is_sold_stays_sold() {
    let (mut house, plot) = House::open().await;
    let (show, [sold, held]) = (house.show.clone(), [plot.seat(1), plot.seat(2)]);
    let buyer = house.sys.hold(&show, &[&sold]).await.text("holdToken").to_owned();
    house.sys.confirm(&show, &buyer, paid("pay_1")).await.expect(201);
    let token = house.sys.hold(&show, &[&held]).await.text("holdToken").to_owned();
    // A show whose id begins as this one's does.
    let other = format!("{show}-b");
    house.sys.define_as(&other, json!({})).await;
    let others = house.sys.hold(&other, &["E1"]).await.text("holdToken").to_owned();

    let () = house.redis.hset(keys::show(&house.id), "format", "2").await.unwrap();
    house.sys.hold_status(&show, &token).await.expect_problem(503, "unavailable");
    let report = house.sys.reconcile(json!({"showId": show, "forget": true})).await;
    assert_eq!((&report["complete"], &report["errors"]), (&json!(true), &json!([])), "{report}");
    let layout: String = house.redis.hget(keys::show(&house.id), "format").await.unwrap();
    assert_eq!(layout, FORMAT);
    house.sys.extend(&show, &token, 300).await.expect_problem(409, "hold_lost");
    house.sys.hold(&show, &[&held]).await.expect(201);
    house.sys.hold(&show, &[&sold]).await.expect_problem(409, "seat_unavailable");
    assert_agreement(&house.sys, &show).await;
    house.sys.hold_status(&other, &others).await.expect(200);
}

/// Whoever has paid gets what he paid for, or the money back.
#[tokio::test]
async fn a_payment_whose_confirm_died_is_settled_before() {
    let (house, plot) = House::open().await;
    let token = house.hold(plot, &[3]).await;
    house.pin(&token, &plot.seats(&[3]), true).await;
    let report = house.sys.reconcile(json!({"showId": house.show, "forget": true})).await;
    assert_eq!((&report["complete"], &report["errors"]), (&json!(true), &json!([])), "{report}");
    // Once while it was settled, and once after.
    assert_eq!(report["shows"][0]["repairs"]["settled"], 1, "{report}");
    assert_eq!(report["shows"][1]["repairs"]["settled"], 0, "{report}");
    house.are_sold(plot, &[3]).await;
    house.is_booked(&token).await;
    assert_agreement(&house.sys, &house.show).await;
}

/// Redis alone knows of the payment until it is settled: a show that cannot be settled is not forgotten.
#[tokio::test]
async fn a_payment_that_cannot_be_settled_now_is_not_forgotten() {
    let front = Front::start(&servers::dynamo().await.endpoint()).await;
    let sys = Sys::with(&servers::redis().url(), &front.endpoint(), &[]);
    let plot = Plot('A');
    let house = House::on(sys, &[plot]).await;
    let token = house.hold(plot, &[3]).await;
    house.pin(&token, &plot.seats(&[3]), true).await;
    front.on("TransactWriteItems").always().before(Fault::internal());
    let report = house.sys.reconcile(json!({"showId": house.show, "forget": true})).await;
    assert_eq!(report["complete"], false, "{report}");
    assert_eq!(report["errors"][0]["code"], "unavailable", "{report}");
    front.clear();
    let report = house.sys.reconcile(json!({"showId": house.show, "forget": true})).await;
    assert_eq!((&report["complete"], &report["errors"]), (&json!(true), &json!([])), "{report}");
    house.is_booked(&token).await;
}

/// Not even by a release that cannot read it.
#[tokio::test]
async fn a_payment_of_another_release_is_not_forgotten() {
    let (mut house, plot) = House::open().await;
    let token = house.hold(plot, &[3]).await;
    house.pin(&token, &plot.seats(&[3]), true).await;
    let () = house.redis.hset(keys::show(&house.id), "format", "2").await.unwrap();
    let report = house.sys.reconcile(json!({"showId": house.show, "forget": true})).await;
    assert_eq!((&report["complete"], &report["errors"][0]["code"]), (&json!(false), &json!("unavailable")), "{report}");
    // The release that can comes back.
    let () = house.redis.hset(keys::show(&house.id), "format", FORMAT).await.unwrap();
    house.sys.reconcile(json!({"showId": house.show})).await;
    house.is_booked(&token).await;
}

/// As after a table was restored to an earlier point.
#[tokio::test]
async fn a_show_that_only_redis_has_is_forgotten() {
    let (mut house, plot) = House::open().await;
    house.hold(plot, &[1]).await;
    let record = dynamo::keys::show(&house.id);
    let delete = house.sys.dynamo().delete_item().table_name(servers::TABLE);
    delete.set_key(Some(record.attributes())).send().await.unwrap();
    let report = house.sys.reconcile(json!({"showId": house.show, "forget": true})).await;
    assert_eq!(report["errors"][0]["code"], "show_not_found", "{report}");
    let is_there: bool = house.redis.exists(keys::show(&house.id)).await.unwrap();
    assert!(!is_there);
    house.sys.hold(&house.show, &[&plot.seat(2)]).await.expect_problem(404, "show_not_found");
}

/// As somebody may have written them by hand.
#[tokio::test]
async fn a_show_whose_keys_are_of_another_type_is_healed() {
    let (mut house, plot) = House::open().await;
    for key in [keys::held(&house.id), keys::confirming(&house.id), keys::seats(&house.id)] {
        house.hold(plot, &[1]).await;
        let () = redis::pipe().del(&key).set(&key, "garbage").exec_async(&mut house.redis).await.unwrap();
        let report = house.sys.reconcile(json!({"showId": house.show, "forget": true})).await;
        assert_eq!((&report["complete"], &report["errors"]), (&json!(true), &json!([])), "{key}: {report}");
    }
    house.are_for_sale(plot, &[1]).await;
    assert_agreement(&house.sys, &house.show).await;
}
