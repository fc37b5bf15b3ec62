//! The operations: what their callers send, and what a success is.

use holdfast_tests::sys::{Answer, Client, paid};
use hyper::HeaderMap;
use serde_json::{Value, json};

use super::scenes::Scene;

/// An operation, as it is called from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    Hold,
    Decrement,
    Extend,
    Release,
    ConfirmPaid,
    ConfirmUnpaid,
    Cancel,
    Restore,
    /// The first touch of a show that Redis does not have.
    Load,
    /// A PUT that takes places away.
    Replace,
    /// Of a show that has come apart in every way.
    Reconcile,
    /// A run over all shows; there is one, and it is over.
    Schedule,
}

impl Operation {
    /// Whether it is about a whole show, and not about a hold or a booking in it.
    pub fn is_about_a_show(self) -> bool {
        matches!(self, Operation::Load | Operation::Replace | Operation::Reconcile | Operation::Schedule)
    }

    /// Calls it: the first time, and every later time, alike.
    pub async fn act(self, client: &Client, scene: &Scene) -> Answer {
        let Scene { show, seats, zone, token, booking, .. } = scene;
        match self {
            Operation::Hold | Operation::Load => {
                post_with_key(client, &seats[0], &format!("/shows/{show}/holds"), json!({"seats": seats})).await
            }
            Operation::Decrement => {
                post_with_key(client, zone, &format!("/shows/{show}/stock/{zone}/decrement"), json!({"quantity": 2}))
                    .await
            }
            Operation::Extend => client.extend(show, token, 600).await,
            Operation::Release => client.release(show, token).await,
            Operation::ConfirmPaid => client.confirm(show, token, paid("pay_1")).await,
            Operation::ConfirmUnpaid => client.confirm(show, token, json!({})).await,
            Operation::Cancel => client.call("POST", &format!("/bookings/{booking}/cancel"), Value::Null).await,
            Operation::Restore => client.call("POST", &format!("/bookings/{booking}/restore"), Value::Null).await,
            Operation::Replace => {
                let smaller = json!({"name": "Hamlet", "zones": [{"id": "GA", "capacity": 8}],
                    "sections": [{"id": "stalls", "rows": [{"id": "E", "from": 1, "to": 19}]}]});
                client.call("PUT", &format!("/shows/{show}"), smaller).await
            }
            Operation::Reconcile => reported(client.reconcile(json!({"showId": show})).await),
            Operation::Schedule => {
                reported(client.reconcile(json!({"source": "aws.scheduler", "detail-type": "Scheduled Event"})).await)
            }
        }
    }

    /// Fails the test unless this is what a caller is answered whose call came through, the first time or again.
    #[track_caller]
    pub fn assert_success(self, scene: &Scene, answer: &Answer) {
        let Answer { status, body, .. } = answer;
        let is_so = match self {
            Operation::Hold | Operation::Load => {
                (*status, &body["seats"], &body["state"]) == (201, &json!(scene.seats), &json!("active"))
            }
            Operation::Decrement => {
                let units = json!([format!("{}-1", scene.zone), format!("{}-2", scene.zone)]);
                (*status, &body["units"], &body["remaining"]) == (201, &units, &json!(8))
            }
            Operation::Extend => *status == 200 && body["expiresInMs"].as_u64().is_some_and(|ms| ms > 590_000),
            Operation::Release => *status == 204,
            Operation::ConfirmPaid | Operation::ConfirmUnpaid => {
                let is_booking = body["status"] == "confirmed" && body["seats"] == json!(scene.seats);
                // One that meets its own earlier attempt is told as a repeat.
                is_booking && matches!(status, 200 | 201)
            }
            Operation::Cancel => {
                let refund = json!({"reference": "pay_1", "status": "due"});
                (*status, &body["status"], &body["refund"]) == (200, &json!("cancelled"), &refund)
            }
            Operation::Restore => {
                (*status, &body["status"], &body["refund"]) == (200, &json!("confirmed"), &Value::Null)
            }
            Operation::Replace => (*status, &body["version"], &body["places"]) == (200, &json!(2), &json!(27)),
            Operation::Reconcile | Operation::Schedule => *status == 200,
        };
        assert!(is_so, "{self:?} is answered {status} {body}");
    }
}

/// A report as an answer: that of a run which met an error is what a 503 is to others.
fn reported(body: Value) -> Answer {
    let status = if body["complete"] == true && body["errors"] == json!([]) { 200 } else { 503 };
    Answer { status, headers: HeaderMap::new(), body }
}

/// A request that can be sent again: the case's own.
async fn post_with_key(client: &Client, key: &str, path: &str, body: Value) -> Answer {
    let headers = [("content-type", "application/json"), ("x-user-id", "ann"), ("idempotency-key", key)];
    client.call_raw("POST", path, &headers, body.to_string()).await
}
