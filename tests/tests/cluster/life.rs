//! Everything that happens to a show, in each of three masters.

use holdfast_tests::cluster::MASTERS;
use holdfast_tests::invariants::assert_agreement_in;
use holdfast_tests::sys::{Client, paid};
use serde_json::{Value, json};

use crate::house::House;

fn layout(seats: u32, capacity: u32) -> Value {
    json!({"name": "Hamlet", "zones": [{"id": "GA", "capacity": capacity}],
        "sections": [{"id": "stalls", "rows": [{"id": "E", "from": 1, "to": seats}]}]})
}

async fn remaining(client: &Client, show: &str) -> Value {
    client.get(&format!("/shows/{show}/stock/GA")).await.expect(200)["remaining"].clone()
}

/// One show's whole life, through two environments: what one does, the other sees.
async fn a_life(house: &House, show: &str) {
    let (sys, other) = (&house.sys, &house.sys.clients(1)[0]);
    let path = format!("/shows/{show}");
    sys.call("PUT", &path, layout(20, 10)).await.expect(201);

    let seats = sys.hold(show, &["E7", "E8"]).await.text("holdToken").to_owned();
    other.hold(show, &["E8", "E9"]).await.expect_problem(409, "seat_unavailable");
    other.extend(show, &seats, 600).await.expect(200);
    let given_back = other.hold(show, &["E9"]).await.text("holdToken").to_owned();
    sys.release(show, &given_back).await.expect(204);
    let units = sys.decrement(show, "GA", 3).await.text("holdToken").to_owned();
    assert_eq!(remaining(other, show).await, json!(7));
    let booked = other.confirm(show, &seats, paid("pay_1")).await.expect(201);
    sys.confirm(show, &units, paid("pay_2")).await.expect(201);

    let booking = format!("/bookings/{}", booked["bookingId"].as_str().unwrap());
    let cancelled = sys.call("POST", &format!("{booking}/cancel"), json!({})).await.expect(200);
    assert_eq!(cancelled["status"], "cancelled");
    let restored = other.call("POST", &format!("{booking}/restore"), json!({})).await.expect(200);
    assert_eq!(restored["status"], "confirmed");
    sys.hold(show, &["E7"]).await.expect_problem(409, "seat_unavailable");

    // A seat more, a sold one less, a free one less.
    sys.call("PUT", &path, layout(21, 12)).await.expect(200);
    other.hold(show, &["E21"]).await.expect(201);
    other.call("PUT", &path, layout(7, 12)).await.expect_problem(409, "in_use");
    assert_eq!(remaining(other, show).await, json!(9));

    let report = sys.reconcile(json!({"showId": show})).await;
    assert_eq!((&report["complete"], &report["errors"]), (&json!(true), &json!([])), "{report}");
    assert_eq!(report["shows"][0]["drift"], 0, "{report}");
    assert_agreement_in(&mut house.cluster.look_into(show).await, &sys.dynamo(), show).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_show_on_each_master_has_the_whole_of_its_life() {
    let house = House::build().await;
    for master in 0..MASTERS {
        let show = house.cluster.show_on(master).await;
        a_life(&house, &show).await;
        let mut redis = house.cluster.look_into(&show).await;
        let keys: Vec<String> =
            redis::cmd("KEYS").arg(format!("*{{show:{show}}}*")).query_async(&mut redis).await.unwrap();
        assert!(keys.len() > 10, "master {master} has {keys:?}");
    }
    // A run by the schedule looks after all of them.
    let report = house.sys.reconcile(json!({})).await;
    assert_eq!((&report["complete"], &report["errors"]), (&json!(true), &json!([])), "{report}");
}

/// Loaded in many commands of many keys, by whoever comes first, after Redis had lost it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_large_show_is_loaded_into_its_master() {
    let house = House::build().await;
    let (sys, show) = (&house.sys, house.cluster.show_on(1).await);
    let mut large = layout(9_000, 20_000);
    let row = |id: &str| json!({"id": id, "from": 1, "to": 9_000});
    large["sections"][0]["rows"] = json!([row("E"), row("F")]);
    sys.call("PUT", &format!("/shows/{show}"), large).await.expect(201);
    let token = sys.hold(&show, &["F9000"]).await.text("holdToken").to_owned();
    sys.confirm(&show, &token, paid("pay_1")).await.expect(201);
    let () = house.cluster.nodes[1].ask("FLUSHALL").await;
    let client = &house.sys.clients(1)[0];
    client.hold(&show, &["F9000"]).await.expect_problem(409, "seat_unavailable");
    client.hold(&show, &["F8999"]).await.expect(201);
    house.agrees(&show).await;
}
