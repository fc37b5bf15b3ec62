//! An HTTP proxy in front of the embedded DynamoDB, for what that one never does by itself.
//!
//! It counts the requests of each operation, and meets chosen ones with a [`Fault`]: a conflict, a throttle,
//! cancellation reasons of the test's choice, a connection that breaks, a gate. A fault strikes *before* the store sees
//! the request (which is lost), or *after* (the work is done, and the reply is lost).
//!
//! ```text
//! front.on("TransactWriteItems").times(2).before(Fault::conflict());
//! front.on("TransactWriteItems").containing(token).after(Fault::Reset);
//! let gate = front.on("TransactWriteItems").hold_before();
//! ```

mod faults;
mod rules;
mod serve;

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};

use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

pub use faults::{Fault, Reason};

use crate::gate::Gate;
use crate::servers::runtime;
use crate::steps::Steps;
use rules::{Rule, Rules, When};
use serve::Serving;

/// The front. It and its connections end when it is dropped.
#[derive(Debug)]
pub struct Front {
    addr: SocketAddr,
    rules: Arc<Rules>,
    steps: Arc<OnceLock<Arc<Steps>>>,
    accepting: JoinHandle<()>,
    stop: watch::Sender<bool>,
}

impl Front {
    /// A front before the DynamoDB at this endpoint (`http://127.0.0.1:PORT`).
    pub async fn start(endpoint: &str) -> Front {
        let (rules, steps, stop) = (Arc::<Rules>::default(), Arc::<OnceLock<_>>::default(), watch::Sender::new(false));
        let serving = Serving::new(endpoint, Arc::clone(&rules), Arc::clone(&steps), stop.subscribe());
        let listening = runtime().spawn(async move {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let addr = listener.local_addr().unwrap();
            (addr, runtime().spawn(serve::accept(listener, serving)))
        });
        let (addr, accepting) = listening.await.unwrap();
        Front { addr, rules, steps, accepting, stop }
    }

    /// `http://127.0.0.1:PORT`
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.addr)
    }

    /// Where it listens.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Lets the steps of an operation be recorded, and lost.
    ///
    /// # Panics
    /// When it follows others already.
    pub fn follow(&self, steps: &Arc<Steps>) {
        self.steps.set(Arc::clone(steps)).expect("a front follows once");
    }

    /// Begins a rule for requests of one operation: `TransactWriteItems`.
    pub fn on(&self, operation: &str) -> Plan<'_> {
        self.plan(Some(operation.to_owned()))
    }

    /// Begins a rule for requests of every operation.
    pub fn on_any(&self) -> Plan<'_> {
        self.plan(None)
    }

    fn plan(&self, operation: Option<String>) -> Plan<'_> {
        Plan { front: self, operation, containing: None, skip: 0, times: 1 }
    }

    /// Forgets the rules. What waits at a gate goes on waiting.
    pub fn clear(&self) {
        self.rules.clear();
    }

    /// How many strikes are left in the rules that are not used up.
    pub fn strikes_left(&self) -> usize {
        self.rules.strikes_left()
    }

    /// The bodies of the requests of an operation, in the order in which they came, whatever became of them.
    pub fn requests(&self, operation: &str) -> Vec<Value> {
        self.rules.requests(operation)
    }

    /// How many requests of an operation came.
    pub fn count(&self, operation: &str) -> usize {
        self.requests(operation).len()
    }

    /// The operations that came, in their order.
    pub fn operations(&self) -> Vec<String> {
        self.rules.operations()
    }

    /// Forgets the requests that were counted.
    pub fn reset_counts(&self) {
        self.rules.forget_requests();
    }
}

impl Drop for Front {
    fn drop(&mut self) {
        self.accepting.abort();
        self.stop.send_replace(true);
    }
}

/// A rule in the making.
#[derive(Debug)]
#[must_use = "a rule strikes once it is told how"]
pub struct Plan<'a> {
    front: &'a Front,
    operation: Option<String>,
    containing: Option<String>,
    skip: usize,
    times: usize,
}

impl Plan<'_> {
    /// Only requests whose body contains this.
    pub fn containing(mut self, text: impl Into<String>) -> Self {
        self.containing = Some(text.into());
        self
    }

    /// Lets so many of the requests that match pass first.
    pub fn skip(mut self, skip: usize) -> Self {
        self.skip = skip;
        self
    }

    /// Strikes so many times; without this, once.
    pub fn times(mut self, times: usize) -> Self {
        self.times = times;
        self
    }

    /// Strikes until [`Front::clear`].
    pub fn always(self) -> Self {
        self.times(usize::MAX)
    }

    /// The request is lost: the store never sees it.
    pub fn before(self, fault: Fault) {
        self.add(When::Before, fault);
    }

    /// The reply is lost: the store has done the work.
    pub fn after(self, fault: Fault) {
        self.add(When::After, fault);
    }

    /// The request waits at a gate before the store sees it.
    pub fn hold_before(self) -> Arc<Gate> {
        let gate = Gate::new();
        self.before(Fault::Hold(Arc::clone(&gate)));
        gate
    }

    /// The reply waits at a gate: the store has done the work, and the caller does not know.
    pub fn hold_after(self) -> Arc<Gate> {
        let gate = Gate::new();
        self.after(Fault::Hold(Arc::clone(&gate)));
        gate
    }

    fn add(self, when: When, fault: Fault) {
        let Plan { front, operation, containing, skip, times } = self;
        front.rules.add(Rule { operation, containing, skip, times, when, fault });
    }
}
