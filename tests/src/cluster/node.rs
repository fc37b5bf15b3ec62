//! One server of a cluster.

use std::net::{Ipv4Addr, TcpListener};

use holdfast_local::redis_server::RedisServer;
use redis::{FromRedisValue, RedisResult};

use super::Certificates;
use crate::raw;

/// Where servers listen with TLS. The bus of a cluster is ten thousand above, and both lie below the ports that the system
/// gives to whoever connects somewhere.
const TLS_PORTS: std::ops::Range<u16> = 12_000..22_000;
const BUS: u16 = 10_000;

/// What every node is told. ElastiCache, too, serves the slots that it has while others are down. (`DEBUG` cuts links.)
const AS_ELASTICACHE: [&str; 18] = [
    "--cluster-enabled",
    "yes",
    "--tls-cluster",
    "yes",
    "--tls-replication",
    "yes",
    "--cluster-require-full-coverage",
    "no",
    "--cluster-node-timeout",
    "2000",
    "--cluster-replica-validity-factor",
    "0",
    "--repl-diskless-sync-delay",
    "0",
    "--cluster-config-file",
    "nodes.conf",
    "--enable-debug-command",
    "local",
];

/// A server: a port with TLS, which is all that the product knows, and one without, for those who look on.
#[derive(Debug)]
pub struct Node {
    server: Option<RedisServer>,
    pid: u32,
    plain_port: u16,
    /// Where it listens with TLS.
    pub tls_port: u16,
    /// What the cluster calls it.
    pub id: String,
}

/// What a node says of itself.
#[derive(Debug)]
pub struct Role {
    /// Whether it is a master.
    pub is_master: bool,
    /// The id of its master, of a replica.
    pub master: String,
    /// The slots that it serves.
    pub slots: Vec<(u16, u16)>,
}

impl Node {
    /// Starts a server that is a cluster of its own so far.
    ///
    /// # Panics
    /// When it does not start.
    pub async fn start(certificates: &Certificates) -> Node {
        let tls_port = free_port();
        let args = certificates.server_args(tls_port);
        let args: Vec<&str> = AS_ELASTICACHE.into_iter().chain(args.iter().map(String::as_str)).collect();
        let server = RedisServer::start(None, &args).unwrap();
        let (pid, plain_port) = (server.pid(), server.port());
        let mut node = Node { server: Some(server), pid, plain_port, tls_port, id: String::new() };
        node.id = node.ask("CLUSTER MYID").await;
        node
    }

    /// `redis://127.0.0.1:PORT`: the way in for those who look on.
    pub fn plain_url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.plain_port)
    }

    /// Sends a command, and answers what it is answered.
    ///
    /// # Errors
    /// Whatever went wrong.
    pub async fn try_ask<T: FromRedisValue>(&self, words: &[&str]) -> RedisResult<T> {
        let mut connection = raw::redis(&self.plain_url()).await;
        redis::cmd(words[0]).arg(&words[1..]).query_async(&mut connection).await
    }

    /// The same, in one text, for a command that has to work.
    ///
    /// # Panics
    /// When it does not.
    pub async fn ask<T: FromRedisValue>(&self, command: &str) -> T {
        let words: Vec<&str> = command.split(' ').collect();
        self.try_ask(&words).await.unwrap_or_else(|error| panic!("{command}: {error}"))
    }

    /// What it says of itself.
    ///
    /// # Panics
    /// When it says nothing.
    pub async fn role(&self) -> Role {
        let nodes: String = self.ask("CLUSTER NODES").await;
        let words: Vec<&str> = nodes.lines().find(|line| line.contains("myself")).unwrap().split(' ').collect();
        let range = |text: &&str| {
            let (first, last) = text.split_once('-').unwrap_or((text, text));
            Some((first.parse().ok()?, last.parse().ok()?))
        };
        Role {
            is_master: words[2].contains("master"),
            master: words[3].to_owned(),
            slots: words[8..].iter().filter_map(range).collect(),
        }
    }

    /// The ids of those who are connected with TLS, and are no node themselves: of the product's connections.
    pub async fn connections(&self) -> Vec<String> {
        let list: String = self.ask("CLIENT LIST").await;
        let here = format!(" laddr=127.0.0.1:{} ", self.tls_port);
        let own = list.lines().filter(|line| line.contains(&here) && !line.contains(" flags=S"));
        own.map(|line| line.split(' ').next().unwrap().to_owned()).collect()
    }

    /// How often this command came, run or not.
    pub async fn count(&self, command: &str) -> u64 {
        let stats: String = self.ask("INFO commandstats").await;
        let prefix = format!("cmdstat_{command}:");
        let fields = stats.lines().find_map(|line| line.trim_end().strip_prefix(&prefix)).unwrap_or_default();
        let number =
            |name| fields.split(',').find_map(|field| field.strip_prefix(name)?.strip_prefix('=')?.parse().ok());
        number("calls").unwrap_or(0) + number("rejected_calls").unwrap_or(0)
    }

    /// Whether the process was ended.
    pub fn is_dead(&self) -> bool {
        self.server.is_none()
    }

    /// Ends the process, with all that it had.
    pub fn kill(&mut self) {
        self.server = None;
    }

    /// Sends the process a signal: `STOP` freezes it, `CONT` thaws it.
    ///
    /// # Panics
    /// When it does not take it.
    pub fn signal(&self, name: &str) {
        let kill = std::process::Command::new("kill").args([format!("-{name}"), self.pid.to_string()]).status();
        assert!(kill.unwrap().success(), "the server takes SIG{name}");
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        // What is frozen is killed all the same.
        self.server = None;
    }
}

/// A port that is free, as is the one of its bus.
pub fn free_port() -> u16 {
    let is_free = |port: u16| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok();
    let span = u32::from(TLS_PORTS.end - TLS_PORTS.start);
    loop {
        let at = uuid::Uuid::new_v4().as_fields().0 % span;
        let port = TLS_PORTS.start + u16::try_from(at).unwrap();
        if is_free(port) && is_free(port + BUS) {
            return port;
        }
    }
}
