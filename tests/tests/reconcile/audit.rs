//! Audit items: the events of a show, by epoch and id, once each, and not for ever.

use std::collections::{BTreeMap, HashMap};

use aws_sdk_dynamodb::types::AttributeValue;
use holdfast::adapters::dynamo::keys::{self, PARTITION, SORT};
use holdfast::adapters::redis::keys::events;
use holdfast::domain::ShowId;
use holdfast_tests::dynamo_front::Fault;
use holdfast_tests::servers::TABLE;
use serde_json::json;

use crate::alone::Alone;

type Item = HashMap<String, AttributeValue>;
type Streamed = Vec<(String, Vec<String>)>;

/// What the stream of a show has.
async fn stream(sys: &Alone, show: &ShowId) -> Streamed {
    redis::cmd("XRANGE").arg(events(show)).arg("-").arg("+").query_async(&mut sys.redis().await).await.unwrap()
}

/// All audit items of the table, by their sort keys.
async fn audited(sys: &Alone, show: &ShowId) -> BTreeMap<String, Item> {
    let prefix = keys::audit(show, "e", "1-0").partition;
    let prefix = prefix.rsplit_once('#').unwrap().0.to_owned();
    let scan = sys.dynamo().scan().table_name(TABLE).consistent_read(true);
    let scan = scan.filter_expression("begins_with(#pk, :pk)").expression_attribute_names("#pk", PARTITION);
    let scan = scan.expression_attribute_values(":pk", AttributeValue::S(prefix));
    let items: Result<Vec<Item>, _> = scan.into_paginator().items().send().collect().await;
    let items = items.unwrap();
    let count = items.len();
    let items: BTreeMap<String, Item> =
        items.into_iter().map(|item| (item[SORT].as_s().unwrap().clone(), item)).collect();
    assert_eq!(items.len(), count, "no two items have one sort key");
    items
}

/// Fails the test unless each event has its item, and there is no other.
fn assert_kept(items: &BTreeMap<String, Item>, show: &ShowId, epoch: &str, streamed: &Streamed, days: u64) {
    let its_own: Vec<&Item> =
        items.iter().filter(|(sort, _)| sort.starts_with(&format!("{epoch}#"))).map(|(_, item)| item).collect();
    assert_eq!(its_own.len(), streamed.len());
    for (id, fields) in streamed {
        let key = keys::audit(show, epoch, id);
        let item = items.get(&key.sort).unwrap_or_else(|| panic!("{id} has no item"));
        let text = |name: &str| item[name].as_s().unwrap().as_str();
        assert_eq!((text(PARTITION), text("event"), text("places")), (&*key.partition, &*fields[0], &*fields[1]));
        let at_ms: u64 = id.split_once('-').unwrap().0.parse().unwrap();
        assert_eq!(item["expiresAt"].as_n().unwrap(), &(at_ms / 1000 + days * 86_400).to_string());
    }
    // In the order of their sort keys they are in the order in which they happened.
    let happened: Vec<&str> = its_own.iter().map(|item| item["places"].as_s().unwrap().as_str()).collect();
    assert_eq!(happened, streamed.iter().map(|(_, fields)| fields[1].as_str()).collect::<Vec<_>>());
}

async fn some_events(sys: &Alone, show: &ShowId, sold: &str) {
    for seat in ["E1", "E2", "E3"] {
        let token = sys.hold(show.as_str(), &[seat, "E9"]).await.text("holdToken").to_owned();
        sys.release(show.as_str(), &token).await.expect(204);
    }
    let token = sys.hold(show.as_str(), &[sold]).await.text("holdToken").to_owned();
    sys.confirm(show.as_str(), &token, json!({})).await.expect(201);
    sys.decrement(show.as_str(), "GA", 2).await.expect(201);
}

async fn epoch(sys: &Alone, show: &ShowId) -> String {
    let report = sys.reconcile(json!({"showId": show, "dryRun": true})).await;
    report["shows"][0]["epoch"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn every_event_is_kept_once_by_epoch_and_id_and_ends_after_its_days() {
    let sys = Alone::start(&[("AUDIT_DAYS", "7")]).await;
    let show = ShowId::parse(&sys.define(json!({})).await).unwrap();
    some_events(&sys, &show, "E4").await;
    let (first_epoch, first) = (epoch(&sys, &show).await, stream(&sys, &show).await);
    let drained = |report: &serde_json::Value| report["shows"][0]["eventsDrained"].as_u64().unwrap() as usize;
    assert_eq!(audited(&sys, &show).await.len(), 0, "a dry run writes nothing");
    assert_eq!(drained(&sys.reconcile(json!({})).await), first.len());
    let items = audited(&sys, &show).await;
    assert_kept(&items, &show, &first_epoch, &first, 7);

    // Whoever drains them again finds them there.
    let forget = sys.dynamo().delete_item().table_name(TABLE).set_key(Some(keys::drained(&show).attributes()));
    forget.send().await.unwrap();
    assert_eq!(drained(&sys.reconcile(json!({})).await), first.len());
    assert_eq!(audited(&sys, &show).await, items);

    // Redis loses the show: the next loading counts from its own beginning.
    sys.flush().await;
    some_events(&sys, &show, "E5").await;
    let (second_epoch, second) = (epoch(&sys, &show).await, stream(&sys, &show).await);
    let report = sys.reconcile(json!({})).await;
    assert_eq!((drained(&report), &report["shows"][0]["eventsMissed"]), (second.len(), &json!(0)));
    let items = audited(&sys, &show).await;
    assert_ne!(first_epoch, second_epoch);
    assert_eq!(items.len(), first.len() + second.len());
    assert_kept(&items, &show, &first_epoch, &first, 7);
    assert_kept(&items, &show, &second_epoch, &second, 7);
}

/// The run dies after it wrote some of them, and before it noted that.
#[tokio::test]
async fn a_run_that_died_while_it_drained_leaves_nothing_twice() {
    let sys = Alone::start(&[]).await;
    let show = ShowId::parse(&sys.define(json!({})).await).unwrap();
    some_events(&sys, &show, "E4").await;
    let streamed = stream(&sys, &show).await;
    sys.front.on("PutItem").containing("drained").always().before(Fault::internal());
    let died = sys.reconcile(json!({})).await;
    assert_eq!((&died["complete"], &died["errors"][0]["code"]), (&json!(false), &json!("unavailable")), "{died}");
    sys.front.clear();
    // And this one loses the replies of the batch.
    sys.front.on("BatchWriteItem").times(2).after(Fault::Reset);
    let report = sys.reconcile(json!({})).await;
    assert_eq!(report["shows"][0]["eventsDrained"], streamed.len(), "{report}");
    let epoch = report["shows"][0]["epoch"].as_str().unwrap();
    assert_kept(&audited(&sys, &show).await, &show, epoch, &streamed, 90);
    // What was left over of a batch comes again.
    assert_eq!(sys.reconcile(json!({})).await["shows"][0]["eventsDrained"], 0);
}
