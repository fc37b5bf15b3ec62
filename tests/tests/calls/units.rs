//! What is written, in DynamoDB's write units: one for each started KB of an item, two in a transaction. The cost estimate of
//! docs/OPERATIONS.md is made of these numbers.

use holdfast_tests::sys::paid;
use serde_json::{Value, json};

use crate::Counted;

/// Fails if an item may be above 1 KB. As JSON, with the types, it is longer than DynamoDB counts it.
#[track_caller]
fn assert_small(item: &Value) {
    let size = item.to_string().len();
    assert!(size <= 1024, "{size} bytes: {item}");
}

#[tokio::test]
async fn a_paid_confirm_of_n_places_writes_n_plus_three_small_items_and_one_more_with_an_order() {
    let counted = Counted::start().await;
    let (sys, show) = (&counted.sys, &counted.show);
    for (number, seats) in [&["E1"][..], &["E2", "E3"], &["E4", "E5", "E6", "E7", "E8", "E9"]].into_iter().enumerate() {
        let token = sys.hold(show, seats).await.text("holdToken").to_owned();
        let mut body = paid(&format!("pay_{number}"));
        if number > 0 {
            body["orderId"] = json!(format!("order-{number}"));
        }
        counted.confirm(&token, body).await.is(201, 3, 1);
        let [transaction] = &counted.front.requests("TransactWriteItems")[..] else { panic!("one transaction") };
        let writes = transaction["TransactItems"].as_array().unwrap();
        assert_eq!(writes.len(), seats.len() + 3 + usize::from(number > 0), "{writes:?}");
        writes.iter().for_each(|write| assert_small(&write["Put"]["Item"]));
    }
}

#[tokio::test]
async fn a_hold_is_one_small_audit_item_and_a_confirm_two() {
    let counted = Counted::start().await;
    let drained = async || {
        counted.front.reset_counts();
        counted.sys.reconcile(json!({"showId": counted.show})).await;
        let batches = counted.front.requests("BatchWriteItem");
        let items = batches.iter().flat_map(|batch| batch["RequestItems"].as_object().unwrap().values());
        let items =
            items.flat_map(|writes| writes.as_array().unwrap()).map(|write| write["PutRequest"]["Item"].clone());
        items.collect::<Vec<_>>()
    };
    // What the preparations left.
    drained().await;
    let token = counted.sys.hold(&counted.show, &["E1", "E2"]).await.text("holdToken").to_owned();
    let [held] = &drained().await[..] else { panic!("a hold is not one item") };
    assert_small(held);
    counted.confirm(&token, paid("pay_1")).await.is(201, 3, 1);
    // The pin moves the deadline, and the mark sells.
    let told = drained().await;
    assert_eq!(told.len(), 2, "{told:?}");
    told.iter().for_each(assert_small);
}
