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

use futures_util::future::{join_all, select_ok};
use redis::{Cmd, ConnectionInfo, ErrorKind, RedisError, RedisResult, ServerErrorKind, Value};

use super::connection::Sent;
use super::node::Node;
use crate::config::RedisConfig;
use map::Map;
use slots::Range;

/// How often a command is sent on to where a node says that it belongs.
const HOPS: usize = 4;

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
        let (mut node, mut asking, mut moved) = match self.master_of(slot).await {
            Ok(node) => (node, false, false),
            Err(error) => return (None, Err(error)),
        };
        let mut hops = 0;
        loop {
            let (generation, answer) = if asking { node.send_asking(command).await } else { node.send(command).await };
            let error = answer.as_ref().err();
            let next = error.and_then(|error| slots::redirected(error, node.host()));
            hops += 1;
            let Some(address) = next.filter(|_| hops < HOPS) else {
                if error.is_some_and(|error| speaks_against(error, &node)) {
                    self.map().doubt(&node);
                } else if moved && answer.is_ok() {
                    // Whoever has one slot of another's now may have all of them.
                    self.look_at(&node).await;
                }
                return (Some(Sent { node, generation }), answer);
            };
            asking = error.is_some_and(|error| error.kind() == ErrorKind::Server(ServerErrorKind::Ask));
            node = self.map().at(&address);
            if !asking {
                moved = true;
                self.map().moved(slot, &address);
            }
        }
    }

    /// Sends a command to every master. Answers those that answered, or why none did.
    pub async fn send_to_all(&self, command: &Cmd) -> RedisResult<Vec<Value>> {
        // Whichever it is: once it is known, all are.
        self.master_of(0).await?;
        let masters = self.map().masters();
        let answers = join_all(masters.iter().map(|node| node.send(command))).await;
        let (mut values, mut none) = (Vec::new(), no_master());
        for (node, (generation, answer)) in masters.iter().zip(answers) {
            match answer {
                Ok(value) => values.push(value),
                Err(error) => {
                    node.discard(generation);
                    self.map().doubt(node);
                    none = error;
                }
            }
        }
        if values.is_empty() { Err(none) } else { Ok(values) }
    }

    fn map(&self) -> MutexGuard<'_, Map> {
        self.map.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The master of a slot. Only commands to a node that is in doubt wait until somebody has said who has its slots.
    async fn master_of(&self, slot: u16) -> RedisResult<Arc<Node>> {
        let trusted = || self.map().trusted(slot);
        if let Some(master) = trusted() {
            return Ok(master);
        }
        let _turn = self.looking.lock().await;
        if let Some(master) = trusted() {
            return Ok(master);
        }
        self.look_around().await?;
        self.map().master(slot).ok_or_else(no_master)
    }

    /// Asks for the slots: those to whom there is a connection, and if none of them answers, all others.
    async fn look_around(&self) -> RedisResult<()> {
        let (near, far) = self.map().informants();
        let ranges = match first_answer(&near).await {
            Ok(ranges) => ranges,
            Err(_) => first_answer(&far).await?,
        };
        self.map().replace(ranges);
        Ok(())
    }

    /// Asks this node for the slots, if nobody is asking anyway.
    async fn look_at(&self, node: &Arc<Node>) {
        if let Ok(_turn) = self.looking.try_lock()
            && let Ok(ranges) = ask(node).await
        {
            self.map().replace(ranges);
        }
    }
}

/// What the first of these nodes says that answers at all.
async fn first_answer(nodes: &[Arc<Node>]) -> RedisResult<Vec<Range>> {
    if nodes.is_empty() {
        return Err(no_master());
    }
    Ok(select_ok(nodes.iter().map(|node| Box::pin(ask(node)))).await?.0)
}

async fn ask(node: &Arc<Node>) -> RedisResult<Vec<Range>> {
    let mut command = Cmd::new();
    command.arg("CLUSTER").arg("SLOTS");
    let (generation, answer) = node.send(&command).await;
    if answer.as_ref().is_err_and(|error| !matches!(error.kind(), ErrorKind::Server(_))) {
        node.discard(generation);
    }
    slots::parse(answer?, node.host())
}

/// Whether a node is to be asked for nothing more before others have said who has its slots: it cannot be reached, or says that it
/// has no part in the cluster's business any more. A connection that broke off, as idle ones do, says nothing yet.
fn speaks_against(error: &RedisError, node: &Node) -> bool {
    match error.kind() {
        ErrorKind::Server(kind) => {
            matches!(kind, ServerErrorKind::ClusterDown | ServerErrorKind::MasterDown | ServerErrorKind::ReadOnly)
        }
        _ => !node.is_connected(),
    }
}

fn no_master() -> RedisError {
    RedisError::from((ErrorKind::ClusterConnectionNotFound, "no node is known to have the slot"))
}
