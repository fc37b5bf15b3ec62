//! Refunds that are due: listed until they are settled, or withdrawn by a restore.

use std::collections::BTreeSet;

use holdfast::adapters::dynamo::keys;
use holdfast_tests::dynamo_front::Front;
use holdfast_tests::image::booking_of;
use holdfast_tests::loaded::issued_token;
use holdfast_tests::servers;
use holdfast_tests::sys::{Sys, paid, refund_of};
use serde_json::{Value, json};

use crate::expect::{assert_invalid, assert_problem, assert_success};
use crate::lists::{PATIENT, all, book, each, shared};

/// A booking of a seat that was paid and cancelled.
async fn cancelled(sys: &Sys, show: &str, seat: &str, reference: &str) -> String {
    let booking = book(sys, show, seat, paid(reference)).await.text("bookingId").to_owned();
    let cancelled = sys.call("POST", &format!("/bookings/{booking}/cancel"), Value::Null).await.expect(200);
    assert_eq!(cancelled["refund"], json!({"reference": reference, "status": "due"}));
    booking
}

/// The record of the refund of such a booking.
fn record(show: &str, booking: &str, reference: &str, status: &str) -> Value {
    json!({
        "refundId": refund_of(booking, reference).to_string(), "standingBookings": [], "reference": reference,
        "bookingId": booking, "showId": show, "amount": "55000", "currency": "KRW",
        "reason": "cancelled", "holdFound": true, "createdAt": "<time>", "status": status,
    })
}

/// Whether the list has a refund of this booking.
async fn is_listed(sys: &Sys, booking: &str) -> bool {
    all(sys, "/refunds?", "refunds", 100).await.iter().any(|refund| refund["bookingId"] == booking)
}

#[tokio::test]
async fn every_refund_that_is_due_is_listed_once() {
    let sys = Sys::own(&[], &PATIENT).await;
    assert_success(&sys.get("/refunds").await, 200, json!({"refunds": []}));
    let show = sys.define(json!({})).await;
    let mut due = BTreeSet::new();
    for number in 1..=5 {
        due.insert(cancelled(&sys, &show, &format!("E{number}"), &format!("pay_{number}")).await);
    }
    // One of a confirm that was refused; and none of a booking that stands, and of one whose money is back already.
    let mut other_seats = paid("pay_6");
    other_seats["seats"] = json!(["E19"]);
    book(&sys, &show, "E6", other_seats).await.expect_problem(422, "hold_mismatch");
    book(&sys, &show, "E7", paid("pay_7")).await.expect(201);
    let back = book(&sys, &show, "E8", paid("pay_8")).await.text("bookingId").to_owned();
    sys.call("POST", &format!("/bookings/{back}/cancel"), json!({"refunded": true})).await.expect(200);

    for limit in [1, 4, 100] {
        let found = all(&sys, "/refunds?", "refunds", limit).await;
        let ids = each(&found, "bookingId");
        assert!(ids.is_superset(&due) && ids.len() == due.len() + 1, "limit {limit}: {found:?}");
        let refused = found.iter().find(|refund| refund["reference"] == "pay_6").unwrap();
        assert_eq!((&refused["reason"], &refused["status"]), (&json!("hold_mismatch"), &json!("due")));
    }
}

#[tokio::test]
async fn a_refund_is_settled_once_and_answered_again() {
    let sys = Sys::own(&[], &PATIENT).await;
    let show = sys.define(json!({})).await;
    let booking = cancelled(&sys, &show, "E1", "pay:1.a").await;
    let listed = sys.get("/refunds").await;
    assert_success(&listed, 200, json!({"refunds": [record(&show, &booking, "pay:1.a", "due")]}));

    for _ in 0..2 {
        let settled = sys.settle(&booking, "pay:1.a").await;
        assert_success(&settled, 200, record(&show, &booking, "pay:1.a", "settled"));
    }
    assert_success(&sys.get("/refunds").await, 200, json!({"refunds": []}));
    let status = json!({"reference": "pay:1.a", "status": "settled"});
    assert_eq!(sys.get(&format!("/bookings/{booking}")).await.expect(200)["refund"], status);
    let listed = sys.get(&format!("/shows/{show}/bookings")).await.expect(200);
    assert_eq!(listed["bookings"][0]["refund"], status);
    // The money is back: the booking cannot be restored.
    let restored = sys.call("POST", &format!("/bookings/{booking}/restore"), Value::Null).await;
    assert_eq!(restored.expect_problem(409, "not_restorable")["reason"], "refunded");
}

#[tokio::test]
async fn a_restore_withdraws_the_refund_and_a_cancel_makes_it_due_again() {
    let sys = Sys::own(&[], &PATIENT).await;
    let show = sys.define(json!({})).await;
    let booking = cancelled(&sys, &show, "E1", "pay_1").await;
    assert!(is_listed(&sys, &booking).await);

    sys.call("POST", &format!("/bookings/{booking}/restore"), Value::Null).await.expect(200);
    assert!(!is_listed(&sys, &booking).await);
    assert_problem(&sys.settle(&booking, "pay_1").await, "refund_not_found", json!({}));
    assert_eq!(sys.get(&format!("/bookings/{booking}")).await.expect(200)["status"], "confirmed");

    sys.call("POST", &format!("/bookings/{booking}/cancel"), Value::Null).await.expect(200);
    assert!(is_listed(&sys, &booking).await);
    let settled = sys.settle(&booking, "pay_1").await;
    assert_success(&settled, 200, record(&show, &booking, "pay_1", "settled"));
    assert!(!is_listed(&sys, &booking).await);
}

