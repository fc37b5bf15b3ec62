//! Connections that look into the stores, past the product.

use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use redis::AsyncConnectionConfig;
use redis::aio::MultiplexedConnection;

/// Who looks on behalf of a test waits longer than the product does: a busy machine is no fault.
const PATIENCE: Duration = Duration::from_secs(10);

/// A client of a DynamoDB that asks nobody for credentials, and never repeats a request by itself.
pub fn dynamo(endpoint: &str) -> Client {
    let config = aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new("us-east-1"))
        .credentials_provider(Credentials::new("local", "local", None, None, "holdfast-tests"))
        .http_client(aws_smithy_http_client::Builder::new().build_http())
        .retry_config(RetryConfig::disabled())
        .endpoint_url(endpoint)
        .build();
    Client::from_conf(config)
}

/// A connection to a Redis.
///
/// # Panics
/// When there is none to be had.
pub async fn redis(url: &str) -> MultiplexedConnection {
    let config =
        AsyncConnectionConfig::new().set_connection_timeout(Some(PATIENCE)).set_response_timeout(Some(PATIENCE));
    redis::Client::open(url).unwrap().get_multiplexed_async_connection_with_config(&config).await.unwrap()
}
