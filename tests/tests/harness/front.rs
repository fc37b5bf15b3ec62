//! The front of DynamoDB says what DynamoDB would say, as the SDK understands it.

use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::{AttributeValue, Put, TransactWriteItem};
use holdfast_tests::dynamo_front::{Fault, Front, Reason};
use holdfast_tests::raw;
use holdfast_tests::servers::{TABLE, dynamo, fresh_show_id};

/// Long enough to tell "never" from "at once" on this machine.
const NEVER: Duration = Duration::from_millis(300);

async fn front() -> (Front, Client) {
    let front = Front::start(&dynamo().await.endpoint()).await;
    let client = raw::dynamo(&front.endpoint());
    (front, client)
}

fn text(value: &str) -> AttributeValue {
    AttributeValue::S(value.to_owned())
}

/// Puts one item by a transaction; an error is answered as its code, or `None` if nothing was answered.
async fn put(client: &Client, id: &str) -> Result<(), Option<String>> {
    let put = Put::builder().table_name(TABLE).item("pk", text(id)).item("sk", text("a")).build().unwrap();
    let sent = client.transact_write_items().transact_items(TransactWriteItem::builder().put(put).build()).send().await;
    sent.map(drop).map_err(|error| error.as_service_error().and_then(|error| error.meta().code().map(str::to_owned)))
}

async fn exists(id: &str) -> bool {
    let client = raw::dynamo(&dynamo().await.endpoint());
    let got = client.get_item().table_name(TABLE).key("pk", text(id)).key("sk", text("a")).send().await;
    got.unwrap().item.is_some()
}

#[tokio::test]
async fn requests_are_counted_by_operation() {
    let (front, client) = front().await;
    let id = fresh_show_id();
    put(&client, &id).await.unwrap();
    assert!(exists(&id).await);
    assert_eq!(front.operations(), ["TransactWriteItems"]);
    assert_eq!(front.requests("TransactWriteItems")[0]["TransactItems"][0]["Put"]["Item"]["pk"]["S"], id);
}

#[tokio::test]
async fn each_fault_strikes_as_often_as_it_was_told_and_the_request_is_lost() {
    let (front, client) = front().await;
    let faults = [
        (Fault::throughput_exceeded(), "ProvisionedThroughputExceededException"),
        (Fault::throttling(), "ThrottlingException"),
        (Fault::in_progress(), "TransactionInProgressException"),
        (Fault::conflict(), "TransactionConflictException"),
        (Fault::internal(), "InternalServerError"),
        (Fault::validation("no"), "ValidationException"),
    ];
    for (fault, code) in faults {
        let id = fresh_show_id();
        front.on("TransactWriteItems").containing(&id).skip(1).before(fault);
        put(&client, &id).await.unwrap();
        assert_eq!(put(&client, &id).await, Err(Some(code.to_owned())));
        put(&client, &id).await.unwrap();
    }
    assert_eq!(front.strikes_left(), 0);
}

#[tokio::test]
async fn reasons_are_read_by_the_sdk_in_their_order() {
    let (front, client) = front().await;
    let item = serde_json::json!({"pk": {"S": "there"}});
    let reasons = [Reason::none(), Reason::condition_failed(Some(item)), Reason::conflict(), Reason::throttling()];
    front.on("TransactWriteItems").before(Fault::cancelled(&reasons));
    let put = Put::builder().table_name(TABLE).item("pk", text("x")).build().unwrap();
    let sent = client.transact_write_items().transact_items(TransactWriteItem::builder().put(put).build()).send().await;
    let error = sent.unwrap_err().into_service_error();
    assert!(
        error.to_string().contains("[None, ConditionalCheckFailed, TransactionConflict, ThrottlingError]"),
        "{error}"
    );
    let TransactWriteItemsError::TransactionCanceledException(cancelled) = error else { panic!("{error}") };
    let reasons = cancelled.cancellation_reasons();
    let codes: Vec<&str> = reasons.iter().filter_map(|reason| reason.code()).collect();
    assert_eq!(codes, ["None", "ConditionalCheckFailed", "TransactionConflict", "ThrottlingError"]);
    assert_eq!(reasons[1].item().unwrap()["pk"], text("there"));
}

#[tokio::test]
async fn a_fault_after_the_work_loses_only_the_reply() {
    let (front, client) = front().await;
    for fault in [Fault::Reset, Fault::internal()] {
        let id = fresh_show_id();
        front.on("TransactWriteItems").containing(&id).after(fault);
        assert!(put(&client, &id).await.is_err());
        assert!(exists(&id).await);
    }
    let id = fresh_show_id();
    front.on("TransactWriteItems").containing(&id).before(Fault::Reset);
    assert_eq!(put(&client, &id).await, Err(None));
    assert!(!exists(&id).await);
}

#[tokio::test]
async fn a_mute_store_answers_nothing() {
    let (front, client) = front().await;
    front.on_any().always().before(Fault::Mute);
    assert!(tokio::time::timeout(NEVER, put(&client, "x")).await.is_err());
    front.clear();
    put(&client, "x").await.unwrap();
}

#[tokio::test]
async fn a_gate_holds_a_request_on_either_side_of_the_work() {
    let (front, client) = front().await;
    let (before, after) = (fresh_show_id(), fresh_show_id());
    for (id, gate, done) in [
        (&before, front.on("TransactWriteItems").containing(&before).hold_before(), false),
        (&after, front.on("TransactWriteItems").containing(&after).hold_after(), true),
    ] {
        let (sent, ()) = tokio::join!(put(&client, id), async {
            gate.reached().await;
            assert_eq!(exists(id).await, done);
            gate.open();
        });
        sent.unwrap();
        assert!(exists(id).await);
    }
}