#[tokio::test]
async fn a_refund_that_never_was_is_not_found() {
    let sys = shared().await;
    let show = sys.define(json!({})).await;
    let booking = cancelled(&sys, &show, "E1", "pay_1").await;
    let other = uuid::Uuid::new_v4().to_string();
    for (booking, reference) in [(&booking, "pay_2"), (&other, "pay_1")] {
        assert_problem(&sys.settle(booking, reference).await, "refund_not_found", json!({}));
    }
    assert!(is_listed(&sys, &booking).await);
}

/// An entry of the list is read before the refund itself, which may be settled in between.
#[tokio::test]
async fn a_refund_that_is_settled_meanwhile_is_left_out() {
    let (redis, dynamo) = (servers::own_redis(&[]), servers::own_dynamo().await);
    let front = Front::start(&dynamo.endpoint()).await;
    let sys = Sys::with(&redis.url(), &dynamo.endpoint(), &PATIENT);
    let listing = Sys::with(&redis.url(), &front.endpoint(), &PATIENT);
    let show = sys.define(json!({})).await;
    let (first, second) = (cancelled(&sys, &show, "E1", "pay_1").await, cancelled(&sys, &show, "E2", "pay_2").await);
    let gate = front.on("BatchGetItem").hold_before();
    let page = tokio::spawn(async move { listing.get("/refunds").await });
    gate.reached().await;
    sys.settle(&first, "pay_1").await.expect(200);
    gate.open();
    assert_success(&page.await.unwrap(), 200, json!({"refunds": [record(&show, &second, "pay_2", "due")]}));
}

#[tokio::test]
async fn what_a_settle_is_asked_wrongly_is_told() {
    let (sys, _proxy, front) = Sys::fragile(&PATIENT).await;
    let answer = sys.call("POST", "/refunds/pay%201/settle", Value::Null).await;
    assert_invalid(&answer, &[("refundId", "must be a UUID in lower case with hyphens")]);
    assert_eq!(front.operations(), [""; 0]);
}

/// The same payment pays for a booking, and came again for a token of which Redis knew nothing: it must not go back as long as
/// the booking stands.
#[tokio::test]
async fn a_payment_that_still_pays_for_a_booking_is_in_use_and_not_due() {
    let sys = Sys::own(&[], &PATIENT).await;
    let (show, other) = (sys.define(json!({})).await, sys.define(json!({})).await);
    let reference = r##"in"v\2025#1"##;
    let stands = book(&sys, &show, "E1", paid(reference)).await.text("bookingId").to_owned();
    let lost = issued_token(&other);
    let refused = sys.confirm(&other, &lost, paid(reference)).await.expect_problem(409, "hold_lost");
    assert_eq!(refused["refund"], json!({"reference": reference, "status": "due"}));
    // One whose hold was found is due, whatever else the payment pays for.
    let mut mismatch = paid(reference);
    mismatch["seats"] = json!(["E19"]);
    book(&sys, &show, "E2", mismatch).await.expect_problem(422, "hold_mismatch");

    let lost = booking_of(&other, &lost).to_string();
    let listed = async || {
        let refunds = all(&sys, "/refunds?", "refunds", 100).await;
        let of = |reason: &str| refunds.iter().find(|refund| refund["reason"] == reason).unwrap().clone();
        (of("hold_lost"), of("hold_mismatch"))
    };
    let (in_use, due) = listed().await;
    assert_eq!((&in_use["status"], &in_use["holdFound"]), (&json!("in_use"), &json!(false)));
    assert_eq!((&due["status"], &due["holdFound"]), (&json!("due"), &json!(true)));
    for refund in [&in_use, &due] {
        assert_eq!(refund["standingBookings"], json!([stands]), "{refund}");
    }
    let carries = json!({
        "detail": "The refund is not due: its payment still pays for a booking.", "standingBookings": [stands],
    });
    assert_problem(&sys.settle(&lost, reference).await, "refund_not_found", carries);

    // Once the booking is cancelled, every one of them is due.
    sys.call("POST", &format!("/bookings/{stands}/cancel"), json!({"refunded": true})).await.expect(200);
    let (was_in_use, _) = listed().await;
    assert_eq!((&was_in_use["status"], &was_in_use["standingBookings"]), (&json!("due"), &json!([])));
    let settled = sys.settle(&lost, reference).await.expect(200);
    assert_eq!((&settled["status"], &settled["refundId"]), (&json!("settled"), &was_in_use["refundId"]));
}

/// What the table's stream passes on of a refund: whether a hold was found, and what the payment still pays for.
#[tokio::test]
async fn the_item_of_a_refund_has_what_its_event_carries() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let reference = format!("\"quoted\"-{}", uuid::Uuid::new_v4());
    let stands = book(&sys, &show, "E1", paid(&reference)).await.text("bookingId").to_owned();
    let second = book(&sys, &show, "E2", paid(&reference)).await.text("bookingId").to_owned();
    sys.call("POST", &format!("/bookings/{second}/cancel"), Value::Null).await.expect(200);
    let id = refund_of(&second, &reference);
    let get = sys.dynamo().get_item().table_name(servers::TABLE).set_key(Some(keys::refund(id).attributes()));
    let item = get.consistent_read(true).send().await.unwrap().item.unwrap();
    let text = |name: &str| item[name].as_s().unwrap().clone();
    assert_eq!((text("event"), text("refund"), text("standing")), ("RefundDue".to_owned(), id.to_string(), stands));
    assert_eq!(item["holdFound"].as_bool(), Ok(&true));
    // It stands between quotes in the event.
    assert_eq!(serde_json::from_str::<String>(&format!("\"{}\"", text("eventReference"))).unwrap(), reference);
}
