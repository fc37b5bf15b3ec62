//! What an event is about, made for it.

use holdfast::domain::{BookingId, RefundId};
use serde_json::Value;

use super::value;
use crate::servers::fresh_show_id;
use crate::sys::Sys;

const SHOW: &str = "demo";
const TOKEN: &str = "6f9c0f6e-5b0a-4c7e-9d52-0c1a7d3f2b11";
/// What that token's booking is called in that show.
const BOOKING: &str = "81fbe478-faae-8a8a-84b7-6b10983f8485";
/// What the refund of that booking's payment is called, once it is cancelled.
const REFUND: &str = "3f0a9a1e-52c4-8b8e-9d7a-1c2f4e6a8b90";
/// Routes that ask for a booking without naming it, or for one that was cancelled.
const BOOKED: &str = "GET /shows/{showId}/bookings";
const CANCELLED: [&str; 3] = ["GET /refunds", "POST /refunds/{refundId}/settle", "POST /bookings/{bookingId}/restore"];

/// What the events call something, and what it is really called.
pub(super) struct Names(Vec<(&'static str, String)>);

impl Names {
    /// An event with the real names.
    pub fn given(&self, event: String) -> String {
        self.0.iter().fold(event, |event, (name, real)| match *name {
            SHOW => event.replace("\"demo\"", &format!("\"{real}\"")).replace("/shows/demo", &format!("/shows/{real}")),
            name => event.replace(name, real),
        })
    }

    /// An answer with the names of the events.
    pub fn taken_back(&self, answer: String) -> String {
        self.0.iter().fold(answer, |answer, (name, real)| answer.replace(real.as_str(), name))
    }
}

/// The route that an event came by, in either format of its payload.
pub(super) fn route(event: &str) -> String {
    let event: Value = serde_json::from_str(event).unwrap();
    match (event["routeKey"].as_str(), event["httpMethod"].as_str(), event["resource"].as_str()) {
        (Some(key), ..) => key.to_owned(),
        (None, Some(method), Some(resource)) => format!("{method} {resource}"),
        _ => String::new(),
    }
}

/// Makes what an event is about.
pub(super) async fn set_up(sys: &Sys, event: &str) -> Names {
    let (show, route) = (fresh_show_id(), route(event));
    let mut names = vec![(SHOW, show.clone())];
    if route == "PUT /shows/{showId}" {
        return Names(names);
    }
    let cancelled = CANCELLED.contains(&&*route);
    let booked = cancelled || route == BOOKED || event.contains(BOOKING);
    let body = |path: &str| serde_json::from_str(value(path)["body"].as_str().unwrap()).unwrap();
    sys.call("PUT", &format!("/shows/{show}"), body("define-show/put.json")).await.expect(201);
    if booked || event.contains(TOKEN) {
        let token = sys.hold(&show, &["E7", "E8"]).await.text("holdToken").to_owned();
        if booked {
            let booking = sys.confirm(&show, &token, body("confirm/ok.json")).await.text("bookingId").to_owned();
            if cancelled {
                let id = BookingId::parse(&booking).unwrap();
                names.push((REFUND, RefundId::of(id, "pay_81").to_string()));
                sys.call("POST", &format!("/bookings/{booking}/cancel"), Value::Null).await.expect(200);
            }
            names.push((BOOKING, booking));
        }
        names.push((TOKEN, token));
    }
    Names(names)
}
