//! A TCP proxy in front of a store, which loses what a test tells it to lose.
//!
//! Two ways to use it. A [`Mode`] is a state of the whole line: nothing is answered, everything is cut. A rule meets
//! one request, chosen by the bytes that it contains: it or its reply is lost, or waits at a gate.
//!
//! In front of Redis the proxy knows where a request and a reply end (`frames`), so it loses exactly the reply of the
//! request that was meant, on a connection that carries many. In front of anything else every chunk is a request.

mod blackhole;
mod frames;
mod line;
mod rules;

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

pub use blackhole::Blackhole;
pub use rules::{After, Lose};

use crate::gate::Gate;
use crate::servers::runtime;
use crate::steps::Steps;
use frames::Framing;
use rules::{Action, Rules};

/// What the line does to everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Forwards.
    Pass,
    /// Accepts and reads, but forwards and answers nothing.
    Swallow,
    /// Forwards requests, and swallows every reply.
    DropReplies,
    /// Closes what is open, and what comes.
    Cut,
    /// Forwards, every chunk in each direction later by this.
    Delay(Duration),
}

/// What went over the line.
#[derive(Debug, Default)]
pub struct Counters {
    connections: AtomicUsize,
    bytes_up: AtomicUsize,
    bytes_down: AtomicUsize,
}

/// The mode, and how often it was [`Mode::Cut`]: a cut that is over has still closed what was open. So with what was mute.
#[derive(Debug, Clone, Copy)]
struct State {
    mode: Mode,
    cuts: usize,
    mutes: usize,
}

/// What the connections of a proxy share.
#[derive(Debug)]
struct Plan {
    target: watch::Sender<SocketAddr>,
    framing: Framing,
    state: watch::Sender<State>,
    rules: Rules,
    steps: OnceLock<Arc<Steps>>,
    counters: Counters,
}

/// A proxy. It and its connections end when it is dropped.
#[derive(Debug)]
pub struct Proxy {
    addr: SocketAddr,
    plan: Arc<Plan>,
    accepting: JoinHandle<()>,
}

impl Proxy {
    /// A proxy in front of a Redis.
    pub async fn redis(target: SocketAddr) -> Proxy {
        Proxy::start(target, Framing::Resp).await
    }

    /// A proxy in front of anything.
    pub async fn tcp(target: SocketAddr) -> Proxy {
        Proxy::start(target, Framing::Chunks).await
    }

    async fn start(target: SocketAddr, framing: Framing) -> Proxy {
        let state = watch::Sender::new(State { mode: Mode::Pass, cuts: 0, mutes: 0 });
        let (target, rules) = (watch::Sender::new(target), Rules::default());
        let (steps, counters) = (OnceLock::new(), Counters::default());
        let plan = Arc::new(Plan { target, framing, state, rules, steps, counters });
        let accepted = Arc::clone(&plan);
        let listening = runtime().spawn(async move {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let addr = listener.local_addr().unwrap();
            (addr, runtime().spawn(accept(listener, accepted)))
        });
        let (addr, accepting) = listening.await.unwrap();
        Proxy { addr, plan, accepting }
    }

    /// Where it listens.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// `redis://127.0.0.1:PORT`
    pub fn url(&self) -> String {
        format!("redis://{}", self.addr)
    }

    /// `http://127.0.0.1:PORT`
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.addr)
    }

    /// Changes the mode, for connections that are open too.
    pub fn set(&self, mode: Mode) {
        self.plan.state.send_modify(|state| {
            state.mode = mode;
            state.cuts += usize::from(mode == Mode::Cut);
        });
    }

    /// Leads new connections to another server, as the name of a cache does after a failover. Those that are open stay
    /// where they are.
    pub fn retarget(&self, target: SocketAddr) {
        self.plan.target.send_replace(target);
    }

    /// Lets the steps of an operation be recorded, and lost.
    ///
    /// # Panics
    /// When it follows others already.
    pub fn follow(&self, steps: &Arc<Steps>) {
        self.plan.steps.set(Arc::clone(steps)).expect("a proxy follows once");
    }

    /// Closes every connection that is open; new ones pass.
    pub fn cut_now(&self) {
        self.set(Mode::Cut);
        self.set(Mode::Pass);
    }

    /// Every connection that is open swallows everything from now on; new ones pass.
    pub fn mute_now(&self) {
        self.plan.state.send_modify(|state| state.mutes += 1);
    }

    /// Loses the `nth` request (from 1) whose bytes contain `what`, or its reply.
    pub fn lose(&self, lose: Lose, nth: usize, what: impl AsRef<[u8]>, after: After) {
        self.plan.rules.add(nth, what.as_ref(), Action::Lose(lose, after));
    }

    /// Loses the reply of the `nth` request (from 1) whose bytes contain `what`, and closes the connection.
    pub fn drop_reply(&self, nth: usize, what: impl AsRef<[u8]>) {
        self.lose(Lose::Reply, nth, what, After::Cut);
    }

    /// Holds the `nth` request (from 1) whose bytes contain `what`, and all that comes behind it on its connection.
    pub fn hold(&self, nth: usize, what: impl AsRef<[u8]>) -> Arc<Gate> {
        let gate = Gate::new();
        self.plan.rules.add(nth, what.as_ref(), Action::Hold(Arc::clone(&gate)));
        gate
    }

    /// How many rules have not met their request yet.
    pub fn rules_left(&self) -> usize {
        self.plan.rules.left()
    }

    /// How many connections were accepted.
    pub fn connections(&self) -> usize {
        self.plan.counters.connections.load(Ordering::Relaxed)
    }

    /// How many bytes came from clients, and how many from the store.
    pub fn bytes(&self) -> (usize, usize) {
        let counters = &self.plan.counters;
        (counters.bytes_up.load(Ordering::Relaxed), counters.bytes_down.load(Ordering::Relaxed))
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
        self.set(Mode::Cut);
    }
}

async fn accept(listener: TcpListener, plan: Arc<Plan>) {
    while let Ok((client, _)) = listener.accept().await {
        plan.counters.connections.fetch_add(1, Ordering::Relaxed);
        runtime().spawn(line::carry(client, Arc::clone(&plan)));
    }
}
