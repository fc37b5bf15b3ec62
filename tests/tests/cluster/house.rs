//! The product on a cluster.

use holdfast_tests::cluster::Cluster;
use holdfast_tests::invariants::assert_agreement_in;
use holdfast_tests::servers;
use holdfast_tests::sys::Sys;
use serde_json::{Value, json};
use tokio::sync::{Mutex, MutexGuard};

/// What a busy machine takes over a request is no part of the question. Redis' own times stay as they are.
const UNHURRIED: (&str, &str) = ("REQUEST_BUDGET_MS", "4500");

/// A cluster, and the product on it. Those who have one take turns: two at once would only measure the machine.
pub struct House {
    pub cluster: Cluster,
    pub sys: Sys,
    _turn: MutexGuard<'static, ()>,
}

impl House {
    /// Waits for its turn.
    pub async fn build() -> House {
        House::build_for(&[]).await
    }

    /// The same, with these variables besides.
    pub async fn build_for(vars: &[(&str, &str)]) -> House {
        static TURN: Mutex<()> = Mutex::const_new(());
        let turn = TURN.lock().await;
        let cluster = Cluster::start().await;
        let sys = sys(&cluster, vars).await;
        House { cluster, sys, _turn: turn }
    }

    /// The product once more, with these variables besides.
    pub async fn sys_with(&self, vars: &[(&str, &str)]) -> Sys {
        sys(&self.cluster, vars).await
    }

    /// A show with 2,000 seats on this master, which has it.
    pub async fn define_on(&self, master: usize) -> String {
        let show = self.define_unloaded_on(master).await;
        self.sys.get(&format!("/shows/{show}/stock/GA")).await.expect(200);
        show
    }

    /// The same show, but the master does not know it yet.
    pub async fn define_unloaded_on(&self, master: usize) -> String {
        let show = self.cluster.show_on(master).await;
        let layout = json!({"sections": [{"id": "stalls", "rows": [{"id": "E", "from": 1, "to": 2_000}]}],
            "zones": [{"id": "GA", "capacity": 10_000}]});
        self.sys.define_as(&show, layout).await;
        show
    }

    /// One run brings the stores to agreement, and the next one finds nothing.
    pub async fn agrees(&self, show: &str) {
        self.reconciled(show).await;
        let mut redis = self.cluster.look_into(show).await;
        assert_agreement_in(&mut redis, &self.sys.dynamo(), show).await;
        let second = self.reconciled(show).await;
        assert_eq!((&second["drift"], &second["repairs"]["settled"]), (&json!(0), &json!(0)), "{second}");
    }

    async fn reconciled(&self, show: &str) -> Value {
        let report = self.sys.reconcile(json!({"showId": show})).await;
        assert_eq!((&report["complete"], &report["errors"]), (&json!(true), &json!([])), "{report}");
        report["shows"][0].clone()
    }
}

/// The product, told of the first node.
async fn sys(cluster: &Cluster, besides: &[(&str, &str)]) -> Sys {
    let vars = cluster.vars();
    let vars = vars.iter().map(|(name, value)| (*name, value.as_str())).chain([UNHURRIED]);
    let vars: Vec<_> = vars.chain(besides.iter().copied()).collect();
    Sys::with(&cluster.url(), &servers::dynamo().await.endpoint(), &vars)
}
