//! Who has which slot, as far as this process has heard.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use redis::{ConnectionAddr, ConnectionInfo, ErrorKind, RedisError, RedisResult};

use super::super::node::Node;
use super::slots::{Address, Range};
use crate::config::RedisConfig;

/// The nodes that were heard of, and their slots.
pub struct Map {
    /// The one that the configuration names, perhaps by a name that leads to any of them.
    first: Arc<Node>,
    config: Arc<RedisConfig>,
    nodes: BTreeMap<Address, Arc<Node>>,
    ranges: Vec<Range>,
    /// Slots that a node has sent elsewhere since.
    moved: BTreeMap<u16, Address>,
    /// Masters that perhaps are none any more.
    doubted: BTreeSet<Address>,
    /// How often somebody has asked around, and why the last one who did learnt nothing.
    looks: u64,
    unknown: Option<RedisError>,
}

impl Map {
    /// Nothing is known but this node.
    pub fn new(first: ConnectionInfo, config: Arc<RedisConfig>) -> Self {
        let first = Arc::new(Node::new(first, Arc::clone(&config)));
        let (nodes, moved, doubted) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
        Self { first, config, nodes, ranges: Vec::new(), moved, doubted, looks: 0, unknown: None }
    }

    fn address(&self, slot: u16) -> Option<&Address> {
        self.moved.get(&slot).or_else(|| master_of(&self.ranges, slot))
    }

    /// The master of a slot, if nothing speaks against it.
    pub fn trusted(&mut self, slot: u16) -> Option<Arc<Node>> {
        let address = self.address(slot).filter(|address| !self.doubted.contains(*address))?.clone();
        Some(self.at(&address))
    }

    /// The master of a slot after the last look around, or why it is not known.
    pub fn found(&mut self, slot: u16) -> RedisResult<Arc<Node>> {
        if let Some(error) = &self.unknown {
            return Err(error.clone());
        }
        let address = self.address(slot).ok_or_else(no_master)?.clone();
        Ok(self.at(&address))
    }

    /// All masters after the last look around, or why they are not known.
    pub fn masters(&mut self) -> RedisResult<Vec<Arc<Node>>> {
        if let Some(error) = &self.unknown {
            return Err(error.clone());
        }
        let addresses: BTreeSet<Address> = self.ranges.iter().map(|range| range.master.clone()).collect();
        Ok(addresses.iter().map(|address| self.at(address)).collect())
    }

    /// The node at an address: with TLS and a login as the first one.
    pub fn at(&mut self, address: &Address) -> Arc<Node> {
        if let Some(node) = self.nodes.get(address) {
            return Arc::clone(node);
        }
        let (host, port) = address.clone();
        let info = self.first.info();
        let addr = match info.addr().clone() {
            ConnectionAddr::TcpTls { insecure, tls_params, .. } => {
                ConnectionAddr::TcpTls { host, port, insecure, tls_params }
            }
            _ => ConnectionAddr::Tcp(host, port),
        };
        let node = Arc::new(Node::new(info.clone().set_addr(addr), Arc::clone(&self.config)));
        self.nodes.insert(address.clone(), Arc::clone(&node));
        node
    }

    /// A node says that this slot is there.
    pub fn moved(&mut self, slot: u16, address: &Address) {
        self.moved.insert(slot, address.clone());
    }

    /// How often somebody has asked around.
    pub fn looks(&self) -> u64 {
        self.looks
    }

    /// A node is not to be trusted to be a master.
    pub fn doubt(&mut self, node: &Arc<Node>) {
        let address = self.nodes.iter().find(|(_, known)| Arc::ptr_eq(known, node)).map(|(address, _)| address.clone());
        self.doubted.extend(address);
    }

    /// Whom to ask for the slots: those to whom there is a connection, and all the others.
    pub fn informants(&self) -> [Vec<Arc<Node>>; 2] {
        let is_near = |address: &Address, node: &Arc<Node>| node.is_connected() && !self.doubted.contains(address);
        let (mut near, mut far) = (Vec::new(), vec![Arc::clone(&self.first)]);
        for (address, node) in &self.nodes {
            if is_near(address, node) { &mut near } else { &mut far }.push(Arc::clone(node));
        }
        [near, far]
    }

    /// Whether somebody says that a slot has a master that is in doubt, or none.
    pub fn is_doubtful(&self, ranges: &[Range], slot: u16) -> bool {
        master_of(ranges, slot).is_none_or(|master| self.doubted.contains(master))
    }

    /// Takes over what came of a look around. Nodes that are not heard of any more are forgotten, with their connections. The
    /// one that the configuration names is connected to anew each time: its name may lead elsewhere by then.
    pub fn learn(&mut self, heard: RedisResult<Vec<Range>>) {
        self.first.disconnect();
        self.looks += 1;
        match heard {
            Ok(ranges) => self.replace(ranges),
            Err(error) => self.unknown = Some(error),
        }
    }

    fn replace(&mut self, ranges: Vec<Range>) {
        let known: BTreeSet<&Address> =
            ranges.iter().flat_map(|range| range.replicas.iter().chain([&range.master])).collect();
        self.nodes.retain(|address, _| known.contains(address));
        let missing: Vec<Address> =
            known.into_iter().filter(|address| !self.nodes.contains_key(*address)).cloned().collect();
        for address in missing {
            self.at(&address);
        }
        self.ranges = ranges;
        self.moved.clear();
        self.doubted.clear();
        self.unknown = None;
    }
}

fn master_of(ranges: &[Range], slot: u16) -> Option<&Address> {
    ranges.iter().find(|range| (range.first..=range.last).contains(&slot)).map(|range| &range.master)
}

fn no_master() -> RedisError {
    RedisError::from((ErrorKind::ClusterConnectionNotFound, "no node is known to have the slot"))
}
