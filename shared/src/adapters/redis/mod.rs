//! Redis, the arbiter of holds. `Redis::call` runs a script; the other modules have the calls of one operation each.
//!
//! [`keys`] spells every key, [`codes`] is the table of what scripts answer, [`scripts`] lists them.

mod cluster;
pub mod codes;
mod connection;
mod epochs;
mod forget;
mod hold;
pub mod iam;
mod info;
pub mod keys;
mod load;
mod node;
mod replace;
pub mod reply;
pub mod scripts;
mod settle;
mod stock;
mod survey;

use std::sync::Arc;
use std::time::{Duration, Instant};

use ::redis::{Cmd, ErrorKind, RedisError, ServerErrorKind, Value};
use futures_util::future::BoxFuture;

use crate::config::RedisConfig;
use crate::telemetry::{Invocation, Meter, ScriptLine};
use crate::{Deadline, Failure};
use connection::Link;
use epochs::Epochs;
use reply::Reply;
use scripts::Script;

/// How often a script is sent in all before the request gives up.
const ATTEMPTS: u32 = 4;
/// What the wait before a repeat starts from.
const BACK_OFF: Duration = Duration::from_millis(15);

/// Redis. A clone shares the connection.
#[derive(Clone)]
pub struct Redis {
    link: Link,
    epochs: Epochs,
    deadline: Deadline,
    meter: Meter,
    /// Whose scripts the log tells of.
    told: Option<Arc<Invocation>>,
}

/// What to do after an error.
#[derive(Debug, PartialEq, Eq)]
enum Remedy {
    /// The server does not know the script: send the script itself.
    SendSource,
    /// The connection is dead, or leads to a server that is not the primary any more.
    Reconnect,
    /// The server asks to come back.
    Wait,
    /// The server is full, or does not let us in: not now, and nothing was done.
    GiveUp,
    /// The show is one of another release.
    OtherLayout,
    /// Our fault.
    Fault,
}

impl Redis {
    /// A way to Redis that connects on first use.
    #[must_use]
    pub fn new(config: RedisConfig) -> Self {
        let deadline = Deadline::after(Duration::ZERO);
        Self { link: Link::new(config), epochs: Epochs::default(), deadline, meter: Meter::default(), told: None }
    }

    /// The same connection, for a request that has to be answered by `deadline`.
    #[must_use]
    pub fn by(&self, deadline: Deadline) -> Self {
        Self { deadline, ..self.clone() }
    }

    /// The same, with its waits counted by `meter`.
    #[must_use]
    pub fn metered(&self, meter: &Meter) -> Self {
        Self { meter: meter.clone(), ..self.clone() }
    }

    /// The same, which tells of each script, if it has whose they are.
    #[must_use]
    pub fn telling(&self, told: Option<Arc<Invocation>>) -> Self {
        Self { told, ..self.clone() }
    }

    /// When the request has to be answered.
    pub(crate) fn deadline(&self) -> Deadline {
        self.deadline
    }

