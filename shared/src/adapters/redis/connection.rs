//! Connections to Redis: one multiplexed connection a process, or a cluster's client, made on first use and made anew
//! after it died. redis-rs' own defaults are replaced on purpose: see [`Link`].

use std::sync::{Arc, Mutex, PoisonError};

use redis::aio::{ConnectionLike, MultiplexedConnection};
use redis::cluster::ClusterClientBuilder;
use redis::cluster_async::ClusterConnection;
use redis::{AsyncConnectionConfig, Client, Cmd, IntoConnectionInfo, RedisResult, Value};

use super::iam::IamTokens;
use crate::config::RedisConfig;

/// The way to Redis. A clone shares the connection.
///
/// redis-rs would wait 500 ms for an answer and 1 s for a connection, and its cluster client would try 16 times, waiting
/// up to 11 minutes. Here both times come from the configuration, the cluster client repeats a redirected command twice
/// with short waits, and all other repeats are [`Redis::call`](super::Redis)'s, within the request's budget.
#[derive(Clone)]
pub struct Link(Arc<Inner>);

struct Inner {
    config: RedisConfig,
    current: Mutex<Slot>,
    connecting: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Slot {
    generation: u64,
    connection: Option<Connection>,
}

#[derive(Clone)]
enum Connection {
    Single(MultiplexedConnection),
    Cluster(ClusterConnection),
}

impl Link {
    /// A link that has not connected yet.
    #[must_use]
    pub fn new(config: RedisConfig) -> Self {
        Self(Arc::new(Inner { config, current: Mutex::default(), connecting: tokio::sync::Mutex::default() }))
    }

    /// Sends one command over the current connection. Answers the generation of that connection too, for [`Link::discard`].
    pub async fn send(&self, command: &Cmd) -> (u64, RedisResult<Value>) {
        let (generation, connection) = self.connection().await;
        let answer = match connection {
            Ok(Connection::Single(mut connection)) => connection.req_packed_command(command).await,
            Ok(Connection::Cluster(mut connection)) => connection.req_packed_command(command).await,
            Err(error) => Err(error),
        };
        (generation, answer)
    }

    /// Forgets a connection that died, unless somebody else has replaced it already.
    pub fn discard(&self, generation: u64) {
        let mut slot = self.0.current.lock().unwrap_or_else(PoisonError::into_inner);
        if slot.generation == generation {
            slot.connection = None;
        }
    }

    fn existing(&self) -> (u64, Option<Connection>) {
        let slot = self.0.current.lock().unwrap_or_else(PoisonError::into_inner);
        (slot.generation, slot.connection.clone())
    }

    async fn connection(&self) -> (u64, RedisResult<Connection>) {
        if let (generation, Some(connection)) = self.existing() {
            return (generation, Ok(connection));
        }
        // One caller connects; those who waited for it find its connection.
        let _turn = self.0.connecting.lock().await;
        if let (generation, Some(connection)) = self.existing() {
            return (generation, Ok(connection));
        }
        let made = self.0.connect().await;
        let mut slot = self.0.current.lock().unwrap_or_else(PoisonError::into_inner);
        slot.generation += 1;
        slot.connection = made.as_ref().ok().cloned();
        (slot.generation, made)
    }
}

impl Inner {
    async fn connect(&self) -> RedisResult<Connection> {
        let RedisConfig { url, cluster, iam, connect_timeout, response_timeout } = &self.config;
        let tokens = iam.clone().map(IamTokens::new);
        if *cluster {
            let mut client = ClusterClientBuilder::new([url.as_str().into_connection_info()?]);
            if let Some(tokens) = tokens {
                client = client.set_credentials_provider(tokens);
            }
            let client = client
                .connection_timeout(*connect_timeout)
                .response_timeout(*response_timeout)
                .overall_response_timeout(Some(*response_timeout * 2))
                .retries(2)
                .min_retry_wait(20)
                .max_retry_wait(100)
                .build()?;
            return Ok(Connection::Cluster(client.get_async_connection().await?));
        }
        let mut config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(*connect_timeout))
            .set_response_timeout(Some(*response_timeout));
        if let Some(tokens) = tokens {
            config = config.set_credentials_provider(tokens);
        }
        let client = Client::open(url.as_str())?;
        Ok(Connection::Single(client.get_multiplexed_async_connection_with_config(&config).await?))
    }
}
