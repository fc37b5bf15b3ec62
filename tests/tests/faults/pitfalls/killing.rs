//! A process that is killed at a step of an operation: before it, so that the step never happens, or after it.

use std::sync::Arc;
use std::time::Duration;

use holdfast::Deadline;
use holdfast::adapters::redis::scripts;
use holdfast::app::Stores;
use holdfast::domain::{Buyer, HoldToken, Payment, ShowId};
use holdfast::ops::confirm::{ConfirmWish, confirm};
use holdfast_tests::dynamo_front::Front;
use holdfast_tests::gate::Gate;
use holdfast_tests::proxy::Proxy;
use holdfast_tests::sys::Sys;
use serde_json::{Value, json};

const TRANSACTION: &str = "TransactWriteItems";

/// How long a busy machine takes is no part of the question.
pub const PATIENT: [(&str, &str); 4] = [
    ("REQUEST_BUDGET_MS", "3000"),
    ("REDIS_RESPONSE_TIMEOUT_MS", "1500"),
    ("REDIS_CONNECT_TIMEOUT_MS", "1500"),
    ("DYNAMODB_RESPONSE_TIMEOUT_MS", "3000"),
];

/// Where an operation is killed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Killed {
    /// The script never comes to the server.
    BeforeScript(&'static str),
    /// It does, and its reply is not read.
    AfterScript(&'static str),
    /// The same of the first transaction.
    BeforeTransaction,
    /// The same.
    AfterTransaction,
    /// The same of the second one.
    BeforeSecondTransaction,
    /// The same.
    AfterSecondTransaction,
}

use Killed::{
    AfterScript, AfterSecondTransaction, AfterTransaction, BeforeScript, BeforeSecondTransaction, BeforeTransaction,
};

fn wish(show: &str, token: &str, body: &Value) -> ConfirmWish {
    ConfirmWish {
        show: ShowId::parse(show).unwrap(),
        token: HoldToken::from_stored(token).unwrap(),
        payment: serde_json::from_value::<Option<Payment>>(body["payment"].clone()).unwrap(),
        order: None,
        places: None,
        buyer: Buyer::default(),
    }
}

/// Lets an operation run until the gate, and ends it there.
async fn dies_at(gate: &Gate, operation: impl Future<Output = ()> + Send + 'static) {
    let dying = tokio::spawn(operation);
    gate.reached().await;
    dying.abort();
    assert!(dying.await.unwrap_err().is_cancelled());
}

/// A show on stores that can be made to fail, and a process whose connections and scripts are there already.
pub struct Killing {
    /// A process that lives on.
    pub sys: Sys,
    proxy: Proxy,
    front: Front,
    /// The show.
    pub show: String,
}

impl Killing {
    /// A show that nobody has touched.
    pub async fn start() -> Killing {
        let (sys, proxy, front) = Sys::fragile(&PATIENT).await;
        let show = sys.define(json!({})).await;
        Killing { sys, proxy, front, show }
    }

    /// Kills a confirm at a step, with its process.
    pub async fn confirm(&self, step: Killed, token: &str, body: &Value) {
        let wish = wish(&self.show, token, body);
        self.kill(step, token, async move |stores| drop(confirm(&stores, &wish).await)).await;
    }

    /// Kills an operation at a step, with its process. `token` is any hold of the show.
    pub async fn kill<Op>(&self, step: Killed, token: &str, operation: impl FnOnce(Stores) -> Op)
    where
        Op: Future<Output = ()> + Send + 'static,
    {
        let dying = self.sys.clients(1).remove(0);
        // It connects, and it tells the server each script.
        let warm = dying.decrement(&self.show, "GA", 1).await.text("holdToken").to_owned();
        dying.confirm(&self.show, &warm, json!({})).await.expect(201);
        let operation = operation(dying.app().stores(Deadline::after(Duration::from_secs(60))));
        let transaction = self.front.on(TRANSACTION);
        match step {
            BeforeScript(script) | AfterScript(script) => {
                let gate: Arc<Gate> = self.proxy.hold(1, request_of(script));
                dies_at(&gate, operation).await;
                if step == BeforeScript(script) {
                    self.proxy.cut_now();
                } else {
                    gate.open();
                    // Behind it on its connection: what is answered now was asked after it was done.
                    dying.hold_status(&self.show, token).await.expect(200);
                }
            }
            BeforeTransaction => dies_at(&transaction.hold_before(), operation).await,
            AfterTransaction => dies_at(&transaction.hold_after(), operation).await,
            BeforeSecondTransaction => dies_at(&transaction.skip(1).hold_before(), operation).await,
            AfterSecondTransaction => dies_at(&transaction.skip(1).hold_after(), operation).await,
        }
        assert_eq!((self.proxy.rules_left(), self.front.strikes_left()), (0, 0), "{step:?} was not met");
    }

    /// Lets reconcile come by. It finds nothing that it cannot do.
    pub async fn reconcile(&self) -> Value {
        let report = self.sys.reconcile(json!({"showId": self.show})).await;
        assert_eq!((&report["complete"], &report["errors"]), (&json!(true), &json!([])), "{report}");
        report["shows"][0].clone()
    }
}

/// The bytes by which the request of a script is known.
fn request_of(script: &str) -> String {
    scripts::all().into_iter().find(|one| one.name == script).unwrap().sha1.clone()
}