    /// Runs a script. It is sent again after a lost answer: every script is safe to repeat (design, section 3, rule 2).
    ///
    /// # Errors
    /// [`Failure::Unavailable`] when no answer came within the deadline: the script may have run. [`Failure::Internal`]
    /// for an answer that no script gives.
    ///
    /// Boxed, so that what lies below is compiled once, here, and not in every function that awaits it.
    pub(crate) fn call<'a>(
        &'a self,
        script: &'a Script,
        keys: &'a [String],
        args: &'a [&'a str],
    ) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(async move {
            let since = Instant::now();
            let answer = self.run(script, keys, args).await;
            if let Some(invocation) = &self.told {
                let line = ScriptLine {
                    invocation,
                    script: script.name,
                    show: keys.first().and_then(|key| keys::show_of(key)),
                    keys: keys.len(),
                    places: script.places(args),
                    answer: answer.as_ref().map(|reply| reply.told(script)),
                    took: since.elapsed(),
                };
                line.write();
            }
            answer
        })
    }

    async fn run(&self, script: &Script, keys: &[String], args: &[&str]) -> Result<Reply, Failure> {
        // All keys of a script are of one show, so of one slot.
        let key = keys.first().map_or("", String::as_str);
        let by_sha1 = command("EVALSHA", &script.sha1, keys, args);
        let mut attempt = 0;
        loop {
            let error = match self.send(key, &by_sha1).await {
                Ok(value) => return Reply::of(script, value),
                Err(error) if remedy(&error) == Remedy::SendSource => {
                    match self.send(key, &command("EVAL", &script.source, keys, args)).await {
                        Ok(value) => return Reply::of(script, value),
                        Err(error) => error,
                    }
                }
                Err(error) => error,
            };
            let what = format!("script {}", script.name);
            match remedy(&error) {
                Remedy::Fault => return Err(Failure::internal_because(what, error)),
                Remedy::GiveUp => return Err(Failure::Unavailable { what, source: Some(error.into()) }),
                Remedy::OtherLayout => return Err(Failure::OtherLayout { what, source: Some(error.into()) }),
                Remedy::SendSource | Remedy::Reconnect | Remedy::Wait => {}
            }
            attempt += 1;
            if attempt == ATTEMPTS || !self.deadline.back_off(attempt, BACK_OFF).await {
                return Err(Failure::Unavailable { what, source: Some(error.into()) });
            }
        }
    }

    /// Sends one command, within the deadline, to whoever has this key; a connection that died is forgotten.
    async fn send(&self, key: &str, command: &Cmd) -> Result<Value, RedisError> {
        let _wait = self.meter.wait();
        let sent = tokio::time::timeout_at(self.deadline.instant(), self.link.send(key, command)).await;
        let Ok((sent, answer)) = sent else { return Err(timed_out()) };
        if let (Some(sent), Err(error)) = (&sent, &answer)
            && remedy(error) == Remedy::Reconnect
        {
            sent.discard();
        }
        answer
    }

    /// Sends one command, within the deadline, to every primary, and answers what all of them answered.
    async fn send_to_all(&self, command: &Cmd) -> Result<Vec<Value>, RedisError> {
        let _wait = self.meter.wait();
        let sent = tokio::time::timeout_at(self.deadline.instant(), self.link.send_to_all(command)).await;
        sent.unwrap_or_else(|_| Err(timed_out()))
    }
}

fn timed_out() -> RedisError {
    std::io::Error::from(std::io::ErrorKind::TimedOut).into()
}

fn command(verb: &str, script: &str, keys: &[String], args: &[&str]) -> Cmd {
    let mut command = Cmd::with_capacity(keys.len() + args.len() + 3, 256);
    command.arg(verb).arg(script).arg(keys.len()).arg(keys).arg(args);
    command
}

/// What an error asks for. Everything that is not an answer of the server means that the connection is not to be
/// trusted, and so does a primary that became a replica.
fn remedy(error: &RedisError) -> Remedy {
    match error.kind() {
        ErrorKind::Server(ServerErrorKind::NoScript) => Remedy::SendSource,
        ErrorKind::Server(ServerErrorKind::ReadOnly) => Remedy::Reconnect,
        // Two nodes send it to each other: the move of its slot is about to end.
        ErrorKind::Server(
            ServerErrorKind::Moved
            | ServerErrorKind::Ask
            | ServerErrorKind::BusyLoading
            | ServerErrorKind::TryAgain
            | ServerErrorKind::ClusterDown
            | ServerErrorKind::MasterDown,
        ) => Remedy::Wait,
        ErrorKind::Server(ServerErrorKind::CrossSlot | ServerErrorKind::ExecAbort) => Remedy::Fault,
        _ => match error.code() {
            Some("BUSY" | "UNKILLABLE") => Remedy::Wait,
            Some("OOM" | "MISCONF" | "NOREPLICAS") => Remedy::GiveUp,
            Some("FORMAT") => Remedy::OtherLayout,
            // Whoever runs the server has to let us in, or to tell us that it is no cluster: the caller comes again meanwhile.
            Some("NOPERM" | "NOAUTH") => Remedy::GiveUp,
            Some("ERR") if error.to_string().contains("cluster support disabled") => Remedy::GiveUp,
            Some("ERR") if error.to_string().contains("Protocol error") => Remedy::Reconnect,
            // The slot moves, and the script asked for a key that it had emptied: a repeat does the rest, when the move is over.
            Some("ERR") if error.to_string().contains("non local key") => Remedy::Wait,
            // A script's own error names the command that failed in it.
            Some("ERR") if error.to_string().contains("OOM command not allowed") => Remedy::GiveUp,
            Some("ERR" | "WRONGTYPE") => Remedy::Fault,
            _ => Remedy::Reconnect,
        },
    }
}
