//! Slots that move from one master to another, step by step, as a resharding does it.

use super::Cluster;

impl Cluster {
    /// The slot is about to move: each new key of it is made on the new master.
    pub async fn begin_move(&self, slot: u16, from: usize, to: usize) {
        let (from, to) = (&self.nodes[from], &self.nodes[to]);
        let () = to.ask(&format!("CLUSTER SETSLOT {slot} IMPORTING {}", from.id)).await;
        let () = from.ask(&format!("CLUSTER SETSLOT {slot} MIGRATING {}", to.id)).await;
    }

    /// Moves so many keys of the slot, and answers how many there were to move.
    ///
    /// # Panics
    /// When one does not move.
    pub async fn move_keys(&self, slot: u16, from: usize, to: usize, count: usize) -> usize {
        let (from, to) = (&self.nodes[from], &self.nodes[to]);
        let keys: Vec<String> = from.ask(&format!("CLUSTER GETKEYSINSLOT {slot} {count}")).await;
        if !keys.is_empty() {
            let target = to.tls_port.to_string();
            let mut words = vec!["MIGRATE", "127.0.0.1", target.as_str(), "", "0", "5000", "KEYS"];
            words.extend(keys.iter().map(String::as_str));
            // A key that lapsed meanwhile is no loss: NOKEY.
            let _: String = from.try_ask(&words).await.unwrap();
        }
        keys.len()
    }

    /// The new master has the slot, and all others know it.
    pub async fn end_move(&self, slot: u16, to: usize) {
        let id = &self.nodes[to].id;
        let () = self.nodes[to].ask(&format!("CLUSTER SETSLOT {slot} NODE {id}")).await;
        for node in self.nodes.iter().filter(|node| !node.is_dead()) {
            if node.role().await.is_master {
                let () = node.ask(&format!("CLUSTER SETSLOT {slot} NODE {id}")).await;
            }
        }
    }

    /// Moves a slot with all that is in it.
    pub async fn move_slot(&self, slot: u16, from: usize, to: usize) {
        self.begin_move(slot, from, to).await;
        while self.move_keys(slot, from, to, 100).await > 0 {}
        self.end_move(slot, to).await;
    }
}
