//! The way to Redis: one server, or a cluster of them. redis-rs' own defaults are replaced on purpose: see [`Link`].

use std::sync::Arc;

use redis::{Client, Cmd, ConnectionInfo, IntoConnectionInfo, RedisError, RedisResult, TlsCertificates, Value};

use super::cluster::Cluster;
use super::node::Node;
use crate::config::RedisConfig;

/// The way to Redis. A clone shares the connections.
///
/// redis-rs would wait 500 ms for an answer and 1 s for a connection. Here both times come from the configuration, and all
/// repeats are [`Redis::call`](super::Redis)'s, within the request's budget.
#[derive(Clone)]
pub struct Link(Arc<Way>);

enum Way {
    Single(Arc<Node>),
    Cluster(Cluster),
    /// The configuration names no server.
    Nowhere(RedisError),
}

/// Which connection a command went over.
pub struct Sent {
    /// To whom.
    pub node: Arc<Node>,
    /// Over which of its connections.
    pub generation: u64,
}

impl Sent {
    /// Forgets the connection, which died, unless somebody else has replaced it already.
    pub fn discard(&self) {
        self.node.discard(self.generation);
    }
}

impl Link {
    /// A link that has not connected yet.
    #[must_use]
    pub fn new(config: RedisConfig) -> Self {
        Self(Arc::new(match server(&config) {
            Ok(info) if config.cluster => Way::Cluster(Cluster::new(info, Arc::new(config))),
            Ok(info) => Way::Single(Arc::new(Node::new(info, Arc::new(config)))),
            Err(error) => Way::Nowhere(error),
        }))
    }

    /// Sends one command, in a cluster to the master that has its first key.
    pub async fn send(&self, key: &str, command: &Cmd) -> (Option<Sent>, RedisResult<Value>) {
        match &*self.0 {
            Way::Single(node) => {
                let (generation, answer) = node.send(command).await;
                (Some(Sent { node: Arc::clone(node), generation }), answer)
            }
            Way::Cluster(cluster) => cluster.send(key, command).await,
            Way::Nowhere(error) => (None, Err(error.clone())),
        }
    }

    /// Sends one command to every master, and answers what all of them answered.
    pub async fn send_to_all(&self, command: &Cmd) -> RedisResult<Vec<Value>> {
        match &*self.0 {
            Way::Cluster(cluster) => cluster.send_to_all(command).await,
            Way::Single(_) | Way::Nowhere(_) => Ok(vec![self.send("", command).await.1?]),
        }
    }
}

/// The server that the configuration names.
fn server(config: &RedisConfig) -> RedisResult<ConnectionInfo> {
    let Some(authorities) = &config.authorities else { return config.url.as_str().into_connection_info() };
    let certificates = TlsCertificates { client_tls: None, root_cert: Some(authorities.clone()) };
    Ok(Client::build_with_tls(config.url.as_str(), certificates)?.get_connection_info().clone())
}
