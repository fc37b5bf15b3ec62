//! What this machine's system is told by its environment: its own variables, and those of the functions, for which it
//! has defaults of its own.

use std::collections::HashMap;
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::time::Duration;

use holdfast::Config;

use crate::token_secret::TokenSecret;

/// The functions' variables that have another default here.
const DEFAULTS: [(&str, &str); 5] = [
    ("TABLE_NAME", "holdfast"),
    ("TRUST_USER_HEADER", "true"),
    ("LOCAL_ROLES", "buyer,seller,operator"),
    ("LOG_LEVEL", "error"),
    ("METRICS", "false"),
];

/// Everything that is asked before anything is started.
#[derive(Debug)]
pub struct LocalConfig {
    /// `PORT` (3000): where to listen on 127.0.0.1; 0 means any free port.
    pub port: u16,
    /// `DATA_DIR` (none): where both stores keep their data. Without it nothing is kept.
    pub data_dir: Option<PathBuf>,
    /// `REDIS_URL` (none): a Redis that is there already. Without it one is started.
    pub redis_url: Option<String>,
    /// `STORES_ADDRESS` (127.0.0.1): where the stores that are started here listen.
    pub stores_address: Ipv4Addr,
    /// `AWS_ENDPOINT_URL_DYNAMODB` (none): a DynamoDB that is there already. Without it one is started.
    pub dynamo_url: Option<String>,
    /// `DYNAMODB_PORT` (0): where the embedded DynamoDB listens; 0 means any free port.
    pub dynamo_port: u16,
    /// `TABLE_NAME` (holdfast): the table, which is made if it is not there.
    pub table_name: String,
    /// `RECONCILE_EVERY_SECONDS` (none): how often the schedule calls; 0 means never. Without it, as the template says.
    pub reconcile_every: Option<Duration>,
    vars: HashMap<String, String>,
}

/// What is wrong with the environment, one line a variable.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.join("\n"))]
pub struct ConfigErrors(Vec<String>);

impl LocalConfig {
    /// Reads a map of variables. An empty one counts as not set.
    ///
    /// # Errors
    ///
    /// All that is wrong, the functions' variables included, each with its name.
    pub fn from_vars(mut vars: HashMap<String, String>) -> Result<Self, ConfigErrors> {
        vars.retain(|_, value| !value.is_empty());
        for (name, value) in DEFAULTS {
            vars.entry(name.to_owned()).or_insert_with(|| value.to_owned());
        }
        let mut errors = Vec::new();
        let config = Self {
            port: port(&vars, "PORT", 3000, &mut errors),
            data_dir: vars.get("DATA_DIR").map(PathBuf::from),
            redis_url: vars.get("REDIS_URL").cloned(),
            stores_address: address(&vars, "STORES_ADDRESS", &mut errors),
            dynamo_url: vars.get("AWS_ENDPOINT_URL_DYNAMODB").cloned(),
            dynamo_port: port(&vars, "DYNAMODB_PORT", 0, &mut errors),
            table_name: vars.get("TABLE_NAME").cloned().unwrap_or_default(),
            reconcile_every: seconds(&vars, "RECONCILE_EVERY_SECONDS", &mut errors),
            vars,
        };
        if config.redis_url.is_none() && config.vars.get("REDIS_CLUSTER").is_some_and(|cluster| cluster == "true") {
            errors.push("REDIS_CLUSTER: needs REDIS_URL, for the Redis that is started here is no cluster".to_owned());
        }
        // Any addresses do for finding out what else is wrong.
        let secret = TokenSecret::random();
        if let Err(error) = config.of_functions("redis://127.0.0.1:6379", "http://127.0.0.1:8000", &secret) {
            errors.push(error.to_string());
        }
        if errors.is_empty() { Ok(config) } else { Err(ConfigErrors(errors)) }
    }

