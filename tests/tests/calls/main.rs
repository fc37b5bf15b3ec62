//! What each call costs, counted at the servers: top-level commands at Redis (MONITOR), requests at a front before
//! DynamoDB. The show is loaded, and the scripts are cached.

mod units;

use holdfast_tests::dynamo_front::Front;
use holdfast_tests::image::lose_hold;
use holdfast_tests::loaded::{any_token, issued_token};
use holdfast_tests::poll::until;
use holdfast_tests::servers;
use holdfast_tests::sys::{Answer, Sys, paid};
use serde_json::{Value, json};

/// A system whose calls are counted.
struct Counted {
    sys: Sys,
    front: Front,
    show: String,
}

/// What a call cost: commands at Redis, by the scripts that they ran, and operations of DynamoDB.
struct Cost {
    answer: Answer,
    redis: Vec<Option<&'static str>>,
    dynamo: Vec<String>,
}

impl Counted {
    /// With a show that is loaded, and every script of these calls run once.
    async fn start() -> Counted {
        let front = Front::start(&servers::dynamo().await.endpoint()).await;
        // A call that a busy machine made time out and repeat would be counted twice.
        let vars = ["REQUEST_BUDGET_MS", "REDIS_RESPONSE_TIMEOUT_MS", "DYNAMODB_RESPONSE_TIMEOUT_MS"]
            .map(|name| (name, "4500"));
        let sys = Sys::with(&servers::redis().url(), &front.endpoint(), &vars);
        let show = sys.define(json!({})).await;
        let counted = Counted { sys, front, show };
        let given_back = counted.hold("E20").await;
        counted.sys.extend(&counted.show, &given_back, 600).await.expect(200);
        counted.sys.release(&counted.show, &given_back).await.expect(204);
        counted.sys.confirm(&counted.show, &given_back, paid("pay_0")).await.expect(409);
        counted.sys.decrement(&counted.show, "GA", 1).await.expect(201);
        counted.sys.get(&format!("/shows/{}/stock/GA", counted.show)).await.expect(200);
        let doomed = counted.doomed("E20").await;
        counted.confirm(&doomed, Value::Null).await.answer.expect(409);
        counted
    }

    async fn hold(&self, seat: &str) -> String {
        self.sys.hold(&self.show, &[seat]).await.text("holdToken").to_owned()
    }

    /// A hold that the guard will refuse: Redis has lost a sale, and granted the seat again.
    async fn doomed(&self, seat: &str) -> String {
        let owner = self.hold(seat).await;
        self.confirm(&owner, Value::Null).await.answer.expect(201);
        lose_hold(&mut self.sys.redis().await, &self.show, &owner, &[seat]).await;
        self.hold(seat).await
    }

    /// A hold that lapsed, and whose seat somebody else has.
    async fn stale(&self, seat: &str) -> String {
        let token = self.sys.hold_for(&self.show, &[seat], 1).await.text("holdToken").to_owned();
        until("the hold lapses", || async { (self.sys.hold(&self.show, &[seat]).await.status == 201).then_some(()) })
            .await;
        token
    }

    /// A payment that no other test knows.
    fn paid(&self, number: &str) -> Value {
        paid(&format!("pay_{number}_{}", self.show))
    }

    async fn confirm(&self, token: &str, body: Value) -> Cost {
        self.count(self.sys.confirm(&self.show, token, body)).await
    }

    /// Counts what a call sends to either store.
    async fn count(&self, call: impl Future<Output = Answer>) -> Cost {
        let mark = self.sys.monitor().mark();
        self.front.reset_counts();
        let answer = call.await;
        let seen = self.sys.monitor().seen_of_show(mark, &self.show);
        let redis = seen.into_iter().map(|command| command.script).collect();
        Cost { answer, redis, dynamo: self.front.operations() }
    }
}

impl Cost {
    /// Fails the test if the call cost more than these round trips, or ended otherwise.
    #[track_caller]
    fn is(self, status: u16, redis: usize, dynamo: usize) {
        assert_eq!(self.answer.status, status, "{}", self.answer.body);
        assert!(self.redis.len() <= redis && !self.redis.is_empty(), "Redis was asked {:?}", self.redis);
        assert_eq!(self.dynamo.len(), dynamo, "DynamoDB was asked {:?}", self.dynamo);
    }
}

#[tokio::test]
async fn a_hold_is_one_round_trip_whatever_it_ends_in() {
    let counted = Counted::start().await;
    let (sys, show) = (&counted.sys, &counted.show);
    counted.count(sys.hold(show, &["E1", "E2", "E3"])).await.is(201, 1, 0);
    counted.count(sys.hold(show, &["E3", "E4"])).await.is(409, 1, 0);
    counted.count(sys.hold(show, &["E21"])).await.is(404, 1, 0);
}

#[tokio::test]
async fn a_decrement_is_one_round_trip_whatever_it_ends_in() {
    let counted = Counted::start().await;
    let (sys, show) = (&counted.sys, &counted.show);
    counted.count(sys.decrement(show, "GA", 2)).await.is(201, 1, 0);
    counted.count(sys.decrement(show, "GA", 9)).await.is(409, 1, 0);
    counted.count(sys.get(&format!("/shows/{show}/stock/GA"))).await.is(200, 1, 0);
}

