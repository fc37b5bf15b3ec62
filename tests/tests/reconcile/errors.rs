//! What cannot be done is an entry in the report, and the rest is done.

use aws_sdk_dynamodb::types::AttributeValue;
use holdfast::adapters::dynamo::keys::{self, Key};
use holdfast::domain::ShowId;
use holdfast_tests::dynamo_front::Fault;
use holdfast_tests::servers::TABLE;
use serde_json::{Value, json};

use crate::alone::{Alone, complete, shows};

/// Overwrites an attribute of an item, or makes the item.
async fn spoil(sys: &Alone, key: &Key, name: &str) {
    let update = sys.dynamo().update_item().table_name(TABLE).set_key(Some(key.attributes()));
    let update = update.update_expression("SET #name = :garbage").expression_attribute_names("#name", name);
    update.expression_attribute_values(":garbage", AttributeValue::S("garbage".to_owned())).send().await.unwrap();
}

/// Fails the test unless this show is the only one that could not be reconciled.
#[track_caller]
fn only_fault(report: &Value, show: &str, code: &str) {
    assert_eq!(report["complete"], false, "{report}");
    let [error] = report["errors"].as_array().unwrap().as_slice() else { panic!("one error: {report}") };
    assert_eq!((&error["showId"], &error["code"]), (&json!(show), &json!(code)), "{report}");
    assert!(error["detail"].as_str().is_some_and(|detail| !detail.is_empty()), "{report}");
}

/// Five shows with a sold seat each, of which Redis has lost the sale.
async fn five_shows(sys: &Alone) -> Vec<String> {
    let mut shows = Vec::new();
    for at in 0..5 {
        let show = sys.define(json!({})).await;
        let token = sys.hold(&show, &["E7"]).await.text("holdToken").to_owned();
        sys.confirm(&show, &token, holdfast_tests::sys::paid(&format!("pay_{at}"))).await.expect(201);
        shows.push(show);
    }
    for show in &shows {
        let seats = holdfast::adapters::redis::keys::seats(&ShowId::parse(show).unwrap());
        let _: () = redis::cmd("HSET").arg(seats).arg("E7").arg("").query_async(&mut sys.redis().await).await.unwrap();
    }
    shows
}

#[tokio::test]
async fn a_show_that_cannot_be_read_is_an_error_and_the_others_are_done() {
    let sys = Alone::start(&[]).await;
    let all = five_shows(&sys).await;
    let spoilt = &all[2];
    spoil(&sys, &keys::show(&ShowId::parse(spoilt).unwrap()), "document").await;
    let report = sys.reconcile(json!({})).await;
    only_fault(&report, spoilt, "internal");
    let mut others: Vec<String> = all.iter().filter(|show| *show != spoilt).cloned().collect();
    others.sort();
    assert_eq!(shows(&report), others);
    for show in report["shows"].as_array().unwrap() {
        assert_eq!(show["repairs"]["marked"], 1, "{report}");
    }
    // It is told of by name, too.
    only_fault(&sys.reconcile(json!({"showId": spoilt})).await, spoilt, "internal");
}

#[tokio::test]
async fn a_sold_place_that_cannot_be_read_is_an_error_of_its_show() {
    let sys = Alone::start(&[]).await;
    let all = five_shows(&sys).await;
    let spoilt = &all[2];
    spoil(&sys, &keys::sold_place(&ShowId::parse(spoilt).unwrap(), "E9"), "booking").await;
    let report = sys.reconcile(json!({})).await;
    only_fault(&report, spoilt, "internal");
    for show in report["shows"].as_array().unwrap().iter().filter(|show| show["showId"] != *spoilt) {
        assert_eq!(show["repairs"]["marked"], 1, "{report}");
    }
}

/// An entry in the list of shows that cannot be read keeps those of other shards from nothing.
#[tokio::test]
async fn an_entry_that_cannot_be_read_is_in_nobodys_way() {
    let sys = Alone::start(&[]).await;
    let all = five_shows(&sys).await;
    let entry = |show: &String| keys::show_entry(&ShowId::parse(show).unwrap());
    spoil(&sys, &entry(&all[2]), "closesAt").await;
    for _ in 0..2 {
        let report = sys.reconcile(json!({})).await;
        assert_eq!(report["complete"], false, "{report}");
        assert_eq!(report["errors"].as_array().unwrap().len(), 1, "{report}");
        for show in all.iter().filter(|show| entry(show).partition != entry(&all[2]).partition) {
            assert!(shows(&report).contains(show), "{show} has its turn: {report}");
        }
    }
}

