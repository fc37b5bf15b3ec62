//! The judges know what becomes of a booking, and of its payment: cancelled, restored, and what is due back.

use aws_sdk_dynamodb::types::AttributeValue;
use holdfast::adapters::dynamo::keys::{self, Key};
use holdfast::domain::{BookingId, RefundId, ShowId};
use holdfast_tests::invariants::{assert_agreement, faults};
use holdfast_tests::loaded;
use holdfast_tests::servers::TABLE;
use holdfast_tests::sys::{Sys, paid};
use serde_json::json;

/// A show with a paid booking of `E1`.
struct Booked {
    sys: Sys,
    show: String,
    id: BookingId,
}

impl Booked {
    async fn open() -> Booked {
        let sys = Sys::shared().await;
        let show = sys.define(json!({})).await;
        let token = sys.hold(&show, &["E1"]).await.text("holdToken").to_owned();
        let booking = sys.confirm(&show, &token, paid("pay_1")).await;
        let id = BookingId::parse(booking.text("bookingId")).unwrap();
        let booked = Booked { sys, show, id };
        booked.is_sound().await;
        booked
    }

    async fn is_sound(&self) {
        assert_agreement(&self.sys, &self.show).await;
    }

    async fn becomes(&self, action: &str) {
        let path = format!("/bookings/{}/{action}", self.id);
        self.sys.call("POST", &path, json!({})).await.expect(200);
        self.is_sound().await;
    }

    async fn is_condemned(&self, words: &[&str]) {
        let faults = faults(&self.sys, &self.show).await;
        assert!(words.iter().all(|word| faults.iter().any(|fault| fault.contains(word))), "{words:?} in {faults:#?}");
    }

    async fn put(&self, key: &Key, attributes: &[(&str, AttributeValue)]) {
        let put = self.sys.dynamo().put_item().table_name(TABLE).set_item(Some(key.attributes()));
        let put = attributes.iter().fold(put, |put, (name, value)| put.item(*name, value.clone()));
        put.send().await.unwrap();
    }

    async fn delete(&self, key: &Key) {
        let delete = self.sys.dynamo().delete_item().table_name(TABLE).set_key(Some(key.attributes()));
        delete.send().await.unwrap();
    }

    fn refund(&self) -> Key {
        keys::refund(RefundId::of(self.id, "pay_1"))
    }

    fn entry(&self) -> Key {
        keys::refund_entry(RefundId::of(self.id, "pay_1"))
    }

    async fn list(&self) {
        self.put(&self.entry(), &[]).await;
    }
}

#[tokio::test]
async fn a_cancel_a_restore_and_a_settlement_are_sound() {
    let booked = Booked::open().await;
    for action in ["cancel", "restore", "cancel"] {
        booked.becomes(action).await;
    }
    booked.sys.settle(&booked.id.to_string(), "pay_1").await.expect(200);
    booked.is_sound().await;
}

#[tokio::test]
async fn a_cancelled_booking_that_keeps_a_place() {
    let booked = Booked::open().await;
    booked.becomes("cancel").await;
    let place = keys::sold_place(&ShowId::parse(&booked.show).unwrap(), "E1");
    let booking = AttributeValue::S(booked.id.to_string());
    booked.put(&place, &[("booking", booking), ("version", AttributeValue::N("2".to_owned()))]).await;
    booked.is_condemned(&["INV-1: E1"]).await;
}

#[tokio::test]
async fn a_cancelled_payment_that_nobody_gives_back() {
    let booked = Booked::open().await;
    booked.becomes("cancel").await;
    booked.delete(&booked.entry()).await;
    booked.is_condemned(&["is due, listed as due: false"]).await;
    booked.delete(&booked.refund()).await;
    booked.is_condemned(&["INV-10: the payment of"]).await;
}

#[tokio::test]
async fn a_restored_payment_that_is_due_all_the_same() {
    let booked = Booked::open().await;
    booked.becomes("cancel").await;
    booked.becomes("restore").await;
    booked.list().await;
    booked.is_condemned(&["is withdrawn, listed as due: true"]).await;
    booked.delete(&booked.refund()).await;
    booked.is_condemned(&["INV-10: the payment of"]).await;
}

#[tokio::test]
async fn a_refund_of_no_booking() {
    let booked = Booked::open().await;
    let other = BookingId::of(&ShowId::parse(&booked.show).unwrap(), loaded::any_token());
    let text = |text: &str| AttributeValue::S(text.to_owned());
    let attributes = [
        ("reference", text("pay_2")),
        ("booking", text(&other.to_string())),
        ("show", text(&booked.show)),
        ("status", text("settled")),
    ];
    booked.put(&keys::refund(RefundId::of(other, "pay_2")), &attributes).await;
    booked.is_condemned(&["is of no booking"]).await;
}
