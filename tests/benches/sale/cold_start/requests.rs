//! What each function is asked: the request that it is there for, where it changes something on places of its own.

use holdfast_tests::runtime_api::Deployment;
use holdfast_tests::sys::{Sys, paid};
use serde_json::{Value, json};

/// Seats of the show, in rows of a hundred.
const ROWS: usize = 200;

/// The functions and what they are asked about.
pub struct Requests {
    sys: Sys,
    deployment: Deployment,
    show: String,
    /// A show of thirty places, for what looks at all of them.
    small_show: String,
    next_seat: usize,
    /// A hold that is only ever extended, a booking that is only ever read, and a refund that is settled time and again.
    held: String,
    booking: String,
    refund: String,
}

impl Requests {
    /// Defines the show.
    pub async fn about_a_show(sys: Sys, deployment: Deployment) -> Requests {
        let rows: Vec<Value> = (1..=ROWS).map(|row| json!({"id": format!("R{row}-"), "from": 1, "to": 100})).collect();
        let layout = json!({"sections": [{"id": "all", "rows": rows}], "zones": [{"id": "GA", "capacity": 50_000}]});
        let (show, small_show) = (sys.define(layout).await, sys.define(json!({})).await);
        let [held, booking, refund] = [(); 3].map(|()| String::new());
        let mut this = Requests { sys, deployment, show, small_show, next_seat: 0, held, booking, refund };
        this.held = this.hold().await;
        this.booking = this.book("pay_1").await;
        let cancelled = this.book("pay_2").await;
        this.sys.call("POST", &format!("/bookings/{cancelled}/cancel"), Value::Null).await.expect(200);
        this.refund = format!("pay_2/{cancelled}");
        this
    }

    /// The functions.
    pub fn deployment(&self) -> &Deployment {
        &self.deployment
    }

    /// So many events for a function, each of which it answers with success.
    pub async fn events(&mut self, function: &str, count: usize) -> Vec<String> {
        let mut events = Vec::new();
        for _ in 0..count {
            events.push(self.event(function).await);
        }
        events
    }

    async fn event(&mut self, function: &str) -> String {
        let show = format!("/shows/{}", self.show);
        let (method, path, body) = match function {
            "hold" => ("POST", format!("{show}/holds"), json!({"seats": [self.seat()]})),
            "extend" => ("PATCH", format!("{show}/holds/{}", self.held), json!({"ttlSeconds": 600})),
            "release" => ("DELETE", format!("{show}/holds/{}", self.hold().await), Value::Null),
            "confirm" => {
                let token = self.hold().await;
                ("POST", format!("{show}/holds/{token}/confirm"), paid(&token))
            }
            "stock-decrement" => ("POST", format!("{show}/stock/GA/decrement"), json!({"quantity": 1})),
            "bookings" => ("GET", format!("/bookings/{}", self.booking), Value::Null),
            "refunds" => ("POST", format!("/refunds/{}/settle", self.refund), Value::Null),
            "define-show" => ("GET", show, Value::Null),
            "fallback" => ("GET", "/nowhere".to_owned(), Value::Null),
            "reconcile" => return json!({"showId": self.small_show, "dryRun": true}).to_string(),
            other => panic!("what is {other} asked?"),
        };
        self.deployment.event(method, &path, body).1
    }

    fn seat(&mut self) -> String {
        self.next_seat += 1;
        format!("R{}-{}", self.next_seat.div_ceil(100), (self.next_seat - 1) % 100 + 1)
    }

    async fn book(&mut self, reference: &str) -> String {
        let token = self.hold().await;
        self.sys.confirm(&self.show, &token, paid(reference)).await.text("bookingId").to_owned()
    }

    async fn hold(&mut self) -> String {
        let seat = self.seat();
        self.sys.hold(&self.show, &[&seat]).await.text("holdToken").to_owned()
    }
}
