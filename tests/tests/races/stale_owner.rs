//! An owner whose hold lapsed comes back, in every order of calls, when somebody else has the place.

use holdfast_tests::image::Image;
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::poll::until;
use holdfast_tests::sys::{Answer, Client, Sys, paid};
use serde_json::json;
use tokio::task::JoinSet;

use super::crowd::{CLIENTS, Race};

#[derive(Debug, Clone, Copy)]
enum Come {
    Release,
    Extend,
    Confirm,
}

use Come::{Confirm, Extend, Release};

const ORDERS: [[Come; 3]; 6] = [
    [Release, Extend, Confirm],
    [Release, Confirm, Extend],
    [Extend, Release, Confirm],
    [Extend, Confirm, Release],
    [Confirm, Release, Extend],
    [Confirm, Extend, Release],
];

/// What is fought over: a seat, or the one unit of a zone.
#[derive(Debug, Clone, Copy)]
enum Place {
    Seat,
    Unit,
}

impl Place {
    async fn hold(self, client: &Client, show: &str, ttl_seconds: u64) -> Answer {
        match self {
            Place::Seat => client.hold_for(show, &["E7"], ttl_seconds).await,
            Place::Unit => {
                let body = json!({"quantity": 1, "ttlSeconds": ttl_seconds});
                client.call("POST", &format!("/shows/{show}/stock/GA/decrement"), body).await
            }
        }
    }
}

/// What the next owner has done when the stale one comes.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Next {
    Holds,
    Confirmed,
}

/// A lets a hold lapse, and B has the place. Then A comes in this order: refused each time, and nothing of B changes.
async fn case(sys: &Sys, [a, b]: [Client; 2], place: Place, next: Next, order: [Come; 3]) {
    let what = format!("{order:?} of a stale owner, when the next one {next:?} the {place:?}");
    let show = a.define(json!({"zones": [{"id": "GA", "capacity": 1}]})).await;
    let stale = place.hold(&a, &show, 1).await.text("holdToken").to_owned();
    let owner = until("the hold lapses", || async {
        let answer = place.hold(&b, &show, 300).await;
        (answer.status == 201).then(|| answer.text("holdToken").to_owned())
    })
    .await;
    if next == Next::Confirmed {
        b.confirm(&show, &owner, paid("pay_b")).await.expect(201);
    }
    let mut redis = sys.redis().await;
    let before = Image::without(&mut redis, &show, &stale).await;
    for come in order {
        let answer = match come {
            Release => a.release(&show, &stale).await,
            Extend => a.extend(&show, &stale, 600).await,
            Confirm => a.confirm(&show, &stale, paid("pay_a")).await,
        };
        let refused = answer.expect_problem(409, "hold_lost");
        if matches!(come, Confirm) {
            assert_eq!(refused["refund"], json!({"reference": "pay_a", "status": "due"}), "{what}");
        }
        before.assert_same(&Image::without(&mut redis, &show, &stale).await, &what);
    }
    // And what the next owner has is worth what it was.
    match next {
        Next::Holds => b.confirm(&show, &owner, paid("pay_b")).await.expect(201),
        Next::Confirmed => b.confirm(&show, &owner, paid("pay_b")).await.expect(200),
    };
    place.hold(&a, &show, 1).await.expect(409);
    assert_agreement(sys, &show).await;
}

async fn every_order(next: Next) {
    let sys = std::sync::Arc::new(Race::start().await);
    // Some at a time: each loads a show of its own.
    for (at, orders) in ORDERS.chunks(2).enumerate() {
        let mut cases = JoinSet::new();
        for (of, order) in orders.iter().enumerate() {
            for (which, place) in [Place::Seat, Place::Unit].into_iter().enumerate() {
                let first = 4 * at + 2 * of + which;
                let pair = [first, first + 3].map(|client| sys.environments[client % CLIENTS].clone());
                let (sys, order) = (std::sync::Arc::clone(&sys), *order);
                cases.spawn(async move { case(&sys, pair, place, next, order).await });
            }
        }
        cases.join_all().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pitfall_2_a_stale_owner_changes_nothing_of_the_next_ones_booking() {
    every_order(Next::Confirmed).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pitfall_6_a_stale_owner_changes_nothing_of_the_next_ones_hold() {
    every_order(Next::Holds).await;
}
