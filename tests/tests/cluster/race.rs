//! Everybody wants the same seat, in each of three masters.

use std::collections::BTreeMap;
use std::sync::Arc;

use holdfast_tests::cluster::MASTERS;
use holdfast_tests::sys::paid;
use tokio::sync::Barrier;
use tokio::task::JoinSet;

use crate::house::House;

/// Environments with connections of their own.
const CLIENTS: usize = 8;
const BUYERS: usize = 100;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pitfall_1_one_of_a_hundred_buyers_has_the_seat_on_each_master() {
    let house = House::build().await;
    let clients = house.sys.clients(CLIENTS);
    for master in 0..MASTERS {
        let show = house.define_on(master).await;
        for client in &clients {
            client.get(&format!("/shows/{show}/stock/GA")).await.expect(200);
        }
        let start = Arc::new(Barrier::new(BUYERS));
        let buyers = (0..BUYERS).map(|buyer| {
            let (client, show, start) = (clients[buyer % CLIENTS].clone(), show.clone(), Arc::clone(&start));
            async move {
                start.wait().await;
                let held = client.hold(&show, &["E7"]).await;
                if held.status != 201 {
                    return (held.status, held.code().to_owned());
                }
                let booked = client.confirm(&show, held.text("holdToken"), paid("pay_1")).await;
                (booked.status, booked.code().to_owned())
            }
        });
        let mut tally = BTreeMap::new();
        for answer in buyers.collect::<JoinSet<_>>().join_all().await {
            *tally.entry(answer).or_insert(0) += 1;
        }
        let wanted = [((201, String::new()), 1), ((409, "seat_unavailable".to_owned()), BUYERS - 1)];
        assert_eq!(tally, BTreeMap::from(wanted));
        house.agrees(&show).await;
    }
}
