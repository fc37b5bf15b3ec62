//! Shows by version, and the list of what they have sold.

use aws_sdk_dynamodb::types::AttributeValue;
use holdfast::Failure;
use holdfast::adapters::dynamo::keys;
use holdfast::domain::places::shard_of;
use holdfast::domain::{Show, ShowId};
use holdfast_tests::dynamo_front::Fault;
use holdfast_tests::loaded::version_of;
use holdfast_tests::servers::TABLE;
use serde_json::json;

use crate::record::Record;

/// A show that sets every field.
fn full(id: &ShowId, version: u64) -> Show {
    serde_json::from_value(json!({
        "showId": id, "name": "Der Ring des Nibelungen \u{1f3ad} \"II\"", "startsAt": "2027-01-20T19:30:00Z",
        "sale": {"opensAt": "2026-12-01T09:00:00.123Z", "closesAt": "2027-01-20T19:00:00Z"},
        "sections": [
            {"id": "stalls", "rows": [{"id": "E", "from": 1, "to": 20}]},
            {"id": "balcony", "prefix": "B-", "rows": [{"id": "A", "from": 1, "to": 12}]},
        ],
        "zones": [{"id": "GA", "capacity": 500}, {"id": "VIP", "capacity": 0}],
        "hold": {"defaultTtlSeconds": 300, "maxTtlSeconds": 900, "maxLifetimeSeconds": 7200},
        "limits": {"maxPlacesPerHold": 96, "maxPlacesPerUser": 12}, "lateConfirm": "refuse",
        "waitingRoom": {"enabled": false, "admitPerMinute": 600, "passTtlSeconds": 600}, "version": version,
    }))
    .unwrap()
}

#[tokio::test]
async fn a_show_is_read_as_it_was_written_and_is_in_the_list() {
    let record = Record::open().await;
    let store = record.store();
    assert_eq!(store.read_show(&record.show).await.unwrap(), None);
    for show in [full(&record.show, 1), version_of(&record.show, 2, 5, 5)] {
        assert!(store.write_show(&show).await.unwrap());
        assert_eq!(store.read_show(&record.show).await.unwrap(), Some(show.clone()));
        let entry = record.item(&keys::show_entry(&record.show)).await.unwrap();
        assert_eq!(entry["name"], AttributeValue::S(show.name));
        assert_eq!(entry["version"], AttributeValue::N(show.version.to_string()));
        assert_eq!(entry.contains_key("startsAt"), show.version == 1);
    }
}

#[tokio::test]
async fn a_version_is_written_once_and_after_the_one_before_it() {
    let record = Record::open().await;
    let (store, id) = (record.store(), &record.show);
    assert!(!store.write_show(&version_of(id, 2, 5, 5)).await.unwrap(), "there is no version 1");
    assert_eq!(store.read_show(id).await.unwrap(), None);
    assert!(store.write_show(&version_of(id, 1, 5, 5)).await.unwrap());
    for overtaken in [version_of(id, 1, 6, 5), version_of(id, 3, 6, 5)] {
        assert!(!store.write_show(&overtaken).await.unwrap(), "{}", overtaken.version);
        assert_eq!(store.read_show(id).await.unwrap(), Some(version_of(id, 1, 5, 5)));
    }
    assert!(store.write_show(&version_of(id, 2, 6, 5)).await.unwrap());
    assert!(!store.write_show(&version_of(id, 2, 7, 5)).await.unwrap());
    assert_eq!(store.read_show(id).await.unwrap(), Some(version_of(id, 2, 6, 5)));
}

/// However often the reply is lost: a write of one's own is a success.
#[tokio::test]
async fn a_lost_reply_of_ones_own_write_is_recognised() {
    let record = Record::open().await;
    for (version, times) in [(1, 1), (2, 3), (3, 4)] {
        record.front.on("TransactWriteItems").times(times).after(Fault::Reset);
        let show = version_of(&record.show, version, 5, 5);
        assert!(record.store().write_show(&show).await.unwrap(), "version {version}");
        assert_eq!(record.front.strikes_left(), 0);
    }
}

#[tokio::test]
async fn a_conflict_is_tried_again_and_a_fault_of_ours_is_not() {
    let record = Record::open().await;
    let show = version_of(&record.show, 1, 5, 5);
    record.front.on("TransactWriteItems").before(Fault::validation("no"));
    let failure = record.store().write_show(&show).await.unwrap_err();
    assert!(matches!(failure, Failure::Internal { .. }), "{failure:?}");
    assert_eq!(record.front.count("TransactWriteItems"), 1);
    use holdfast_tests::dynamo_front::Reason;
    record.front.on("TransactWriteItems").before(Fault::cancelled(&[Reason::none(), Reason::conflict()]));
    assert!(record.store().write_show(&show).await.unwrap());
}

/// Every page, and each of them consistent.
#[tokio::test]
async fn what_was_sold_is_listed_over_pages() {
    let record = Record::open().await;
    let raw = record.raw().await;
    let shard = 7;
    let places: Vec<String> =
        (1..).map(|n| format!("E{n}")).filter(|place| shard_of(place) == shard).take(30).collect();
    // A page has 1 MB at most.
    for place in &places {
        let put = raw
            .put_item()
            .table_name(TABLE)
            .set_item(Some(keys::sold_place(&record.show, place).attributes()))
            .item("booking", AttributeValue::S(format!("booking of {place}")))
            .item("version", AttributeValue::N("3".to_owned()))
            .item("padding", AttributeValue::S("x".repeat(100_000)));
        put.send().await.unwrap();
    }
    let mut listed = record.store().list_sold(&record.show, shard).await.unwrap();
    listed.sort_by_key(|sold| places.iter().position(|place| *place == sold.place));
    assert_eq!(listed.len(), 30);
    for (sold, place) in listed.iter().zip(&places) {
        assert_eq!((&sold.place, &sold.booking, sold.version), (place, &format!("booking of {place}"), 3));
    }
    let queries = record.front.requests("Query");
    assert!(queries.len() >= 3, "{} pages", queries.len());
    assert!(queries.iter().all(|query| query["ConsistentRead"] == json!(true)));
    assert_eq!(record.store().list_sold(&record.show, shard + 1).await.unwrap(), []);
}
