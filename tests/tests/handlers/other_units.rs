//! Nobody chose a unit by name: where a confirm finds one gone, another one of the zone takes its place.

use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::servers::{self, Redis};
use holdfast_tests::sys::{Sys, paid};
use serde_json::{Value, json};

use crate::confirm::due;
use crate::expect::{assert_problem, assert_success};
use crate::life::until_state;

/// Two systems on one record, each with a Redis that knows nothing of the other's: as a stale replica that was promoted.
pub struct Split {
    pub sys: Sys,
    stale: Sys,
    _servers: [Redis; 2],
}

impl Split {
    pub async fn open() -> Split {
        let (one, two, dynamo) = (servers::own_redis(&[]), servers::own_redis(&[]), servers::dynamo().await.endpoint());
        let (sys, stale) = (Sys::with(&one.url(), &dynamo, &[]), Sys::with(&two.url(), &dynamo, &[]));
        Split { sys, stale, _servers: [one, two] }
    }

    /// Sells so many units behind the back of the first system's Redis.
    pub async fn sell_behind(&self, show: &str, quantity: u64) -> Vec<String> {
        let token = self.stale.decrement(show, "GA", quantity).await.text("holdToken").to_owned();
        let booking = self.stale.confirm(show, &token, paid("pay_rival")).await.expect(201);
        names(&booking["units"])
    }

    pub async fn flush(&self) {
        let _: () = redis::cmd("FLUSHALL").query_async(&mut self.sys.redis().await).await.unwrap();
    }
}

pub fn names(units: &Value) -> Vec<String> {
    units.as_array().unwrap().iter().map(|unit| unit.as_str().unwrap().to_owned()).collect()
}

pub fn naming(mut body: Value, units: &Value) -> Value {
    (body["zone"], body["units"]) = ("GA".into(), units.clone());
    body
}

#[tokio::test]
async fn the_guard_finds_units_sold_and_others_are_booked() {
    let split = Split::open().await;
    let (sys, show) = (&split.sys, split.sys.define(json!({})).await);
    let hold = sys.decrement(&show, "GA", 3).await;
    let (token, first) = (hold.text("holdToken"), hold.body["units"].clone());
    let sold = split.sell_behind(&show, 2).await;
    assert_eq!(sold, ["GA-1", "GA-2"]);

    // It names what it was answered: that is no mismatch.
    let booking = sys.confirm(&show, token, naming(paid("pay_1"), &first)).await;
    let units = names(&booking.body["units"]);
    let wanted = json!({
        "bookingId": "<uuid>", "showId": show, "zone": "GA", "units": units, "status": "confirmed",
        "confirmedAt": "<time>", "payment": paid("pay_1")["payment"], "version": 1,
    });
    assert_success(&booking, 201, wanted);
    assert!(units.len() == 3 && !units.iter().any(|unit| sold.contains(unit)), "{units:?}");
    let count = json!({"zone": "GA", "capacity": 10, "remaining": 5, "held": 0, "sold": 5});
    assert_success(&sys.get(&format!("/shows/{show}/stock/GA")).await, 200, count.clone());
    assert_agreement(sys, &show).await;

    for lost in [false, true] {
        if lost {
            split.flush().await;
        }
        for named in [&first, &booking.body["units"]] {
            let again = sys.confirm(&show, token, naming(paid("pay_1"), named)).await;
            assert_success(&again, 200, booking.body.clone());
        }
        let other = naming(json!({}), &json!(["GA-1", "GA-2", "GA-9"]));
        let mismatch = sys.confirm(&show, token, other).await;
        assert_problem(&mismatch, "hold_mismatch", json!({"bookingId": booking.text("bookingId")}));
        assert_success(&sys.get(&format!("/bookings/{}", booking.text("bookingId"))).await, 200, booking.body.clone());
        assert_success(&sys.get(&format!("/shows/{show}/stock/GA")).await, 200, count.clone());
        assert_agreement(sys, &show).await;
    }
}

/// Those that take their place are gone, too: again others, as long as there are any.
#[tokio::test]
async fn the_guard_finds_those_sold_too_and_still_others_are_booked() {
    let split = Split::open().await;
    let (sys, show) = (&split.sys, split.sys.define(json!({})).await);
    let hold = sys.decrement(&show, "GA", 1).await;
    split.sell_behind(&show, 6).await;
    let booking = sys.confirm(&show, hold.text("holdToken"), paid("pay_1")).await.expect(201);
    assert_eq!(booking["units"], json!(["GA-7"]));
    assert_agreement(sys, &show).await;
}

#[tokio::test]
async fn when_no_others_are_left_the_confirm_is_refused_whole() {
    let split = Split::open().await;
    let (sys, show) = (&split.sys, split.sys.define(json!({})).await);
    let token = sys.decrement(&show, "GA", 9).await.text("holdToken").to_owned();
    split.sell_behind(&show, 2).await;
    for _ in 0..2 {
        let refused = sys.confirm(&show, &token, paid("pay_1")).await;
        let mut carries = due("pay_1");
        carries["units"] = json!(["GA-1", "GA-2"]);
        assert_problem(&refused, "seat_already_sold", carries);
    }
    let count = json!({"zone": "GA", "capacity": 10, "remaining": 8, "held": 0, "sold": 2});
    assert_success(&sys.get(&format!("/shows/{show}/stock/GA")).await, 200, count);
    assert_agreement(sys, &show).await;
    sys.decrement(&show, "GA", 8).await.expect(201);
}

/// It lapsed, and the next buyer was given one of its units.
#[tokio::test]
async fn a_late_confirm_is_rescued_with_other_units() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({"hold": {"defaultTtlSeconds": 1}})).await;
    let hold = sys.decrement(&show, "GA", 2).await;
    let token = hold.text("holdToken");
    until_state(&sys, &show, token, "expired").await;
    let path = format!("/shows/{show}/stock/GA/decrement");
    let next = sys.call("POST", &path, json!({"quantity": 1, "ttlSeconds": 600})).await;
    assert_eq!(next.body["units"], json!(["GA-1"]));
    let booking = sys.confirm(&show, token, naming(paid("pay_1"), &hold.body["units"])).await.expect(201);
    let units = names(&booking["units"]);
    assert!(units.len() == 2 && units.contains(&"GA-2".to_owned()) && !units.contains(&"GA-1".to_owned()), "{units:?}");
    // The hold tells what it has now.
    assert_eq!(sys.hold_status(&show, token).await.expect(200)["units"], booking["units"]);
    let rival = sys.confirm(&show, next.text("holdToken"), paid("pay_2")).await.expect(201);
    assert_eq!(rival["units"], json!(["GA-1"]));
    assert_agreement(&sys, &show).await;
}

/// Redis has lost the hold, and its units went to others meanwhile: the caller's own are judged, and replaced.
#[tokio::test]
async fn a_confirm_after_a_loss_is_rescued_with_other_units() {
    let sys = Sys::own(&[], &[]).await;
    let show = sys.define(json!({})).await;
    let hold = sys.decrement(&show, "GA", 2).await;
    let _: () = redis::cmd("FLUSHALL").query_async(&mut sys.redis().await).await.unwrap();
    sys.decrement(&show, "GA", 2).await.expect(201);
    let confirm = naming(paid("pay_1"), &hold.body["units"]);
    let booking = sys.confirm(&show, hold.text("holdToken"), confirm.clone()).await.expect(201);
    assert_eq!(booking["units"], json!(["GA-3", "GA-4"]));
    assert_success(&sys.confirm(&show, hold.text("holdToken"), confirm).await, 200, booking);
    assert_agreement(&sys, &show).await;
}
