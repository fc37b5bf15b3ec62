//! The product, on the stores of a test.
//!
//! A [`Sys`] is what one Lambda environment would be: an `App` with connections of its own, behind the real route
//! table. [`Sys::clients`] gives as many more of them as a race needs: one multiplexed connection would serialise it.

mod answer;
mod client;
mod shows;

use std::ops::Deref;

use aws_sdk_dynamodb::Client as DynamoClient;
use redis::aio::MultiplexedConnection;

pub use answer::Answer;
pub use client::Client;
pub use shows::{paid, refund_of};

use crate::dynamo_front::Front;
use crate::loaded;
use crate::monitor::Monitor;
use crate::proxy::Proxy;
use crate::raw;
use crate::servers::{self, Dynamo, Redis};

/// The product on the stores of a test. It is its own first [`Client`].
#[derive(Debug)]
pub struct Sys {
    first: Client,
    redis_url: String,
    dynamo_endpoint: String,
    vars: Vec<(String, String)>,
    own: Option<(Redis, Dynamo)>,
}

impl Sys {
    /// On the stores that all tests of this process share: each has shows of its own.
    pub async fn shared() -> Sys {
        Sys::with(&servers::redis().url(), &servers::dynamo().await.endpoint(), &[])
    }

    /// On stores of its own. `redis_args` go to Redis' command line, `vars` to the functions' environment.
    pub async fn own(redis_args: &[&str], vars: &[(&str, &str)]) -> Sys {
        let (redis, dynamo) = (servers::own_redis(redis_args), servers::own_dynamo().await);
        let mut sys = Sys::with(&redis.url(), &dynamo.endpoint(), vars);
        sys.own = Some((redis, dynamo));
        sys
    }

    /// On the shared stores, behind a proxy and a front of its own.
    pub async fn fragile(vars: &[(&str, &str)]) -> (Sys, Proxy, Front) {
        let proxy = Proxy::redis(servers::redis().addr()).await;
        let front = Front::start(&servers::dynamo().await.endpoint()).await;
        let sys = Sys::with(&proxy.url(), &front.endpoint(), vars);
        (sys, proxy, front)
    }

    /// On the stores at these addresses.
    pub fn with(redis_url: &str, dynamo_endpoint: &str, vars: &[(&str, &str)]) -> Sys {
        let fixed = [
            ("REDIS_URL", redis_url),
            ("AWS_ENDPOINT_URL_DYNAMODB", dynamo_endpoint),
            ("TABLE_NAME", servers::TABLE),
            ("TOKEN_SECRET", loaded::TOKEN_SECRET),
            ("TRUST_USER_HEADER", "true"),
            ("LOCAL_ROLES", "buyer,seller,operator"),
            ("LOG_LEVEL", "error"),
            ("METRICS", "false"),
        ];
        let vars = fixed.iter().chain(vars).map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let vars: Vec<_> = vars.collect();
        let first = Client::new(&vars);
        let (redis_url, dynamo_endpoint) = (redis_url.to_owned(), dynamo_endpoint.to_owned());
        Sys { first, redis_url, dynamo_endpoint, vars, own: None }
    }

    /// So many more environments of the same functions.
    pub fn clients(&self, count: usize) -> Vec<Client> {
        (0..count).map(|_| Client::new(&self.vars)).collect()
    }

    /// Where its Redis and its DynamoDB answer.
    pub fn addresses(&self) -> (&str, &str) {
        (&self.redis_url, &self.dynamo_endpoint)
    }

    /// A connection that looks into Redis, by the way that the product takes. Keys come from `adapters::redis::keys`.
    pub async fn redis(&self) -> MultiplexedConnection {
        raw::redis(&self.redis_url).await
    }

    /// A client that looks into DynamoDB, by the way that the product takes.
    pub fn dynamo(&self) -> DynamoClient {
        raw::dynamo(&self.dynamo_endpoint)
    }

    /// The Redis of its own.
    ///
    /// # Panics
    /// When it has none.
    pub fn own_redis(&mut self) -> &mut Redis {
        &mut self.own.as_mut().expect("a Sys with stores of its own").0
    }

    /// The judge of its Redis: of its own, or of the shared one.
    pub fn monitor(&self) -> &Monitor {
        match &self.own {
            Some((redis, _)) => redis.monitor(),
            None => servers::redis().monitor(),
        }
    }
}

impl Deref for Sys {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.first
    }
}

impl Drop for Sys {
    fn drop(&mut self) {
        // A test that fails already says why; and a Redis of its own judges itself.
        if !std::thread::panicking() {
            servers::check_shared_redis();
        }
    }
}