#[tokio::test]
async fn an_entry_in_a_later_layout_is_in_nobodys_way() {
    let sys = Alone::start(&[]).await;
    let all = five_shows(&sys).await;
    let entry = |show: &String| keys::show_entry(&ShowId::parse(show).unwrap());
    let update = sys.dynamo().update_item().table_name(TABLE).set_key(Some(entry(&all[2]).attributes()));
    let update = update.update_expression("SET #format = :later").expression_attribute_names("#format", "format");
    update.expression_attribute_values(":later", AttributeValue::N("2".to_owned())).send().await.unwrap();
    for _ in 0..2 {
        let report = sys.reconcile(json!({})).await;
        let [error] = report["errors"].as_array().unwrap().as_slice() else { panic!("one error: {report}") };
        assert_eq!(error["code"], "unavailable", "{report}");
        for show in all.iter().filter(|show| entry(show).partition != entry(&all[2]).partition) {
            assert!(shows(&report).contains(show), "{show} has its turn: {report}");
        }
    }
}

#[tokio::test]
async fn a_store_that_does_not_answer_for_one_show_is_an_error_that_passes() {
    let sys = Alone::start(&[]).await;
    let all = five_shows(&sys).await;
    let sold = keys::sold_shard(&ShowId::parse(&all[2]).unwrap(), 0);
    sys.front.on("Query").containing(sold.trim_end_matches("00")).always().before(Fault::internal());
    let report = sys.reconcile(json!({})).await;
    only_fault(&report, &all[2], "unavailable");
    for show in report["shows"].as_array().unwrap().iter().filter(|show| show["showId"] != *all[2]) {
        assert_eq!(show["repairs"]["marked"], 1, "{report}");
    }
    sys.front.clear();
    let next = sys.reconcile(json!({})).await;
    assert_eq!(complete(&next).len(), 5);
    let marked: Vec<&Value> = next["shows"].as_array().unwrap().iter().map(|show| &show["repairs"]["marked"]).collect();
    assert_eq!(marked.iter().filter(|marked| ***marked == json!(1)).count(), 1, "{next}");
}

#[tokio::test]
async fn an_unknown_show_is_an_error() {
    let sys = Alone::start(&[]).await;
    sys.define(json!({})).await;
    for dry_run in [true, false] {
        let report = sys.reconcile(json!({"showId": "nobodys", "dryRun": dry_run})).await;
        let [error] = report["errors"].as_array().unwrap().as_slice() else { panic!("one error: {report}") };
        assert_eq!((&error["showId"], &error["code"]), (&json!("nobodys"), &json!("show_not_found")));
        assert_eq!((&report["shows"], &report["dryRun"]), (&json!([]), &json!(dry_run)));
    }
}

/// A run without any store: it answers all the same, in time, and says why.
#[tokio::test]
async fn a_run_without_a_store_says_so() {
    let sys = Alone::start(&[]).await;
    sys.define(json!({})).await;
    sys.front.on_any().always().before(Fault::Reset);
    let report = sys.reconcile(json!({})).await;
    assert_eq!((&report["complete"], &report["shows"]), (&json!(false), &json!([])), "{report}");
    assert_eq!(report["errors"][0]["code"], "unavailable", "{report}");
}

#[tokio::test]
async fn a_token_that_cannot_be_settled_keeps_nothing_else_of_its_show() {
    let sys = Alone::start(&[]).await;
    let plot = crate::house::Plot('A');
    let house = crate::house::House::on(sys.again(), &[plot]).await;
    let token = house.hold(plot, &[1]).await;
    house.pin(&token, &plot.seats(&[1]), true).await;
    spoil(&sys, &keys::booking(holdfast_tests::image::booking_of(&house.show, &token)), "status").await;
    only_fault(&sys.reconcile(json!({})).await, &house.show, "internal");
    // From now on nobody can be at work on it any more.
    let (sold, _) = house.sell(plot, &[2]).await;
    holdfast_tests::image::lose_hold(&mut house.redis.clone(), &house.show, &sold, &["A2"]).await;
    only_fault(&sys.reconcile(json!({})).await, &house.show, "internal");
    house.are_sold(plot, &[2]).await;
}
