//! Whom a run looks at: shows that are loaded, on sale, or changed since their last clean run; and what leaves Redis.

use holdfast_tests::sys::paid;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::alone::{Alone, complete, schedule};
use crate::house::{House, Plot};

/// An instant so many hours from now.
fn in_hours(hours: i64) -> Value {
    json!((Timestamp::now() + SignedDuration::from_hours(hours)).to_string())
}

/// What Redis has of a show, but for the records of holds.
async fn keys_of(sys: &Alone, show: &str) -> Vec<String> {
    let keys: Vec<String> =
        redis::cmd("KEYS").arg(format!("*{{show:{show}}}*")).query_async(&mut sys.redis().await).await.unwrap();
    keys.into_iter().filter(|key| !key.starts_with("hold:") && !key.starts_with("booking:")).collect()
}

async fn sell_until(sys: &Alone, show: &str, sale: Value) {
    let mut document = sys.get(&format!("/shows/{show}")).await.expect(200);
    document["sale"] = sale;
    sys.call("PUT", &format!("/shows/{show}"), document).await.expect(200);
}

#[tokio::test]
async fn it_looks_at_what_is_loaded_on_sale_or_changed() {
    let sys = Alone::start(&[]).await;
    let now = sys.define(json!({})).await;
    let later = sys.define(json!({"sale": {"opensAt": in_hours(24)}})).await;
    let over = sys.define(json!({"sale": {"closesAt": in_hours(-2)}})).await;
    let begun = sys.define(json!({"startsAt": in_hours(-2)})).await;
    let sorted = |shows: &[&String]| {
        let mut shows: Vec<String> = shows.iter().map(|show| (*show).clone()).collect();
        shows.sort();
        shows
    };

    // All have changed, as far as anybody knows; and a dry run is no clean run.
    let all = sorted(&[&now, &later, &over, &begun]);
    for event in [json!({"dryRun": true}), json!({"dryRun": true}), schedule(), schedule()] {
        assert_eq!(complete(&sys.reconcile(event).await), all);
    }
    // Redis has none of them now.
    sys.flush().await;
    assert_eq!(complete(&sys.reconcile(schedule()).await), sorted(&[&now]));
    sys.get(&format!("/shows/{over}/stock/GA")).await.expect(200);
    assert_eq!(complete(&sys.reconcile(schedule()).await), sorted(&[&now, &over]));
    sys.flush().await;
    sell_until(&sys, &later, json!({"opensAt": in_hours(48)})).await;
    assert_eq!(complete(&sys.reconcile(schedule()).await), sorted(&[&now, &later]));
    sys.flush().await;
    assert_eq!(complete(&sys.reconcile(schedule()).await), sorted(&[&now]));
    // By hand any of them is looked at.
    assert_eq!(complete(&sys.reconcile(json!({"showId": begun})).await), sorted(&[&begun]));
}

#[tokio::test]
async fn a_show_leaves_redis_a_day_after_it_closed_and_a_touch_loads_it_again() {
    let sys = Alone::start(&[]).await;
    let young = sys.define(json!({"sale": {"closesAt": in_hours(-23)}, "startsAt": in_hours(-30)})).await;
    let closed = sys.define(json!({"sale": {"closesAt": in_hours(-25)}, "startsAt": in_hours(30)})).await;
    let begun = sys.define(json!({"startsAt": in_hours(-25)})).await;
    complete(&sys.reconcile(schedule()).await);
    for show in [&closed, &begun] {
        assert_eq!(keys_of(&sys, show).await, [""; 0]);
    }
    assert!(!keys_of(&sys, &young).await.is_empty());
    // Nobody asks for it any more.
    assert_eq!(complete(&sys.reconcile(schedule()).await), std::slice::from_ref(&young));
    for _ in 0..2 {
        sys.get(&format!("/shows/{closed}/stock/GA")).await.expect(200);
        assert!(!keys_of(&sys, &closed).await.is_empty());
        assert!(complete(&sys.reconcile(schedule()).await).contains(&closed));
        assert_eq!(keys_of(&sys, &closed).await, [""; 0]);
    }
}

#[tokio::test]
async fn a_show_in_which_somebody_holds_something_stays() {
    let sys = Alone::start(&[]).await;
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E7"]).await.text("holdToken").to_owned();
    sell_until(&sys, &show, json!({"closesAt": in_hours(-25)})).await;
    for _ in 0..2 {
        complete(&sys.reconcile(schedule()).await);
        assert_eq!(sys.hold_status(&show, &token).await.expect(200)["state"], "active");
    }
    // What was held in time can still be bought; and that is the end of it.
    let booking = sys.confirm(&show, &token, paid("pay_1")).await.expect(201);
    complete(&sys.reconcile(schedule()).await);
    assert_eq!(keys_of(&sys, &show).await, [""; 0]);
    assert_eq!(sys.confirm(&show, &token, paid("pay_1")).await.expect(200), booking);
}

/// A confirm that died is settled before its show may leave.
#[tokio::test]
async fn a_show_with_a_pin_stays_until_it_is_settled() {
    let sys = Alone::start(&[]).await;
    let plot = Plot('A');
    let house = House::on(sys.again(), &[plot]).await;
    let token = house.hold(plot, &[1]).await;
    house.pin(&token, &plot.seats(&[1]), true).await;
    sell_until(&sys, &house.show, json!({"closesAt": in_hours(-25)})).await;
    let report = sys.reconcile(schedule()).await;
    assert_eq!(report["shows"][0]["repairs"]["settled"], 1, "{report}");
    assert!(!keys_of(&sys, &house.show).await.is_empty());
    complete(&sys.reconcile(schedule()).await);
    assert_eq!(keys_of(&sys, &house.show).await, [""; 0]);
    house.is_booked(&token).await;
}