    /// The functions' own configuration, once it is known where the stores are. `secret` is used unless `TOKEN_SECRET` is set.
    ///
    /// # Errors
    ///
    /// All that is wrong with it, each with its variable.
    pub fn of_functions(
        &self,
        redis_url: &str,
        dynamo_url: &str,
        secret: &TokenSecret,
    ) -> Result<Config, holdfast::config::ConfigError> {
        let mut vars = self.vars.clone();
        vars.entry("TOKEN_SECRET".to_owned()).or_insert_with(|| secret.as_str().to_owned());
        vars.entry("REDIS_URL".to_owned()).or_insert_with(|| redis_url.to_owned());
        vars.entry("AWS_ENDPOINT_URL_DYNAMODB".to_owned()).or_insert_with(|| dynamo_url.to_owned());
        Config::from_vars(&vars)
    }
}

fn port(vars: &HashMap<String, String>, name: &str, default: u16, errors: &mut Vec<String>) -> u16 {
    let Some(text) = vars.get(name) else { return default };
    text.parse().unwrap_or_else(|_| {
        errors.push(format!("{name}: must be a port, 0 to 65535, and is {text:?}"));
        default
    })
}

/// Not 0.0.0.0: neither store asks who is calling.
fn address(vars: &HashMap<String, String>, name: &str, errors: &mut Vec<String>) -> Ipv4Addr {
    let Some(text) = vars.get(name) else { return Ipv4Addr::LOCALHOST };
    let address = text.parse().ok().filter(|address: &Ipv4Addr| !address.is_unspecified());
    address.unwrap_or_else(|| {
        errors.push(format!("{name}: must be one IPv4 address of this machine, and is {text:?}"));
        Ipv4Addr::LOCALHOST
    })
}

fn seconds(vars: &HashMap<String, String>, name: &str, errors: &mut Vec<String>) -> Option<Duration> {
    let text = vars.get(name)?;
    let seconds = text.parse().ok().filter(|seconds| *seconds <= 86_400);
    if seconds.is_none() {
        errors.push(format!("{name}: must be a number of seconds, 0 to 86400, and is {text:?}"));
    }
    seconds.map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use holdfast::domain::Roles;

    use super::*;

    fn read(vars: &[(&str, &str)]) -> Result<LocalConfig, ConfigErrors> {
        LocalConfig::from_vars(vars.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect())
    }

    #[test]
    fn everything_has_a_default() {
        let config = read(&[("PORT", "")]).expect("an empty environment");
        assert_eq!((config.port, config.dynamo_port, config.table_name.as_str()), (3000, 0, "holdfast"));
        assert_eq!(config.stores_address, Ipv4Addr::LOCALHOST);
        let functions = config
            .of_functions("redis://127.0.0.1:1", "http://127.0.0.1:2", &TokenSecret::random())
            .expect("good addresses");
        assert_eq!(functions.redis.url, "redis://127.0.0.1:1");
        assert_eq!(functions.dynamo.endpoint.as_deref(), Some("http://127.0.0.1:2"));
        assert!(functions.caller.trust_user_header);
        assert_eq!(functions.caller.local_roles, Roles::ALL);
        assert!(functions.token_secrets.is_some());
        assert_eq!(config.reconcile_every, None);
    }

    #[test]
    fn all_errors_come_together_and_name_their_variable() {
        let wrong = [
            ("PORT", "70000"),
            ("STORES_ADDRESS", "0.0.0.0"),
            ("DYNAMODB_PORT", "x"),
            ("RECONCILE_EVERY_SECONDS", "-1"),
            ("REDIS_CLUSTER", "true"),
            ("REQUEST_BUDGET_MS", "soon"),
        ];
        let errors = read(&wrong).expect_err("nothing of it is right").to_string();
        let named: Vec<_> = errors.lines().filter_map(|line| line.split_once(':')).map(|(name, _)| name).collect();
        assert_eq!(named, wrong.map(|(name, _)| name));
    }
}
