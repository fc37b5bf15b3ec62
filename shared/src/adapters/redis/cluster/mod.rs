//! A cluster: each command goes to the master that has its slot, over a connection of that master's own.
//!
//! Not redis-rs' cluster client, for what that does to a process that lives long and has little time: one mute node stops the
//! commands to all others while the slots are looked up, a login to the node that the configuration names is the only way
//! back, and each process connects to every node, replicas too. Here a process connects to those whose shows it is asked for, what
//! happens to one node is no business of the others, and any node that was ever heard of is a way back.
//!
//! [`map`] remembers who has which slot, [`slots`] reads what nodes say of it.

mod map;
mod slots;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use futures_util::{StreamExt, stream};
use redis::{Cmd, ConnectionInfo, ErrorKind, RedisError, RedisResult, ServerErrorKind, Value};

use super::connection::Sent;
use super::node::Node;
use crate::config::RedisConfig;
use map::Map;
use slots::Range;
use tokio::time::timeout;

/// How often a command is sent on to where a node says that it belongs.
const HOPS: usize = 4;
/// How long an answer that is doubtful is held back, for others to say otherwise: they may have to shake hands first.
const OTHERWISE_WITHIN: Duration = Duration::from_millis(250);
/// How many nodes are asked for the slots at once: each may cost a handshake.
const ASKED_AT_ONCE: usize = 8;

/// The masters of a cluster.
pub struct Cluster {
    map: Mutex<Map>,
    looking: tokio::sync::Mutex<()>,
}

impl Cluster {
    /// A cluster of which one node is known, which nobody has connected to yet.
    pub fn new(first: ConnectionInfo, config: Arc<RedisConfig>) -> Self {
        Self { map: Mutex::new(Map::new(first, config)), looking: tokio::sync::Mutex::default() }
    }

    /// Sends a command to the master that has this key, and where that leads.
    pub async fn send(&self, key: &str, command: &Cmd) -> (Option<Sent>, RedisResult<Value>) {
        let slot = slots::slot_of(key);
        let mut node = match self.master_of(slot).await {
            Ok(node) => node,
            Err(error) => return (None, Err(error)),
        };
        let (mut asking, mut hops) = (false, 0);
        loop {
            let (generation, answer) = if asking { node.send_asking(command).await } else { node.send(command).await };
            let error = answer.as_ref().err();
            let next = error.and_then(|error| slots::redirected(error, node.host()));
            hops += 1;
            let Some(address) = next.filter(|_| hops < HOPS) else {
                if error.is_some_and(|error| speaks_against(error, &node)) {
                    self.map().doubt(&node);
                }
                return (Some(Sent { node, generation }), answer);
            };
            asking = error.is_some_and(|error| error.kind() == ErrorKind::Server(ServerErrorKind::Ask));
            node = self.map().at(&address);
            if !asking {
                self.map().moved(slot, &address);
            }
        }
    }

    /// Sends a command to every master, and answers what all of them answered, or why one did not.
    pub async fn send_to_all(&self, command: &Cmd) -> RedisResult<Vec<Value>> {
        // They may have changed, and no command have met it: this one has no slot.
        let turn = self.looking.lock().await;
        let heard = self.look_around(None).await;
        self.map().learn(heard);
        drop(turn);
        let masters = self.map().masters()?;
        join_all(masters.iter().map(|node| answer_of(node, command))).await.into_iter().collect()
    }

    fn map(&self) -> MutexGuard<'_, Map> {
        self.map.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The master of a slot. Only commands to a node that is in doubt wait until somebody has said who has its slots; who
    /// waited while another asked around has what that one heard.
    async fn master_of(&self, slot: u16) -> RedisResult<Arc<Node>> {
        let (trusted, looks) = {
            let mut map = self.map();
            (map.trusted(slot), map.looks())
        };
        if let Some(master) = trusted {
            return Ok(master);
        }
        let _turn = self.looking.lock().await;
        if self.map().looks() == looks {
            let heard = self.look_around(Some(slot)).await;
            self.map().learn(heard);
        }
        self.map().found(slot)
    }

    /// Asks for the slots: first those to whom there is a connection, then all others. The first answer counts, but not one by
    /// which this slot still has a master that is in doubt: a node that is cut off from the others says so of itself. That one is
    /// believed if nobody says otherwise for a moment.
    async fn look_around(&self, slot: Option<u16>) -> RedisResult<Vec<Range>> {
        let informants = self.map().informants();
        let (mut heard, mut doubtful) = (Err(no_answer()), None);
        for nodes in informants {
            let mut answers = stream::iter(&nodes).map(ask).buffer_unordered(ASKED_AT_ONCE);
            loop {
                let patience = if doubtful.is_some() { OTHERWISE_WITHIN } else { Duration::MAX };
                match timeout(patience, answers.next()).await {
                    Ok(Some(Ok(ranges))) if slot.is_some_and(|slot| self.map().is_doubtful(&ranges, slot)) => {
                        doubtful = Some(ranges);
                    }
                    Ok(Some(Ok(ranges))) => return Ok(ranges),
                    Ok(Some(error)) => heard = error,
                    Ok(None) | Err(_) => break,
                }
            }
        }
        doubtful.map_or(heard, Ok)
    }
}

async fn ask(node: &Arc<Node>) -> RedisResult<Vec<Range>> {
    let mut command = Cmd::new();
    command.arg("CLUSTER").arg("SLOTS");
    slots::parse(answer_of(node, &command).await?, node.host())
}

/// What a node answers to a command that is about itself. A connection that died is forgotten.
async fn answer_of(node: &Node, command: &Cmd) -> RedisResult<Value> {
    let (generation, answer) = node.send(command).await;
    if answer.as_ref().is_err_and(|error| !matches!(error.kind(), ErrorKind::Server(_))) {
        node.discard(generation);
    }
    answer
}

/// Whether a node is to be asked for nothing more before others have said who has its slots: it cannot be reached, or says that it
/// has no part in the cluster's business any more. A connection that broke off, as idle ones do, says nothing yet.
fn speaks_against(error: &RedisError, node: &Node) -> bool {
    match error.kind() {
        ErrorKind::Server(kind) => {
            use ServerErrorKind::{BusyLoading, ClusterDown, MasterDown, ReadOnly};
            matches!(kind, ClusterDown | MasterDown | ReadOnly | BusyLoading)
        }
        _ => node.is_out_of_reach(),
    }
}

fn no_answer() -> RedisError {
    RedisError::from((ErrorKind::ClusterConnectionNotFound, "no node says who has which slot"))
}
