//! A replica takes over that never got the last writes: two real servers, one the replica of the other, and an address
//! that leads to whichever is the primary. What was acknowledged and not replicated is gone; no sale is, and nobody pays in
//! vain. `lost` asks what becomes of that, `recovery` how callers get over it.

mod lost;
mod recovery;

use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::poll::until;
use holdfast_tests::proxy::{Mode, Proxy};
use holdfast_tests::raw;
use holdfast_tests::servers::{self, Redis};
use holdfast_tests::sys::Sys;
use redis::aio::MultiplexedConnection;
use serde_json::{Value, json};

/// A primary, its replica, and the address that the product knows.
struct Pair {
    old: Redis,
    new: Redis,
    /// Carries the replication.
    replication: Proxy,
    address: Proxy,
    sys: Sys,
}

async fn command(redis: &Redis, words: &[&str]) -> redis::Value {
    let mut connection: MultiplexedConnection = raw::redis(&redis.url()).await;
    redis::cmd(words[0]).arg(&words[1..]).query_async(&mut connection).await.unwrap()
}

/// How far a server has come in what is replicated.
async fn offset(redis: &Redis, name: &str) -> Option<u64> {
    let info: String = redis::from_redis_value(command(redis, &["INFO", "replication"]).await).unwrap();
    info.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')?.parse().ok())
}

impl Pair {
    async fn start(vars: &[(&str, &str)]) -> Pair {
        let old = servers::own_redis(&["--repl-diskless-sync-delay", "0"]);
        let replication = Proxy::tcp(old.addr()).await;
        let port = replication.addr().port().to_string();
        let new = servers::own_redis(&["--replicaof", "127.0.0.1", &port]);
        let address = Proxy::redis(old.addr()).await;
        let sys = Sys::with(&address.url(), &servers::dynamo().await.endpoint(), vars);
        Pair { old, new, replication, address, sys }
    }

    /// Waits until the replica has all that was written so far.
    async fn replicated(&self) {
        until("the replica has it all", || async {
            let (written, received) =
                (offset(&self.old, "master_repl_offset").await, offset(&self.new, "slave_repl_offset").await);
            (written.is_some() && written == received).then_some(())
        })
        .await;
    }

    /// From now on the replica gets nothing.
    fn part(&self) {
        self.replication.set(Mode::Cut);
    }

    /// The replica is the primary now, and the old one a replica that refuses every write. Connections to it stay open.
    async fn promote(&self) {
        command(&self.new, &["REPLICAOF", "NO", "ONE"]).await;
        // Nobody listens there.
        command(&self.old, &["REPLICAOF", "127.0.0.1", "1"]).await;
        self.address.retarget(self.new.addr());
    }

    async fn reconciled(&self, show: &str) -> Value {
        let report = self.sys.clients(1)[0].reconcile(json!({"showId": show})).await;
        assert_eq!((&report["complete"], &report["errors"]), (&json!(true), &json!([])), "{report}");
        report["shows"][0].clone()
    }

    /// One run brings the stores to agreement, and the next one finds nothing. Answers the first one's report.
    async fn agrees(&self, show: &str) -> Value {
        let first = self.reconciled(show).await;
        assert_agreement(&self.sys, show).await;
        let second = self.reconciled(show).await;
        assert_eq!((&second["drift"], &second["repairs"]["settled"]), (&json!(0), &json!(0)), "{second}");
        first
    }
}
