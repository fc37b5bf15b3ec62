//! Configuration, parsed once at start from the environment (or, in tests, from a map), all errors together. The table in
//! `docs/OPERATIONS.md` and `template.yaml` name the same variables; a test compares them.

mod authorities;
mod reader;

use std::collections::HashMap;
use std::time::Duration;

use crate::domain::{Roles, TokenSecrets};
use reader::Reader;

/// Everything that a function is told by its environment.
#[derive(Clone, Debug)]
pub struct Config {
    /// The arbiter of holds.
    pub redis: RedisConfig,
    /// The record.
    pub dynamo: DynamoConfig,
    /// Who the caller is.
    pub caller: CallerConfig,
    /// `TOKEN_SECRET`: a secret of the deployment, of at least 32 characters, with which hold tokens are made and verified.
    /// Only functions that take hold tokens need it. `TOKEN_SECRET_PREVIOUS` (none): another one whose tokens are accepted
    /// while the secret rotates: first the next one, then the previous one.
    pub token_secrets: Option<TokenSecrets>,
    /// `REQUEST_BUDGET_MS` (2000): how long a request may take in all before it is answered 503.
    pub request_budget: Duration,
    /// `LOG_LEVEL` (`info`): `error` logs failures only, `info` a line per request, `debug` one per script besides.
    pub log_level: LogLevel,
    /// `METRICS` (`true`): whether each line carries metrics in the embedded metric format; such lines are written at every
    /// level.
    pub metrics: bool,
}

/// How to reach Redis.
#[derive(Clone, Debug)]
pub struct RedisConfig {
    /// `REDIS_URL`: `redis://` or `rediss://` (TLS), host and port. Of a cluster: any of its nodes.
    pub url: String,
    /// `REDIS_CLUSTER` (`false`): whether that is a cluster.
    pub cluster: bool,
    /// `REDIS_CA_FILE`: a PEM file of the authorities that a server's certificate may be signed by. Without it, those that
    /// browsers know, as Amazon's is. Here: what is in it.
    pub authorities: Option<Vec<u8>>,
    /// The login by IAM, if `REDIS_IAM_CACHE` is set. Without it the URL has what is needed, with `REDIS_USERNAME` and
    /// `REDIS_PASSWORD` in it if those are set.
    pub iam: Option<IamLogin>,
    /// `REDIS_CONNECT_TIMEOUT_MS` (500): how long a connection may take.
    pub connect_timeout: Duration,
    /// `REDIS_RESPONSE_TIMEOUT_MS` (500): how long one answer may take; half of the request's budget at most.
    pub response_timeout: Duration,
}

/// The login to ElastiCache by IAM.
#[derive(Clone, Debug)]
pub struct IamLogin {
    /// `REDIS_USERNAME`: the user, whose id and name are the same. Required with the cache.
    pub user: String,
    /// `REDIS_IAM_CACHE`: `replicationgroup:<id>` or `serverlesscache:<name>`; the part after the colon.
    pub cache: String,
    /// Whether it is the latter.
    pub serverless: bool,
    /// `REDIS_IAM_RENEW_SECONDS` (600): how long before a connection logs in anew; a token is good for 900.
    pub renew_after: Duration,
    /// `AWS_REGION`
    pub region: String,
    /// Those of the function.
    pub credentials: Credentials,
}

/// How to reach DynamoDB.
#[derive(Clone, Debug)]
pub struct DynamoConfig {
    /// `TABLE_NAME` (`holdfast`): the table.
    pub table: String,
    /// `AWS_ENDPOINT_URL_DYNAMODB`: where DynamoDB is, when it is not Amazon's.
    pub endpoint: Option<String>,
    /// `AWS_REGION` (`us-east-1`; set by Lambda).
    pub region: String,
    /// `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`: set by Lambda for its execution environment, for
    /// as long as that lives.
    pub credentials: Credentials,
    /// `DYNAMODB_CONNECT_TIMEOUT_MS` (500): how long a connection may take.
    pub connect_timeout: Duration,
    /// `DYNAMODB_RESPONSE_TIMEOUT_MS` (900): how long one attempt of a call may take.
    pub response_timeout: Duration,
    /// `AUDIT_DAYS` (90): how long the events of a show are kept.
    pub audit_days: u64,
}

/// Credentials of the AWS account.
#[derive(Clone)]
pub struct Credentials {
    /// `AWS_ACCESS_KEY_ID`
    pub access_key_id: String,
    /// `AWS_SECRET_ACCESS_KEY`
    pub secret_access_key: String,
    /// `AWS_SESSION_TOKEN`
    pub session_token: Option<String>,
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Credentials(..)")
    }
}

