//! Both stores: those that the environment names, and children of this process in place of those that it does not.

use std::net::SocketAddrV4;

use crate::config::LocalConfig;
use crate::dynamo_server::{self, DynamoServer};
use crate::redis_server::{self, RedisServer};

/// Where the stores are, and what of them is ours to stop.
#[derive(Debug)]
pub struct Stores {
    /// Where Redis answers.
    pub redis_url: String,
    /// Where DynamoDB answers.
    pub dynamo_url: String,
    redis: Option<RedisServer>,
    dynamo: Option<DynamoServer>,
}

/// Why there are no stores.
#[derive(Debug, thiserror::Error)]
pub enum StoresError {
    /// No Redis.
    #[error(transparent)]
    Redis(#[from] redis_server::StartError),
    /// No DynamoDB.
    #[error(transparent)]
    Dynamo(#[from] dynamo_server::StartError),
}

impl Stores {
    /// Starts what is not there.
    ///
    /// # Errors
    ///
    /// When one of the two cannot be started.
    pub async fn start(config: &LocalConfig) -> Result<Self, StoresError> {
        let data_dir = config.data_dir.as_deref();
        let address = config.stores_address;
        let redis = match config.redis_url {
            Some(_) => None,
            None => Some(RedisServer::start_at(address, data_dir, &[])?),
        };
        let dynamo = match config.dynamo_url {
            Some(_) => None,
            None => Some(DynamoServer::start_at(SocketAddrV4::new(address, config.dynamo_port), data_dir).await?),
        };
        Ok(Self {
            redis_url: config.redis_url.clone().or(redis.as_ref().map(RedisServer::url)).unwrap_or_default(),
            dynamo_url: config.dynamo_url.clone().or(dynamo.as_ref().map(DynamoServer::endpoint)).unwrap_or_default(),
            redis,
            dynamo,
        })
    }

    /// Stops what was started, and returns once it is gone and its data is on disk.
    pub async fn stop(self) {
        if let Some(dynamo) = self.dynamo {
            dynamo.stop().await;
        }
        drop(self.redis);
    }
}
