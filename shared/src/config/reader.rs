//! Reads variables one by one, with their defaults, and gathers what is wrong with them.

use std::collections::HashMap;
use std::time::Duration;

use super::{ConfigError, ConfirmBy, Credentials, IamLogin, LogLevel, authorities};
use crate::domain::{Roles, TokenSecrets};

/// A map of variables, and what was found wrong with them so far.
pub(super) struct Reader<'a> {
    vars: &'a HashMap<String, String>,
    problems: Vec<String>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(vars: &'a HashMap<String, String>) -> Self {
        Self { vars, problems: Vec::new() }
    }

    /// Fails with all that was found.
    pub(super) fn found_none(self) -> Result<(), ConfigError> {
        if self.problems.is_empty() { Ok(()) } else { Err(ConfigError(self.problems)) }
    }

    /// A variable that is set and not empty.
    pub(super) fn optional(&self, name: &str) -> Option<String> {
        self.vars.get(name).filter(|value| !value.is_empty()).cloned()
    }

    pub(super) fn text(&self, name: &str, default: &str) -> String {
        self.optional(name).unwrap_or_else(|| default.to_owned())
    }

    fn problem(&mut self, name: &str, problem: &str) {
        self.problems.push(format!("{name}: {problem}"));
    }

    pub(super) fn flag(&mut self, name: &str) -> bool {
        self.flag_or(name, false)
    }

    pub(super) fn flag_or(&mut self, name: &str, default: bool) -> bool {
        match self.optional(name).as_deref() {
            None => default,
            Some("false") => false,
            Some("true") => true,
            Some(_) => {
                self.problem(name, "must be true or false");
                default
            }
        }
    }

    pub(super) fn millis(&mut self, name: &str, default: u64) -> Duration {
        let value = self.optional(name).map_or(Ok(default), |text| text.parse::<u64>());
        match value {
            Ok(ms) if (1..=900_000).contains(&ms) => Duration::from_millis(ms),
            Ok(_) | Err(_) => {
                self.problem(name, "must be a number of milliseconds from 1 to 900000");
                Duration::from_millis(default)
            }
        }
    }

    pub(super) fn days(&mut self, name: &str, default: u64) -> u64 {
        match self.optional(name).map_or(Ok(default), |text| text.parse()) {
            Ok(days) if (1..=3650).contains(&days) => days,
            Ok(_) | Err(_) => {
                self.problem(name, "must be a number of days from 1 to 3650");
                default
            }
        }
    }

    /// `None`: the function needs none.
    pub(super) fn token_secrets(&mut self) -> Result<Option<TokenSecrets>, ConfigError> {
        let [current, accepted] = ["TOKEN_SECRET", "TOKEN_SECRET_PREVIOUS"].map(|name| {
            let secret = self.optional(name);
            if secret.as_ref().is_some_and(|secret| secret.len() < 32) {
                self.problem(name, "must be a secret of at least 32 characters");
            }
            secret
        });
        if accepted.is_some() && current.is_none() {
            self.problem("TOKEN_SECRET", "must be set with TOKEN_SECRET_PREVIOUS");
        }
        let secrets = current.map(|current| TokenSecrets::of(&current, accepted.as_deref())).transpose();
        secrets.map_err(|error| ConfigError::of("TOKEN_SECRET", &error.to_string()))
    }

    pub(super) fn confirm_by(&mut self) -> ConfirmBy {
        match self.optional("CONFIRM_BY").as_deref() {
            None | Some("sellers") => ConfirmBy::Sellers,
            Some("buyers") => ConfirmBy::Buyers,
            Some(_) => {
                self.problem("CONFIRM_BY", "must be sellers or buyers");
                ConfirmBy::Sellers
            }
        }
    }

    pub(super) fn local_roles(&mut self, is_local: bool) -> Roles {
        const NAME: &str = "LOCAL_ROLES";
        let Some(list) = self.optional(NAME) else { return Roles::BUYER };
        if !is_local {
            self.problem(NAME, "is for a machine of your own: it needs AWS_ENDPOINT_URL_DYNAMODB");
        }
        Roles::parse(&list).unwrap_or_else(|| {
            self.problem(NAME, "must be a comma list of buyer, seller and operator");
            Roles::BUYER
        })
    }

    /// The URL, with the user and the password that were given beside it.
    pub(super) fn redis_url(&mut self, cluster: bool) -> String {
        let Some(text) = self.optional("REDIS_URL") else {
            self.problem("REDIS_URL", "must be set, like redis://127.0.0.1:6379");
            return String::new();
        };
        let Some(mut url) = redis::parse_redis_url(&text) else {
            self.problem("REDIS_URL", "must be a URL like redis://host:6379 or rediss://host:6379");
            return text;
        };
        if cluster && !matches!(url.path(), "" | "/" | "/0") {
            self.problem("REDIS_URL", "must name no database: a cluster has one only");
        }
        // With IAM the password is a token of its own for each connection.
        if self.optional("REDIS_IAM_CACHE").is_none()
            && let Some(password) = self.optional("REDIS_PASSWORD")
        {
            let user = self.optional("REDIS_USERNAME").unwrap_or_default();
            if url.set_username(&user).is_err() || url.set_password(Some(&password)).is_err() {
                self.problem("REDIS_URL", "must be a URL that takes a user and a password");
            }
        }
        url.into()
    }

    pub(super) fn authorities(&mut self) -> Option<Vec<u8>> {
        let read = authorities::read(&self.optional("REDIS_CA_FILE")?);
        read.map_err(|problem| self.problem("REDIS_CA_FILE", &problem)).ok()
    }

    pub(super) fn iam(&mut self, region: String, credentials: Credentials) -> Option<IamLogin> {
        let renew_after = match self.optional("REDIS_IAM_RENEW_SECONDS").map_or(Ok(600), |text| text.parse()) {
            Ok(seconds) if (1..900).contains(&seconds) => Duration::from_secs(seconds),
            Ok(_) | Err(_) => {
                self.problem("REDIS_IAM_RENEW_SECONDS", "must be a number of seconds from 1 to 899");
                Duration::from_secs(600)
            }
        };
        let cache = self.optional("REDIS_IAM_CACHE")?;
        let is_name =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let (serverless, cache) = match cache.split_once(':') {
            // ElastiCache's names have no capitals, whatever they were made with.
            Some(("replicationgroup", name)) if is_name(name) => (false, name.to_ascii_lowercase()),
            Some(("serverlesscache", name)) if is_name(name) => (true, name.to_ascii_lowercase()),
            _ => {
                self.problem("REDIS_IAM_CACHE", "must be replicationgroup:<id> or serverlesscache:<name>");
                return None;
            }
        };
        let user = self.optional("REDIS_USERNAME").filter(|user| is_name(user));
        if user.is_none() {
            self.problem("REDIS_USERNAME", "must be set with REDIS_IAM_CACHE, to letters, digits and hyphens");
        }
        Some(IamLogin { user: user?, cache, serverless, renew_after, region, credentials })
    }

    /// The account's credentials. A DynamoDB that is not Amazon's takes any, so there none need be set.
    pub(super) fn credentials(&mut self, own_endpoint: bool) -> Credentials {
        let mut get = |name: &str| match self.optional(name) {
            Some(value) => value,
            None if own_endpoint => "local".to_owned(),
            None => {
                self.problem(name, "must be set, or AWS_ENDPOINT_URL_DYNAMODB for a DynamoDB of your own");
                String::new()
            }
        };
        Credentials {
            access_key_id: get("AWS_ACCESS_KEY_ID"),
            secret_access_key: get("AWS_SECRET_ACCESS_KEY"),
            session_token: self.optional("AWS_SESSION_TOKEN"),
        }
    }

    pub(super) fn log_level(&mut self) -> LogLevel {
        match self.optional("LOG_LEVEL").as_deref() {
            Some("error") => LogLevel::Error,
            None | Some("info") => LogLevel::Info,
            Some("debug") => LogLevel::Debug,
            Some(_) => {
                self.problem("LOG_LEVEL", "must be error, info or debug");
                LogLevel::Info
            }
        }
    }
}
