//! One server: the connection to it is made on first use, and made anew after it died.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use redis::aio::{ConnectionLike, MultiplexedConnection};
use redis::{AsyncConnectionConfig, Client, Cmd, ConnectionAddr, ConnectionInfo, RedisError, RedisResult, Value};

use super::iam::IamTokens;
use crate::config::RedisConfig;
use crate::{Failure, telemetry};

/// When a login that was refused, or got no answer, is tried again at the latest.
const LOGIN_AGAIN: Duration = Duration::from_secs(30);

/// A server. Its commands share one connection.
pub struct Node {
    info: ConnectionInfo,
    config: Arc<RedisConfig>,
    current: Mutex<Slot>,
    connecting: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Slot {
    generation: u64,
    connection: Option<MultiplexedConnection>,
    /// Why there is none, if the last try failed.
    refused: Option<RedisError>,
    /// When it logged in, by a clock that goes on while the process is frozen, and how long that is good for.
    login: Option<(SystemTime, Duration)>,
}

impl Node {
    /// A server that nobody has connected to yet.
    pub fn new(info: ConnectionInfo, config: Arc<RedisConfig>) -> Self {
        Self { info, config, current: Mutex::default(), connecting: tokio::sync::Mutex::default() }
    }

    /// How it is reached.
    pub fn info(&self) -> &ConnectionInfo {
        &self.info
    }

    /// Its host.
    pub fn host(&self) -> &str {
        match self.info.addr() {
            ConnectionAddr::Tcp(host, _) | ConnectionAddr::TcpTls { host, .. } => host,
            _ => "",
        }
    }

    /// Sends a command over the current connection. Answers the generation of that connection too, for [`Node::discard`].
    pub async fn send(&self, command: &Cmd) -> (u64, RedisResult<Value>) {
        let (generation, connection) = self.logged_in().await;
        let answer = match connection {
            Ok(mut connection) => self.watched(generation, connection.req_packed_command(command)).await,
            Err(error) => Err(error),
        };
        // A server's error may arrive as a value.
        (generation, answer.and_then(Value::extract_error))
    }

    /// The same for a command of a slot that is about to be this server's. Both words go out together: on a connection that
    /// others use, too, nobody else's command comes between.
    pub async fn send_asking(&self, command: &Cmd) -> (u64, RedisResult<Value>) {
        let mut words = redis::pipe();
        words.cmd("ASKING").add_command(command.clone());
        let (generation, connection) = self.logged_in().await;
        let answers = match connection {
            Ok(mut connection) => self.watched(generation, connection.req_packed_commands(&words, 0, 2)).await,
            Err(error) => Err(error),
        };
        (generation, answers.and_then(|answers| answers.into_iter().next_back().unwrap_or(Value::Nil).extract_error()))
    }

    /// Waits for an answer. When the caller's time is up before, the connection is not to be trusted any more if it has been
    /// mute for half of the time that an answer may take: whoever comes next has a new one.
    async fn watched<T>(&self, generation: u64, answer: impl Future<Output = T>) -> T {
        let waiting = Waiting { node: self, generation, since: Instant::now() };
        let answer = answer.await;
        std::mem::forget(waiting);
        answer
    }

    /// Forgets a connection that died, unless somebody else has replaced it already.
    pub fn discard(&self, generation: u64) {
        let mut slot = self.slot();
        if slot.generation == generation {
            slot.connection = None;
        }
    }

    /// Lets the connection go. Commands under way still get their answers.
    pub fn disconnect(&self) {
        self.slot().connection = None;
    }

    /// Whether there is a connection, dead or alive.
    pub fn is_connected(&self) -> bool {
        self.slot().connection.is_some()
    }

    /// Whether there is none because the last try to have one failed.
    pub fn is_out_of_reach(&self) -> bool {
        let slot = self.slot();
        slot.connection.is_none() && slot.refused.is_some()
    }

    fn slot(&self) -> MutexGuard<'_, Slot> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A connection, if there is one, or what became of a try since this generation.
    fn made_since(&self, before: u64) -> (u64, Option<RedisResult<MultiplexedConnection>>) {
        let Slot { generation, connection, refused, .. } = &*self.slot();
        let refused = refused.clone().filter(|_| *generation > before).map(Err);
        (*generation, connection.clone().map(Ok).or(refused))
    }

    /// The connection, with a login that is good for longer than this call. Others go on meanwhile: the old one still is, too. So
    /// it is when the new one is refused: a server ends no session for that.
    async fn logged_in(&self) -> (u64, RedisResult<MultiplexedConnection>) {
        let (generation, made) = self.connection().await;
        let (Ok(mut connection), Some(login)) = (made.clone(), &self.config.iam) else { return (generation, made) };
        if self.is_login_due(LOGIN_AGAIN.min(login.renew_after)) {
            let now = SystemTime::now();
            let answer = match IamTokens::new(login.clone()).login(now) {
                Ok(command) => connection.req_packed_command(&command).await.and_then(Value::extract_error),
                Err(error) => Err(error),
            };
            match answer {
                Ok(_) => self.slot().login = Some((now, login.renew_after)),
                // The line is dead, as after a freeze: whoever connects logs in.
                Err(error) if error.is_io_error() || error.is_timeout() || error.is_connection_dropped() => {
                    self.discard(generation);
                    return self.connection().await;
                }
                Err(error) => {
                    let failure = Failure::Unavailable { what: "AUTH".to_owned(), source: Some(error.into()) };
                    telemetry::warn("Redis took no new login", &failure);
                }
            }
        }
        (generation, made)
    }

    /// Whether the login is so old that a new one is due. It is the caller's to make, and for a while nobody else's.
    fn is_login_due(&self, again: Duration) -> bool {
        let mut slot = self.slot();
        let is_due = slot.login.is_some_and(|(at, good_for)| at.elapsed().unwrap_or_default() >= good_for);
        if is_due {
            slot.login = Some((SystemTime::now(), again));
        }
        is_due
    }

    async fn connection(&self) -> (u64, RedisResult<MultiplexedConnection>) {
        let before = match self.made_since(u64::MAX) {
            (generation, Some(connection)) => return (generation, connection),
            (generation, None) => generation,
        };
        // One caller connects; those who waited for it have its connection, or its error: in a row they would wait too long.
        let _turn = self.connecting.lock().await;
        if let (generation, Some(made)) = self.made_since(before) {
            return (generation, made);
        }
        let now = SystemTime::now();
        let made = self.connect(now).await;
        let mut slot = self.slot();
        slot.generation += 1;
        slot.connection = made.as_ref().ok().cloned();
        slot.refused = made.as_ref().err().cloned();
        slot.login = self.config.iam.as_ref().map(|login| (now, login.renew_after));
        (slot.generation, made)
    }

    async fn connect(&self, now: SystemTime) -> RedisResult<MultiplexedConnection> {
        let RedisConfig { iam, connect_timeout, response_timeout, .. } = &*self.config;
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(*connect_timeout))
            .set_response_timeout(Some(*response_timeout));
        let mut info = self.info.clone();
        if let Some(login) = iam {
            let token = IamTokens::new(login.clone()).token(now)?;
            let settings = info.redis_settings().clone().set_username(&login.user).set_password(token);
            info = info.set_redis_settings(settings);
        }
        Client::open(info)?.get_multiplexed_async_connection_with_config(&config).await
    }
}

/// Somebody who waits for an answer. Dropped while he does, he has given up.
struct Waiting<'a> {
    node: &'a Node,
    generation: u64,
    since: Instant,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if self.since.elapsed() >= self.node.config.response_timeout / 2 {
            self.node.discard(self.generation);
        }
    }
}
