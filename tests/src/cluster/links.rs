//! Who of a cluster hears whom, and by which way others reach its nodes.

use std::net::SocketAddr;

use super::{Certificates, Cluster};
use crate::poll::until;
use crate::proxy::Proxy;

impl Cluster {
    /// From now on this node and the others do not hear each other. Whoever is no node reaches it as before.
    ///
    /// Nodes show each other their certificates, both sides: it trusts another authority from now on. Answers that one.
    pub async fn cut_off(&self, node: usize) -> Certificates {
        let strangers = Certificates::make();
        self.trust(node, &strangers).await;
        for other in self.nodes.iter().filter(|other| other.id != self.nodes[node].id) {
            let () = self.nodes[node].ask(&format!("DEBUG CLUSTERLINK KILL all {}", other.id)).await;
        }
        strangers
    }

    /// They hear each other again.
    pub async fn join_again(&self, node: usize) {
        self.trust(node, &self.certificates).await;
    }

    async fn trust(&self, node: usize, certificates: &Certificates) {
        let file = certificates.authority();
        let () = self.nodes[node].ask(&format!("CONFIG SET tls-ca-cert-file {}", file.display())).await;
    }

    /// Puts a proxy before each node, by whose port the cluster calls the node from now on.
    pub async fn behind_proxies(&self) -> Vec<Proxy> {
        let mut proxies = Vec::new();
        for node in &self.nodes {
            let proxy = Proxy::tcp(SocketAddr::from(([127, 0, 0, 1], node.tls_port))).await;
            let () = node.ask(&format!("CONFIG SET cluster-announce-tls-port {}", proxy.addr().port())).await;
            proxies.push(proxy);
        }
        for node in &self.nodes {
            until("all nodes call each other by the new ports", || async {
                let known: String = node.ask("CLUSTER NODES").await;
                let is_known = |proxy: &Proxy| known.contains(&format!("{}@", proxy.addr()));
                (proxies.iter().all(is_known) && self.is_whole(node).await).then_some(())
            })
            .await;
        }
        proxies
    }
}