#[tokio::test]
async fn extend_release_and_status_are_two_round_trips_at_most() {
    let counted = Counted::start().await;
    let (sys, show) = (&counted.sys, &counted.show);
    let seats = counted.hold("E1").await;
    let units = sys.decrement(show, "GA", 2).await.text("holdToken").to_owned();
    for token in [seats, units] {
        counted.count(sys.hold_status(show, &token)).await.is(200, 1, 0);
        counted.count(sys.extend(show, &token, 600)).await.is(200, 2, 0);
        counted.count(sys.release(show, &token)).await.is(204, 2, 0);
        counted.count(sys.release(show, &token)).await.is(204, 2, 0);
        counted.count(sys.extend(show, &token, 600)).await.is(409, 2, 0);
    }
}

#[tokio::test]
async fn a_confirm_is_three_round_trips_and_one_transaction() {
    let counted = Counted::start().await;
    let (sys, show) = (&counted.sys, &counted.show);
    let units = sys.decrement(show, "GA", 2).await.text("holdToken").to_owned();
    let tokens = [
        (counted.hold("E1").await, Value::Null),
        (counted.hold("E2").await, counted.paid("1")),
        (units, counted.paid("2")),
    ];
    for (token, body) in tokens {
        counted.confirm(&token, body.clone()).await.is(201, 3, 1);
        // Repeated, it is the booking that is read.
        counted.confirm(&token, body).await.is(200, 1, 1);
    }
}

#[tokio::test]
async fn a_confirm_that_the_guard_refuses_is_three_round_trips_and_two_transactions() {
    let counted = Counted::start().await;
    let paid_one = counted.doomed("E1").await;
    let cost = counted.confirm(&paid_one, counted.paid("1")).await;
    assert_eq!((cost.answer.code(), &cost.answer.body["refund"]["status"]), ("seat_already_sold", &json!("due")));
    // Before money is owed, the other bookings of its payment are asked for.
    assert_eq!(cost.dynamo, ["TransactWriteItems", "Query", "TransactWriteItems"]);
    cost.is(409, 3, 3);
    let unpaid = counted.doomed("E2").await;
    counted.confirm(&unpaid, Value::Null).await.is(409, 3, 2);
}

#[tokio::test]
async fn a_confirm_of_a_hold_that_is_lost_is_three_round_trips_at_most() {
    let counted = Counted::start().await;
    let stale = counted.stale("E1").await;
    // Without a payment nothing is at stake, and nothing is written: the record is read.
    let cost = counted.confirm(&stale, Value::Null).await;
    assert_eq!(cost.dynamo, ["GetItem"]);
    cost.is(409, 2, 1);
    let cost = counted.confirm(&stale, counted.paid("1")).await;
    assert_eq!((cost.answer.code(), &cost.answer.body["refund"]["status"]), ("hold_lost", &json!("due")));
    assert_eq!(cost.dynamo, ["Query", "TransactWriteItems"]);
    cost.is(409, 3, 2);
    // Repeated, the booking is read, and whether the money is back by now.
    counted.confirm(&stale, counted.paid("1")).await.is(409, 1, 2);
    // A token that was issued and that nobody holds may have a booking.
    counted.confirm(&issued_token(&counted.show), counted.paid("2")).await.is(409, 1, 3);
    // One that was never issued is refused before either store is asked.
    let Cost { answer, redis, dynamo } = counted.confirm(&any_token().to_string(), counted.paid("3")).await;
    assert_eq!((answer.code(), redis.len(), dynamo.len()), ("hold_lost", 0, 0));
}

/// A cancel tells Redis; a restore holds first, as a confirm does. A repeat tells Redis again, and writes nothing.
#[tokio::test]
async fn a_cancel_is_one_transaction_and_a_restore_is_one() {
    let counted = Counted::start().await;
    let (sys, show) = (&counted.sys, &counted.show);
    let units = sys.decrement(show, "GA", 2).await.text("holdToken").to_owned();
    // Whether the money of a paid one is back by now is read by a repeat.
    for (token, body, refund) in [(counted.hold("E1").await, counted.paid("1"), 1), (units, Value::Null, 0)] {
        let id = counted.confirm(&token, body).await.answer.text("bookingId").to_owned();
        let post = async |action: &str| {
            counted.count(sys.call("POST", &format!("/bookings/{id}/{action}"), Value::Null)).await
        };
        let cost = post("cancel").await;
        let asked = ["GetItem", "Query", "TransactWriteItems"];
        assert!(cost.dynamo.iter().eq(asked.iter().filter(|call| refund == 1 || **call != "Query")));
        cost.is(200, 1, 2 + refund);
        post("cancel").await.is(200, 1, 1 + refund);
        let cost = post("restore").await;
        assert_eq!(cost.dynamo, ["GetItem", "TransactWriteItems"]);
        cost.is(200, 3, 2);
        post("restore").await.is(200, 1, 1);
    }
}