/// Who the caller is, and what that allows.
#[derive(Clone, Debug)]
pub struct CallerConfig {
    /// `TRUST_USER_HEADER` (`false`): whether `X-User-Id` names the buyer where the API has no JWT authorizer. Sellers and
    /// operators are always believed.
    pub trust_user_header: bool,
    /// `SELLER_SCOPE` (`holdfast/sell`): the scope that a JWT needs for sellers' routes.
    pub seller_scope: String,
    /// `OPERATOR_SCOPE` (`holdfast/operate`): the scope that a JWT needs for operators' routes. It is enough for sellers', too.
    pub operator_scope: String,
    /// `CONFIRM_BY` (`sellers`): who may confirm and cancel. `buyers`: a buyer may, too, what is free.
    pub confirm_by: ConfirmBy,
    /// `LOCAL_ROLES` (`buyer`): a comma list of the roles of a caller for whom no authorizer vouches. Only accepted together
    /// with `AWS_ENDPOINT_URL_DYNAMODB`: it is for a machine of your own.
    pub local_roles: Roles,
}

/// Who may confirm and cancel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfirmBy {
    /// Sellers and operators.
    Sellers,
    /// Buyers, too, where no money is involved.
    Buyers,
}

/// What is logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// Requests that failed.
    Error,
    /// One line a request.
    Info,
    /// One line a script besides.
    Debug,
}

/// What is wrong with the environment, one line a variable.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.join("\n"))]
pub struct ConfigError(Vec<String>);

/// The variables that [`Config::from_vars`] reads, for the test that compares docs, code and template.
pub const VARIABLES: [&str; 28] = [
    "REDIS_URL",
    "REDIS_CLUSTER",
    "REDIS_CA_FILE",
    "REDIS_USERNAME",
    "REDIS_PASSWORD",
    "REDIS_IAM_CACHE",
    "REDIS_IAM_RENEW_SECONDS",
    "REDIS_CONNECT_TIMEOUT_MS",
    "REDIS_RESPONSE_TIMEOUT_MS",
    "TABLE_NAME",
    "AWS_ENDPOINT_URL_DYNAMODB",
    "AWS_REGION",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "DYNAMODB_CONNECT_TIMEOUT_MS",
    "DYNAMODB_RESPONSE_TIMEOUT_MS",
    "AUDIT_DAYS",
    "REQUEST_BUDGET_MS",
    "TOKEN_SECRET",
    "TOKEN_SECRET_PREVIOUS",
    "TRUST_USER_HEADER",
    "SELLER_SCOPE",
    "OPERATOR_SCOPE",
    "CONFIRM_BY",
    "LOCAL_ROLES",
    "LOG_LEVEL",
    "METRICS",
];

impl Config {
    /// Reads the process environment.
    ///
    /// # Errors
    /// All that is wrong, each with its variable.
    pub fn from_env() -> Result<Config, ConfigError> {
        // What is no text is no variable of ours.
        let texts =
            std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        Config::from_vars(&texts.collect())
    }

    /// Reads a map of variables.
    ///
    /// # Errors
    /// All that is wrong, each with its variable.
    pub fn from_vars(vars: &HashMap<String, String>) -> Result<Config, ConfigError> {
        let mut reader = Reader::new(vars);
        let endpoint = reader.optional("AWS_ENDPOINT_URL_DYNAMODB");
        let region = reader.text("AWS_REGION", "us-east-1");
        let is_local = endpoint.is_some();
        let credentials = reader.credentials(is_local);
        let request_budget = reader.millis("REQUEST_BUDGET_MS", 2000);
        let cluster = reader.flag("REDIS_CLUSTER");
        let config = Config {
            redis: RedisConfig {
                url: reader.redis_url(cluster),
                cluster,
                authorities: reader.authorities(),
                iam: reader.iam(region.clone(), credentials.clone()),
                // A request that meets a dead master has to reach another one yet.
                connect_timeout: reader.millis("REDIS_CONNECT_TIMEOUT_MS", 500).min(request_budget / 4),
                // A mute connection has to be found out before the request's time is up: it is then replaced.
                response_timeout: reader.millis("REDIS_RESPONSE_TIMEOUT_MS", 500).min(request_budget / 2),
            },
            dynamo: DynamoConfig {
                table: reader.text("TABLE_NAME", "holdfast"),
                region: region.clone(),
                credentials: credentials.clone(),
                endpoint,
                connect_timeout: reader.millis("DYNAMODB_CONNECT_TIMEOUT_MS", 500),
                response_timeout: reader.millis("DYNAMODB_RESPONSE_TIMEOUT_MS", 900),
                audit_days: reader.days("AUDIT_DAYS", 90),
            },
            caller: CallerConfig {
                trust_user_header: reader.flag("TRUST_USER_HEADER"),
                seller_scope: reader.text("SELLER_SCOPE", "holdfast/sell"),
                operator_scope: reader.text("OPERATOR_SCOPE", "holdfast/operate"),
                confirm_by: reader.confirm_by(),
                local_roles: reader.local_roles(is_local),
            },
            token_secrets: reader.token_secrets()?,
            request_budget,
            log_level: reader.log_level(),
            metrics: reader.flag_or("METRICS", true),
        };
        reader.found_none()?;
        Ok(config)
    }
}

