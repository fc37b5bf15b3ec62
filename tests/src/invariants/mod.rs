//! The judges of a final state: what has to hold of both stores, whatever happened before.
//!
//! They read the stores themselves, past the operations, each store at one instant (`arbiter` reads Redis, `ledger`
//! DynamoDB), and then compare. A hold that lapses in that moment is judged by neither side.
//!
//! [`assert_invariants`] holds at any instant without a call under way; [`assert_agreement`] only after every confirm
//! has come to its end, or a reconcile has brought it there (INV-9, INV-11).

mod arbiter;
mod bookings;
mod ledger;
mod seats;
mod units;

use aws_sdk_dynamodb::Client;
use holdfast::domain::ShowId;
use redis::aio::MultiplexedConnection;

use crate::sys::Sys;
use arbiter::Arbiter;
use ledger::Ledger;

/// Around its deadline a hold is neither certainly live nor certainly lapsed.
const MARGIN_MS: i64 = 100;

/// What both stores have of a show.
#[derive(Debug)]
struct State {
    show: ShowId,
    arbiter: Arbiter,
    ledger: Ledger,
}

impl State {
    async fn of(sys: &Sys, show: &str) -> State {
        State::read(&mut sys.redis().await, &sys.dynamo(), show).await
    }

    async fn read(redis: &mut MultiplexedConnection, dynamo: &Client, show: &str) -> State {
        let show = ShowId::parse(show).unwrap();
        let ledger = Ledger::read(dynamo, &show).await;
        let arbiter = Arbiter::read(redis, &show, &ledger.zones).await;
        State { show, arbiter, ledger }
    }

    fn faults(&self) -> Vec<String> {
        let State { arbiter, ledger, .. } = self;
        [bookings::judge(ledger), seats::judge(arbiter), units::judge(arbiter, &ledger.zones)].concat()
    }

    fn disagreements(&self) -> Vec<String> {
        let payments = bookings::judge_payments(&self.ledger, &self.show);
        [bookings::judge_agreement(&self.arbiter, &self.ledger), payments].concat()
    }
}

/// Judges INV-1, 2, 3, 5, 6, 7 and 10 on what both stores have of a show.
///
/// # Panics
/// With everything that is wrong.
pub async fn assert_invariants(sys: &Sys, show: &str) {
    let faults = faults(sys, show).await;
    assert!(faults.is_empty(), "show {show}:\n  {}", faults.join("\n  "));
}

/// Judges what [`assert_invariants`] does, that both stores agree on what is sold, that no live hold has a sold place, and that
/// each payment that was ever sent is on record.
///
/// # Panics
/// With everything that is wrong.
pub async fn assert_agreement(sys: &Sys, show: &str) {
    assert_agreement_in(&mut sys.redis().await, &sys.dynamo(), show).await;
}

/// The same of a show that this server has, which may be one of a cluster.
///
/// # Panics
/// With everything that is wrong.
pub async fn assert_agreement_in(redis: &mut MultiplexedConnection, dynamo: &Client, show: &str) {
    let state = State::read(redis, dynamo, show).await;
    let faults = [state.faults(), state.disagreements()].concat();
    assert!(faults.is_empty(), "show {show}:\n  {}", faults.join("\n  "));
}

/// What [`assert_invariants`] finds.
pub async fn faults(sys: &Sys, show: &str) -> Vec<String> {
    State::of(sys, show).await.faults()
}

/// What [`assert_agreement`] finds besides.
pub async fn disagreements(sys: &Sys, show: &str) -> Vec<String> {
    State::of(sys, show).await.disagreements()
}
