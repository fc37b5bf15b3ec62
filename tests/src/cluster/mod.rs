//! Redis as ElastiCache has it: three masters with a replica each, TLS, and slots that move.
//!
//! Real servers. The product reaches them with TLS only; who looks on, or rearranges them, has ports without.

mod certificates;
mod links;
mod node;
mod slots;

use std::collections::HashSet;

use redis::aio::MultiplexedConnection;

pub use certificates::Certificates;
pub use node::{Node, Role, free_port};

use crate::poll::until;
use crate::raw;
use crate::servers::fresh_show_id;

/// How many masters there are, and how many replicas.
pub const MASTERS: usize = 3;

/// The slots of each master at first.
const SLOTS: [(u16, u16); MASTERS] = [(0, 5460), (5461, 10922), (10923, 16383)];

/// A cluster. It ends when it is dropped.
#[derive(Debug)]
pub struct Cluster {
    /// The first three are the masters at first, the others their replicas, in the same order.
    pub nodes: Vec<Node>,
    certificates: Certificates,
}

impl Cluster {
    /// Starts the servers, and returns once each of them says that all is well.
    ///
    /// # Panics
    /// When they do not find together.
    pub async fn start() -> Cluster {
        let certificates = Certificates::make();
        let mut nodes = Vec::new();
        for _ in 0..MASTERS * 2 {
            nodes.push(Node::start(&certificates).await);
        }
        let cluster = Cluster { nodes, certificates };
        cluster.meet().await;
        for (master, replica) in cluster.nodes.iter().zip(&cluster.nodes[MASTERS..]) {
            let () = replica.ask(&format!("CLUSTER REPLICATE {}", master.id)).await;
        }
        for node in &cluster.nodes {
            until("the cluster is whole", || async { cluster.is_whole(node).await.then_some(()) }).await;
        }
        cluster
    }

    /// A cluster of one node, which has all slots: no part of this one, but with certificates of the same authority.
    pub async fn other_of_one(&self) -> Node {
        let node = Node::start(&self.certificates).await;
        let () = node.ask("CLUSTER ADDSLOTSRANGE 0 16383").await;
        until("the node serves its slots", || async {
            let info: String = node.ask("CLUSTER INFO").await;
            info.contains("cluster_state:ok").then_some(())
        })
        .await;
        node
    }

    async fn meet(&self) {
        for (number, node) in self.nodes.iter().enumerate() {
            let () = node.ask(&format!("CLUSTER SET-CONFIG-EPOCH {}", number + 1)).await;
            if let Some((first, last)) = SLOTS.get(number) {
                let () = node.ask(&format!("CLUSTER ADDSLOTSRANGE {first} {last}")).await;
            }
        }
        for node in &self.nodes[1..] {
            let () = self.nodes[0].ask(&format!("CLUSTER MEET 127.0.0.1 {}", node.tls_port)).await;
        }
        for node in &self.nodes {
            until("the nodes have met", || async {
                let known: String = node.ask("CLUSTER NODES").await;
                let met = known.lines().count() == MASTERS * 2 && !known.contains("handshake");
                met.then_some(())
            })
            .await;
        }
    }

    /// Whether a node says that all slots are served and all replicas are known, and is in step with its master.
    async fn is_whole(&self, node: &Node) -> bool {
        let info: String = node.ask("CLUSTER INFO").await;
        let known: String = node.ask("CLUSTER NODES").await;
        let replication: String = node.ask("INFO replication").await;
        let is_in_step = replication.contains("role:master") || replication.contains("master_link_status:up");
        let replicas = known.lines().filter(|line| line.contains("slave")).count();
        info.contains("cluster_state:ok") && replicas == MASTERS && is_in_step
    }

    /// The URL of the first node.
    pub fn url(&self) -> String {
        format!("rediss://127.0.0.1:{}", self.nodes[0].tls_port)
    }

    /// What the product is told besides: that it is a cluster, and whom to trust.
    ///
    /// # Panics
    /// When the path is no text.
    pub fn vars(&self) -> [(&'static str, String); 2] {
        let authority = self.certificates.authority().to_str().unwrap().to_owned();
        [("REDIS_CLUSTER", "true".to_owned()), ("REDIS_CA_FILE", authority)]
    }

    /// The id of a show that this master had at first.
    pub async fn show_on(&self, master: usize) -> String {
        let (first, last) = SLOTS[master];
        loop {
            let show = fresh_show_id();
            if (first..=last).contains(&self.slot(&show).await) {
                return show;
            }
        }
    }

    /// The slot of a show.
    pub async fn slot(&self, show: &str) -> u16 {
        let node = self.nodes.iter().find(|node| !node.is_dead()).unwrap();
        node.ask(&format!("CLUSTER KEYSLOT show:{show}")).await
    }

    /// The number of the master that serves a slot, as it says itself, and none of the others does.
    pub async fn master_of(&self, slot: u16) -> usize {
        until("one node serves the slot", || async {
            let mut masters = HashSet::new();
            for (number, node) in self.nodes.iter().enumerate().filter(|(_, node)| !node.is_dead()) {
                let role = node.role().await;
                if role.is_master && role.slots.iter().any(|(first, last)| (*first..=*last).contains(&slot)) {
                    masters.insert(number);
                }
            }
            masters.iter().next().copied().filter(|_| masters.len() == 1)
        })
        .await
    }

    /// A connection to the master that has a show.
    pub async fn look_into(&self, show: &str) -> MultiplexedConnection {
        let master = self.master_of(self.slot(show).await).await;
        raw::redis(&self.nodes[master].plain_url()).await
    }
}