impl ConfigError {
    /// What is wrong with one variable.
    pub(crate) fn of(name: &str, problem: &str) -> Self {
        ConfigError(vec![format!("{name}: {problem}")])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vars(pairs: &[(&str, &str)]) -> HashMap<String, String> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn all_errors_are_told_together_and_named() {
        let wrong = vars(&[
            ("REDIS_CLUSTER", "yes"),
            ("REQUEST_BUDGET_MS", "0"),
            ("LOG_LEVEL", "loud"),
            ("DYNAMODB_CONNECT_TIMEOUT_MS", "-1"),
        ]);
        let error = Config::from_vars(&wrong).map(|_| ()).map_err(|error| error.to_string());
        let text = error.err().unwrap_or_default();
        for name in [
            "REDIS_URL",
            "REDIS_CLUSTER",
            "REQUEST_BUDGET_MS",
            "LOG_LEVEL",
            "DYNAMODB_CONNECT_TIMEOUT_MS",
            "AWS_ACCESS_KEY_ID",
        ] {
            assert!(text.lines().any(|line| line.starts_with(name)), "{name} in {text}");
        }
    }

    #[test]
    fn a_store_of_ones_own_needs_no_credentials() {
        let own = vars(&[
            ("REDIS_URL", "redis://127.0.0.1:1"),
            ("AWS_ENDPOINT_URL_DYNAMODB", "http://127.0.0.1:2"),
            ("TOKEN_SECRET", "a secret of a test, and long enough"),
        ]);
        assert!(Config::from_vars(&own).is_ok());
    }

    #[test]
    fn a_cluster_has_one_database() {
        let set = |url, cluster| {
            let more = [("REDIS_URL", url), ("REDIS_CLUSTER", cluster), ("AWS_ENDPOINT_URL_DYNAMODB", "http://a")];
            Config::from_vars(&vars(
                &[more.as_slice(), &[("TOKEN_SECRET", "a secret of a test, and long enough")]].concat(),
            ))
        };
        assert!(set("redis://a/1", "false").is_ok());
        assert!(set("redis://a/0", "true").is_ok());
        let error = set("redis://a/1", "true").map(|_| ()).map_err(|error| error.to_string()).err().unwrap_or_default();
        assert!(error.contains("REDIS_URL: must name no database"), "{error}");
    }

    #[test]
    fn roles_without_an_authorizer_are_for_a_machine_of_ones_own() {
        let read = |roles, endpoint: &[(&str, &str)]| {
            let more = [("REDIS_URL", "redis://a"), ("LOCAL_ROLES", roles), ("AWS_ACCESS_KEY_ID", "a")];
            let more = [more.as_slice(), &[("AWS_SECRET_ACCESS_KEY", "b")], endpoint].concat();
            Config::from_vars(&vars(&more)).map(|config| config.caller.local_roles).map_err(|error| error.to_string())
        };
        let own = [("AWS_ENDPOINT_URL_DYNAMODB", "http://a")];
        assert_eq!(read("", &own), Ok(Roles::BUYER));
        assert_eq!(read("buyer", &own), Ok(Roles::BUYER));
        assert_eq!(read("buyer,seller", &own), Ok(Roles { seller: true, operator: false }));
        assert_eq!(read("operator, seller", &own), Ok(Roles { seller: true, operator: true }));
        assert_eq!(read("", &[]), Ok(Roles::BUYER));
        for (roles, endpoint) in [("seller", &[][..]), ("buyer", &[]), ("admin", &own), ("buyer;seller", &own)] {
            let error = read(roles, endpoint).err().unwrap_or_default();
            assert!(error.starts_with("LOCAL_ROLES: "), "{roles}: {error}");
        }
    }

    #[test]
    fn a_secret_is_needed_only_with_the_one_before() {
        let read = |secrets: &[(&str, &str)]| {
            let own = [("REDIS_URL", "redis://a"), ("AWS_ENDPOINT_URL_DYNAMODB", "http://a")];
            let config = Config::from_vars(&vars(&[own.as_slice(), secrets].concat()));
            config.map(|config| config.token_secrets.is_some()).map_err(|error| error.to_string())
        };
        let (long, other) = ("0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210");
        assert_eq!(read(&[]), Ok(false));
        assert_eq!(read(&[("TOKEN_SECRET", long)]), Ok(true));
        assert_eq!(read(&[("TOKEN_SECRET", long), ("TOKEN_SECRET_PREVIOUS", other)]), Ok(true));
        for wrong in [
            &[("TOKEN_SECRET", "short")][..],
            &[("TOKEN_SECRET_PREVIOUS", long)],
            &[("TOKEN_SECRET", long), ("TOKEN_SECRET_PREVIOUS", "short")],
        ] {
            assert!(read(wrong).is_err_and(|error| error.starts_with("TOKEN_SECRET")), "{wrong:?}");
        }
    }
}
