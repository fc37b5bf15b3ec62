//! DynamoDB, the record. [`keys`] spells every key, [`items`] turns what the domain has into items and back, `decide` is the
//! transaction that takes the decision of a token, `refund` and `show` keep what their names say.

mod batch;
mod decide;
pub mod items;
pub mod keys;
mod list;
mod reconcile;
mod refund;
mod show;
mod transact;

use std::future::Future;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_smithy_http_client::tls::{self, rustls_provider::CryptoMode};

use crate::config::DynamoConfig;
use crate::telemetry::Meter;
use crate::{Deadline, Failure};

/// DynamoDB. A clone shares the client, which is made when it is needed: many a process of a hold never needs one, and
/// to read the certificates that it trusts takes longer than all else at a start.
#[derive(Clone)]
pub struct Dynamo {
    client: Arc<LazyLock<Client, Box<dyn FnOnce() -> Client + Send>>>,
    table: String,
    audit_days: u64,
    deadline: Deadline,
    meter: Meter,
}

impl Dynamo {
    /// A way to DynamoDB that connects on first use.
    #[must_use]
    pub fn new(config: &DynamoConfig) -> Self {
        let of_client = config.clone();
        Self {
            table: config.table.clone(),
            audit_days: config.audit_days,
            client: Arc::new(LazyLock::new(Box::new(move || client(&of_client)))),
            deadline: Deadline::after(Duration::ZERO),
            meter: Meter::default(),
        }
    }

    /// Makes the client now.
    pub fn prepare(&self) {
        LazyLock::force(&self.client);
    }

    /// The same client, for a request that has to be answered by `deadline`.
    #[must_use]
    pub fn by(&self, deadline: Deadline) -> Self {
        Self { deadline, ..self.clone() }
    }

    /// The same, with its waits counted by `meter`.
    #[must_use]
    pub fn metered(&self, meter: &Meter) -> Self {
        Self { meter: meter.clone(), ..self.clone() }
    }

    /// Waits for a call, within the deadline.
    async fn within<T, E>(&self, what: &str, call: impl Future<Output = Result<T, SdkError<E>>>) -> Result<T, Failure>
    where
        E: ProvideErrorMetadata + std::error::Error + Send + Sync + 'static,
    {
        let _wait = self.meter.wait();
        match tokio::time::timeout_at(self.deadline.instant(), call).await {
            Ok(answer) => answer.map_err(|error| failure(what, error)),
            Err(_) => Err(Failure::unavailable(what)),
        }
    }
}

/// The SDK's client, as every function uses it. The SDK repeats throttled and unanswered calls by itself, three attempts
/// in all with short waits; it keeps the client request token over these.
#[must_use]
pub fn client(config: &DynamoConfig) -> Client {
    let keys = &config.credentials;
    let http = aws_smithy_http_client::Builder::new();
    let http = match &config.endpoint {
        // Certificates that nobody will ask for are not read.
        Some(endpoint) if endpoint.starts_with("http://") => http.build_http(),
        _ => http.tls_provider(tls::Provider::Rustls(CryptoMode::Ring)).build_https(),
    };
    let sdk = aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .http_client(http)
        .region(Region::new(config.region.clone()))
        .credentials_provider(Credentials::new(
            &keys.access_key_id,
            &keys.secret_access_key,
            keys.session_token.clone(),
            None,
            "environment",
        ))
        .timeout_config(
            TimeoutConfig::builder()
                .connect_timeout(config.connect_timeout)
                .operation_attempt_timeout(config.response_timeout)
                .build(),
        )
        .retry_config(
            RetryConfig::standard()
                .with_max_attempts(3)
                .with_initial_backoff(Duration::from_millis(25))
                .with_max_backoff(Duration::from_millis(200)),
        );
    Client::from_conf(match &config.endpoint {
        Some(endpoint) => sdk.endpoint_url(endpoint).build(),
        None => sdk.build(),
    })
}

/// Whether an error code of DynamoDB says "later": the call was not carried out, or nobody knows.
fn is_passing(code: Option<&str>) -> bool {
    matches!(
        code,
        Some(
            "ThrottlingException"
                | "ThrottlingError"
                | "ProvisionedThroughputExceededException"
                | "ProvisionedThroughputExceeded"
                | "RequestLimitExceeded"
                | "LimitExceededException"
                | "TransactionConflictException"
                | "TransactionConflict"
                | "TransactionInProgressException"
                | "InternalServerError"
                | "InternalServerErrorException"
                | "InternalFailure"
                | "ServiceUnavailable"
                | "ServiceUnavailableException"
                | "RequestTimeout"
                | "RequestTimeoutException"
        )
    )
}

/// What an error of the SDK means to a caller.
fn failure<E>(what: &str, error: SdkError<E>) -> Failure
where
    E: ProvideErrorMetadata + std::error::Error + Send + Sync + 'static,
{
    let passing = match &error {
        SdkError::ServiceError(service) => is_passing(service.err().code()) || service.raw().status().is_server_error(),
        SdkError::ConstructionFailure(_) => false,
        // The time is up, the connection broke, the answer was none: what happened is not known.
        _ => true,
    };
    let (what, source) = (what.to_owned(), Some(error.into()));
    if passing { Failure::Unavailable { what, source } } else { Failure::Internal { what, source } }
}
