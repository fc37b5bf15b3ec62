//! Who has which slot, as far as this process has heard.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use redis::{ConnectionAddr, ConnectionInfo};

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
}

impl Map {
    /// Nothing is known but this node.
    pub fn new(first: ConnectionInfo, config: Arc<RedisConfig>) -> Self {
        let first = Arc::new(Node::new(first, Arc::clone(&config)));
        let (nodes, moved, doubted) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
        Self { first, config, nodes, ranges: Vec::new(), moved, doubted }
    }

    fn address(&self, slot: u16) -> Option<&Address> {
        let range = || self.ranges.iter().find(|range| (range.first..=range.last).contains(&slot));
        self.moved.get(&slot).or_else(|| Some(&range()?.master))
    }

    /// The master of a slot, in doubt or not.
    pub fn master(&mut self, slot: u16) -> Option<Arc<Node>> {
        let address = self.address(slot)?.clone();
        Some(self.at(&address))
    }

    /// The master of a slot, if nothing speaks against it.
    pub fn trusted(&mut self, slot: u16) -> Option<Arc<Node>> {
        let address = self.address(slot).filter(|address| !self.doubted.contains(*address))?.clone();
        Some(self.at(&address))
    }

    /// All masters.
    pub fn masters(&mut self) -> Vec<Arc<Node>> {
        let addresses: BTreeSet<Address> = self.ranges.iter().map(|range| range.master.clone()).collect();
        addresses.iter().map(|address| self.at(address)).collect()
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

    /// A node is not to be trusted to be a master.
    pub fn doubt(&mut self, node: &Arc<Node>) {
        let address = self.nodes.iter().find(|(_, known)| Arc::ptr_eq(known, node)).map(|(address, _)| address.clone());
        self.doubted.extend(address);
    }

    /// Whom to ask for the slots: those to whom there is a connection, and all the others.
    pub fn informants(&self) -> (Vec<Arc<Node>>, Vec<Arc<Node>>) {
        let is_near = |address: &Address, node: &Arc<Node>| node.is_connected() && !self.doubted.contains(address);
        let (mut near, mut far) = (Vec::new(), vec![Arc::clone(&self.first)]);
        for (address, node) in &self.nodes {
            if is_near(address, node) { &mut near } else { &mut far }.push(Arc::clone(node));
        }
        (near, far)
    }

    /// Takes over what a node says. Nodes that it does not know are forgotten, with their connections.
    pub fn replace(&mut self, ranges: Vec<Range>) {
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
    }
}
