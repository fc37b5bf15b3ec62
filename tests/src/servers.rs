//! The stores of a test process: real ones, private to it, and gone with it.
//!
//! A test binary shares one Redis and one DynamoDB, and each test in it has a show of its own: [`fresh_show_id`]. A
//! test that flushes, kills or counts everything takes a server of its own: [`own_redis`], [`own_dynamo`].
//!
//! The servers in this process, and the proxies, run on [`runtime`], which outlives every `#[tokio::test]`.

use std::net::SocketAddr;
use std::sync::{LazyLock, OnceLock};

use holdfast::adapters::redis::scripts;
use holdfast_local::dynamo_server::DynamoServer;
use holdfast_local::redis_server::RedisServer;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::OnceCell;

use crate::monitor::{Monitor, Record};
use crate::raw;

/// The name of the table in every DynamoDB that the harness starts.
pub const TABLE: &str = "holdfast";

/// The runtime of everything that serves: it lives as long as the process, whereas a test's own ends with the test.
pub fn runtime() -> &'static Runtime {
    static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
        Builder::new_multi_thread().worker_threads(2).thread_name("stores").enable_all().build().unwrap()
    });
    &RUNTIME
}

/// An id that no other test uses.
pub fn fresh_show_id() -> String {
    format!("t{}", uuid::Uuid::new_v4().simple())
}

/// A Redis with its monitor. Dropping it ends the server, and fails the test if the monitor saw a fault.
#[derive(Debug)]
pub struct Redis {
    monitor: Monitor,
    server: Option<RedisServer>,
    port: u16,
    pid: u32,
}

impl Redis {
    fn new(server: RedisServer) -> Redis {
        let (port, pid) = (server.port(), server.pid());
        let names = scripts::all().into_iter().map(|script| (script.name, script.sha1.as_str())).collect();
        let monitor = Monitor::attach(address(port), names, Record::kept(port));
        Redis { monitor, server: Some(server), port, pid }
    }

    /// `redis://127.0.0.1:PORT`
    pub fn url(&self) -> String {
        format!("redis://{}", self.addr())
    }

    /// Where it listens.
    pub fn addr(&self) -> SocketAddr {
        address(self.port)
    }

    /// The judge of this server.
    pub fn monitor(&self) -> &Monitor {
        &self.monitor
    }

    /// Ends the server, with all it had. From now on connections to it are refused.
    pub fn kill(&mut self) {
        self.server = None;
    }

    /// Sends the server process a signal: `STOP` freezes it, `CONT` thaws it.
    pub fn signal(&self, name: &str) {
        let kill = std::process::Command::new("kill").args([format!("-{name}"), self.pid.to_string()]).status();
        assert!(kill.unwrap().success(), "the server takes SIG{name}");
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        // A test that fails already says why; a second panic would hide it.
        if !std::thread::panicking() {
            self.monitor.check_violations();
        }
    }
}

fn address(port: u16) -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], port))
}

static SHARED_REDIS: OnceLock<Redis> = OnceLock::new();

/// The Redis that the tests of this process share.
pub fn redis() -> &'static Redis {
    SHARED_REDIS.get_or_init(|| own_redis(&[]))
}

/// Fails the test if the shared Redis saw a fault so far. A static is never dropped, so every
/// [`Sys`](crate::sys::Sys) asks.
pub fn check_shared_redis() {
    if let Some(redis) = SHARED_REDIS.get() {
        redis.monitor.check_violations();
    }
}

/// A Redis for one test; `extra_args` go to its command line: `["--maxmemory", "8mb"]`.
pub fn own_redis(extra_args: &[&str]) -> Redis {
    Redis::new(RedisServer::start(None, extra_args).unwrap())
}

/// An embedded DynamoDB with the table in it.
#[derive(Debug)]
pub struct Dynamo {
    server: DynamoServer,
}

impl Dynamo {
    async fn start() -> Dynamo {
        let started = runtime().spawn(async {
            let server = DynamoServer::start(0, None).await.unwrap();
            holdfast_local::table::create(&raw::dynamo(&server.endpoint()), TABLE).await.unwrap();
            Dynamo { server }
        });
        started.await.unwrap()
    }

    /// `http://127.0.0.1:PORT`
    pub fn endpoint(&self) -> String {
        self.server.endpoint()
    }
}

/// The DynamoDB that the tests of this process share.
pub async fn dynamo() -> &'static Dynamo {
    static SHARED: OnceCell<Dynamo> = OnceCell::const_new();
    SHARED.get_or_init(Dynamo::start).await
}

/// A DynamoDB for one test.
pub async fn own_dynamo() -> Dynamo {
    Dynamo::start().await
}
