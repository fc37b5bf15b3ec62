//! A small show for a test, and what a buyer does with it.

use holdfast::domain::{BookingId, RefundId};
use serde_json::{Value, json};

use super::{Answer, Client};
use crate::servers::fresh_show_id;

impl Client {
    /// Defines a show with an id of its own: 20 seats `E1`..`E20`, and a zone `GA` of 10. Each field of `overrides`
    /// replaces the one of that name; one that is `null` is left out.
    ///
    /// # Panics
    /// When the show is not created.
    pub async fn define(&self, overrides: Value) -> String {
        let id = fresh_show_id();
        self.define_as(&id, overrides).await;
        id
    }

    /// The same under a chosen id.
    ///
    /// # Panics
    /// When the show is not created.
    pub async fn define_as(&self, id: &str, overrides: Value) {
        let mut show = json!({
            "name": "Hamlet",
            "sections": [{"id": "stalls", "rows": [{"id": "E", "from": 1, "to": 20}]}],
            "zones": [{"id": "GA", "capacity": 10}],
        });
        for (name, value) in overrides.as_object().into_iter().flatten() {
            show[name] = value.clone();
        }
        show.as_object_mut().unwrap().retain(|_, value| !value.is_null());
        self.call("PUT", &format!("/shows/{id}"), show).await.expect(201);
    }

    /// Asks for seats.
    pub async fn hold(&self, show: &str, seats: &[&str]) -> Answer {
        self.call("POST", &format!("/shows/{show}/holds"), json!({"seats": seats})).await
    }

    /// Asks for seats for so many seconds.
    pub async fn hold_for(&self, show: &str, seats: &[&str], ttl_seconds: u64) -> Answer {
        let body = json!({"seats": seats, "ttlSeconds": ttl_seconds});
        self.call("POST", &format!("/shows/{show}/holds"), body).await
    }

    /// Asks for units of a zone.
    pub async fn decrement(&self, show: &str, zone: &str, quantity: u64) -> Answer {
        self.call("POST", &format!("/shows/{show}/stock/{zone}/decrement"), json!({"quantity": quantity})).await
    }

    /// Asks what is left of a hold.
    pub async fn hold_status(&self, show: &str, token: &str) -> Answer {
        self.get(&format!("/shows/{show}/holds/{token}")).await
    }

    /// Asks for more time.
    pub async fn extend(&self, show: &str, token: &str, ttl_seconds: u64) -> Answer {
        self.call("PATCH", &format!("/shows/{show}/holds/{token}"), json!({"ttlSeconds": ttl_seconds})).await
    }

    /// Gives a hold back.
    pub async fn release(&self, show: &str, token: &str) -> Answer {
        self.call("DELETE", &format!("/shows/{show}/holds/{token}"), Value::Null).await
    }

    /// Confirms a hold; `Null` is a confirm without a payment.
    pub async fn confirm(&self, show: &str, token: &str, body: Value) -> Answer {
        self.call("POST", &format!("/shows/{show}/holds/{token}/confirm"), body).await
    }

    /// Says that the money of a booking's refund is back.
    ///
    /// # Panics
    /// When the booking's is no id.
    pub async fn settle(&self, booking: &str, reference: &str) -> Answer {
        self.call("POST", &format!("/refunds/{}/settle", refund_of(booking, reference)), Value::Null).await
    }
}

/// The id of the refund of a booking and a payment.
///
/// # Panics
/// When the booking's is no id.
pub fn refund_of(booking: &str, reference: &str) -> RefundId {
    RefundId::of(BookingId::parse(booking).unwrap(), reference)
}

/// The body of a confirm with a payment of this reference.
pub fn paid(reference: &str) -> Value {
    json!({"payment": {"reference": reference, "amount": "55000", "currency": "KRW"}})
}
