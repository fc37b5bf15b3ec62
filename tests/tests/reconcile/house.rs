//! A show whose two stores come apart, by the product and past it, and what a reconcile of it tells.

use holdfast::adapters::redis::keys;
use holdfast::domain::payment::Payments;
use holdfast::domain::{
    Booking, BookingId, Buyer, Claim, Decision, HoldToken, Payment, Pin, Places, Repairs, ShowId, Verdict, ZoneId,
};
use holdfast::{Stores, Touch};
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::loaded;
use holdfast_tests::poll::until;
use holdfast_tests::sys::{Sys, paid};
use redis::aio::MultiplexedConnection;
use serde_json::{Value, json};

/// A show on the shared stores.
pub struct House {
    pub sys: Sys,
    pub show: String,
    pub id: ShowId,
    pub redis: MultiplexedConnection,
}

/// The places of one drift: a row of five seats, and a zone of ten units.
#[derive(Clone, Copy, Debug)]
pub struct Plot(pub char);

impl Plot {
    /// `A2`
    pub fn seat(self, number: u32) -> String {
        format!("{}{number}", self.0)
    }

    /// `ZA`
    pub fn zone(self) -> String {
        format!("Z{}", self.0)
    }

    pub fn zone_id(self) -> ZoneId {
        ZoneId::parse(&self.zone()).unwrap()
    }

    /// Seats by their numbers.
    pub fn seats(self, numbers: &[u32]) -> Places {
        let seats: Vec<String> = numbers.iter().map(|number| self.seat(*number)).collect();
        Places::from_stored("", &seats.join(" ")).unwrap()
    }

    /// Units by their numbers.
    pub fn units(self, numbers: &[u32]) -> Places {
        Places::Units { zone: self.zone_id(), numbers: numbers.to_vec() }
    }
}

impl House {
    /// With one plot, on stores that are shared.
    pub async fn open() -> (House, Plot) {
        let plot = Plot('A');
        (House::on(Sys::shared().await, &[plot]).await, plot)
    }

    pub async fn on(sys: Sys, plots: &[Plot]) -> House {
        let rows: Vec<Value> = plots.iter().map(|plot| json!({"id": plot.0, "from": 1, "to": 5})).collect();
        let zones: Vec<Value> = plots.iter().map(|plot| json!({"id": plot.zone(), "capacity": 10})).collect();
        let show = sys.define(json!({"sections": [{"id": "stalls", "rows": rows}], "zones": zones})).await;
        let (id, redis) = (ShowId::parse(&show).unwrap(), sys.redis().await);
        House { sys, show, id, redis }
    }

    pub fn stores(&self) -> Stores {
        self.sys.app().stores(loaded::deadline())
    }

    /// A reconcile of this show: its part of the report.
    pub async fn reconcile(&self, dry_run: bool) -> Value {
        let report = self.sys.reconcile(json!({"showId": self.show, "dryRun": dry_run})).await;
        assert_eq!((&report["complete"], &report["errors"]), (&json!(true), &json!([])), "{report}");
        assert_eq!(report["dryRun"], dry_run);
        let [show] = report["shows"].as_array().unwrap().as_slice() else { panic!("one show: {report}") };
        assert_eq!(show["showId"], self.show);
        show.clone()
    }

    /// Fails the test unless a dry run and the run after it tell of these repairs, and one more repairs nothing.
    pub async fn is_repaired(&self, repairs: Repairs) -> Value {
        let told = self.reconcile(true).await;
        assert_eq!(told["repairs"], json!(repairs), "the dry run: {told}");
        assert_eq!(told["drift"], repairs.drift());
        let done = self.reconcile(false).await;
        assert_eq!(done, told, "a dry run tells what the run after it does");
        let again = self.reconcile(false).await;
        assert_eq!((&again["repairs"], &again["drift"]), (&json!(Repairs::default()), &json!(0)), "the second run");
        assert_agreement(&self.sys, &self.show).await;
        done
    }

    /// Holds seats, and answers the token.
    pub async fn hold(&self, plot: Plot, numbers: &[u32]) -> String {
        let seats: Vec<String> = numbers.iter().map(|number| plot.seat(*number)).collect();
        let seats: Vec<&str> = seats.iter().map(String::as_str).collect();
        self.sys.hold(&self.show, &seats).await.expect(201)["holdToken"].as_str().unwrap().to_owned()
    }

    /// Holds the first units of a zone that nobody has, and answers the token.
    pub async fn take(&self, plot: Plot, quantity: u64) -> String {
        let taken = self.sys.decrement(&self.show, &plot.zone(), quantity).await.expect(201);
        taken["holdToken"].as_str().unwrap().to_owned()
    }

    /// Holds seats and sells them, and answers the token and the booking.
    pub async fn sell(&self, plot: Plot, numbers: &[u32]) -> (String, String) {
        let token = self.hold(plot, numbers).await;
        let booking = self.sys.confirm(&self.show, &token, paid(&format!("pay_{token}"))).await.expect(201);
        (token, booking["bookingId"].as_str().unwrap().to_owned())
    }

