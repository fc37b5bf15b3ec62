//! What a process builds once and lends to every request: the ways to both stores, and what it was told of callers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::Deadline;
use crate::adapters::dynamo::Dynamo;
use crate::adapters::redis::Redis;
use crate::config::{CallerConfig, Config, LogLevel};
use crate::domain::TokenSecrets;
use crate::telemetry::{Invocation, Meters};

/// Built once a process. Nothing connects before the first request needs it.
#[derive(Clone)]
pub struct App {
    redis: Redis,
    dynamo: Dynamo,
    /// Who callers are.
    pub caller: CallerConfig,
    /// What hold tokens are made and verified with; `None`: the function needs no tokens.
    pub token_secrets: Option<TokenSecrets>,
    /// What is logged.
    pub log_level: LogLevel,
    /// Whether metrics are written.
    pub metrics: bool,
    /// How long a request may take.
    pub request_budget: Duration,
    /// Whether the next request is the first of this process.
    cold: Arc<AtomicBool>,
}

impl App {
    /// Prepares the stores of a configuration.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self {
            dynamo: Dynamo::new(&config.dynamo),
            redis: Redis::new(config.redis),
            caller: config.caller,
            token_secrets: config.token_secrets,
            log_level: config.log_level,
            metrics: config.metrics,
            request_budget: config.request_budget,
            cold: Arc::new(AtomicBool::new(true)),
        }
    }

    /// Prepares the stores that the process environment names.
    ///
    /// # Errors
    /// All that is wrong with the environment.
    pub fn from_env() -> Result<Self, crate::config::ConfigError> {
        Config::from_env().map(App::new)
    }

    /// Makes the client of DynamoDB now, and not in the first request that needs it.
    pub(crate) fn prepare_record(&self) {
        self.dynamo.prepare();
    }

    /// Whether this is asked for the first time: by the request that a process was started for.
    pub(crate) fn is_cold(&self) -> bool {
        self.cold.swap(false, Ordering::Relaxed)
    }

    /// The stores, for one request that has to be answered by `deadline`.
    #[must_use]
    pub fn stores(&self, deadline: Deadline) -> Stores {
        let meters = Meters::default();
        Stores {
            redis: self.redis.by(deadline).metered(&meters.redis),
            record: self.dynamo.by(deadline).metered(&meters.dynamo),
            log_level: self.log_level,
            budget: self.request_budget,
            meters,
        }
    }
}

/// Both stores, for one request.
#[derive(Clone)]
pub struct Stores {
    /// The arbiter of holds.
    pub redis: Redis,
    /// The record of what is sold.
    pub record: Dynamo,
    log_level: LogLevel,
    budget: Duration,
    meters: Meters,
}

impl Stores {
    /// The same, which tell of each script that they run for this invocation, if the log is to have that.
    #[must_use]
    pub fn telling(self, invocation: &Invocation) -> Self {
        let told = (self.log_level >= LogLevel::Debug).then(|| Arc::new(invocation.clone()));
        Self { redis: self.redis.telling(told), ..self }
    }

    /// How long was waited for each of them.
    #[must_use]
    pub fn meters(&self) -> &Meters {
        &self.meters
    }
}

impl Stores {
    /// When the request has to be answered.
    #[must_use]
    pub fn deadline(&self) -> Deadline {
        self.redis.deadline()
    }

    /// The same stores, for one step of a long run: it has the time that a request has, and ends with the run at the latest.
    #[must_use]
    pub fn step(&self) -> Self {
        let deadline = self.deadline().or_after(self.budget);
        Self { redis: self.redis.by(deadline), record: self.record.by(deadline), ..self.clone() }
    }

    /// The time that a request has.
    #[must_use]
    pub fn budget(&self) -> Duration {
        self.budget
    }
}