    /// The first step of a confirm that dies after it.
    pub async fn pin(&self, token: &str, places: &Places, payment: bool) {
        let payment = payment.then(|| payment_of(token));
        let claim = Claim { payments: Payments::of(payment.as_ref()), ..Claim::default() };
        let token = HoldToken::from_stored(token).unwrap();
        self.pin_as(token, places, &claim, None).await;
    }

    pub async fn pin_as(&self, token: HoldToken, places: &Places, claim: &Claim, restores: Option<BookingId>) {
        let pinned = self.stores().redis.pin_hold(&self.id, token, places, claim, restores).await.unwrap();
        assert!(matches!(pinned, Touch::Known(Pin::Pinned(_))), "{pinned:?}");
    }

    /// The second step, of which Redis is not told: places that DynamoDB has as sold.
    pub async fn record(&self, token: &str, places: &Places) -> Booking {
        let booking = Booking {
            id: BookingId::of(&self.id, HoldToken::from_stored(token).unwrap()),
            show: self.id.clone(),
            decision: Decision::Confirmed,
            places: Some(places.clone()),
            first: None,
            buyer: Buyer::default(),
            payment: Some(payment_of(token)),
            order: None,
            decided_at_ms: 1_796_000_000_123,
            hold_found: true,
            version: 1,
            sold_version: 1,
        };
        let verdict = self.stores().record.decide_booking(&booking).await.unwrap();
        assert!(matches!(verdict, Verdict::Written), "{verdict:?}");
        booking
    }

    /// Waits until a hold has lapsed.
    pub async fn lapses(&self, token: &str) {
        until("the hold lapses", || async {
            let status = self.sys.hold_status(&self.show, token).await.expect(200);
            (status["state"] == "expired").then_some(())
        })
        .await;
    }

    /// What a hold is told to be.
    pub async fn state(&self, token: &str) -> String {
        let status = self.sys.hold_status(&self.show, token).await.expect(200);
        status["state"].as_str().unwrap().to_owned()
    }

    /// Fails the test unless each of these seats can be held, by somebody who gives it back.
    pub async fn are_for_sale(&self, plot: Plot, numbers: &[u32]) {
        let token = self.hold(plot, numbers).await;
        self.sys.release(&self.show, &token).await.expect(204);
    }

    /// Fails the test unless each of these seats is told to be sold.
    pub async fn are_sold(&self, plot: Plot, numbers: &[u32]) {
        for number in numbers {
            let refused = self.sys.hold(&self.show, &[&plot.seat(*number)]).await;
            let refused = refused.expect_problem(409, "seat_unavailable");
            assert_eq!(refused["seats"][0]["reason"], "sold", "{refused}");
        }
    }

    /// Fails the test unless a paid token is booked, whoever may still buy.
    pub async fn is_booked(&self, token: &str) {
        let booking = self.sys.confirm(&self.show, token, paid(&format!("pay_{token}"))).await.expect(200);
        assert_eq!(booking["status"], "confirmed");
    }

    /// What is left of a zone.
    pub async fn left(&self, plot: Plot) -> u64 {
        let stock = self.sys.get(&format!("/shows/{}/stock/{}", self.show, plot.zone())).await.expect(200);
        stock["remaining"].as_u64().unwrap()
    }

    /// Lets Redis lose a hold of units, and what became of it: as if they had come back.
    pub async fn forget_units(&self, token: &str, plot: Plot, numbers: &[u32]) {
        let (zone, token) = (plot.zone_id(), HoldToken::from_stored(token).unwrap());
        let mut pipe = redis::pipe();
        pipe.atomic().del(keys::hold(&self.id, token)).del(keys::booking(&self.id, BookingId::of(&self.id, token)));
        pipe.zrem(keys::confirming(&self.id), token.to_string());
        for number in numbers {
            pipe.zrem(keys::held(&self.id), format!("{zone}-{number}"));
            pipe.zrem(keys::stock_held(&self.id, &zone), number).hdel(keys::stock_holders(&self.id, &zone), number);
            pipe.hdel(keys::stock_sold(&self.id, &zone), number);
            pipe.zadd(keys::stock_returned(&self.id, &zone), number, number);
        }
        pipe.set(keys::stock(&self.id, &zone), 10);
        let _: () = pipe.query_async(&mut self.redis.clone()).await.unwrap();
    }

    /// Sets what Redis says of a seat.
    pub async fn set_seat(&self, seat: &str, booking: &str) {
        self.raw(redis::cmd("HSET").arg(keys::seats(&self.id)).arg(seat).arg(booking)).await;
    }

    /// Runs a command on Redis.
    pub async fn raw(&self, command: &redis::Cmd) {
        let _: redis::Value = command.query_async(&mut self.redis.clone()).await.unwrap();
    }
}

/// The payment that comes with a token.
pub fn payment_of(token: &str) -> Payment {
    serde_json::from_value(paid(&format!("pay_{token}"))["payment"].clone()).unwrap()
}

/// A booking that nobody has made.
pub fn nobodys() -> String {
    uuid::Uuid::new_v4().to_string()
}
