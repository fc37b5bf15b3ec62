//! One whole sale, by the binaries alone.

use holdfast_tests::cases::Stores;
use holdfast_tests::dynamo_front::Fault;
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::runtime_api::{Deployment, Host};
use holdfast_tests::servers::fresh_show_id;
use holdfast_tests::sys::{Answer, paid, refund_of};
use serde_json::{Value, json};

fn show() -> Value {
    json!({
        "name": "Hamlet",
        "sections": [{"id": "stalls", "rows": [{"id": "E", "from": 1, "to": 20}]}],
        "zones": [{"id": "GA", "capacity": 10}],
    })
}

/// What a buyer does with a show, at a deployment.
struct Buyer<'a>(&'a Deployment, &'a str);

impl Buyer<'_> {
    async fn hold(&self, seats: &[&str]) -> String {
        let Buyer(sale, id) = self;
        let answer = sale.call("POST", &format!("/shows/{id}/holds"), json!({"seats": seats})).await;
        answer.expect(201)["holdToken"].as_str().unwrap().to_owned()
    }

    async fn confirm(&self, token: &str, body: Value) -> Answer {
        let Buyer(sale, id) = self;
        sale.call("POST", &format!("/shows/{id}/holds/{token}/confirm"), body).await
    }

    async fn buy(&self, seats: &[&str], reference: &str) -> String {
        let token = self.hold(seats).await;
        self.confirm(&token, paid(reference)).await.expect(201)["bookingId"].as_str().unwrap().to_owned()
    }
}

/// What a run finds that the one before it left nothing to do.
#[track_caller]
fn assert_in_step(report: &Value) {
    assert_eq!(report["errors"], json!([]), "{report}");
    assert_eq!(report["complete"], true, "{report}");
    assert_eq!(report["shows"][0]["drift"], 0, "{report}");
}

#[tokio::test]
async fn a_whole_sale() {
    whole(Host::RuntimeApi).await;
}

/// Everything that a sale can have in it, once.
pub async fn whole(host: Host) {
    let stores = Stores::own().await;
    let sys = stores.sys();
    let sale = Deployment::under(host, stores).await;
    let id = fresh_show_id();
    let buyer = Buyer(&sale, &id);

    let defined = sale.call("PUT", &format!("/shows/{id}"), show()).await.expect(201);
    assert_eq!((&defined["places"], &defined["version"]), (&json!(30), &json!(1)));
    let mut larger = show();
    larger["zones"][0]["capacity"] = 12.into();
    assert_eq!(sale.call("PUT", &format!("/shows/{id}"), larger).await.expect(200)["places"], 32);
    assert_eq!(sale.call("GET", "/shows", Value::Null).await.expect(200)["shows"][0]["showId"], id);

    // Seats: held, refused to the next one, kept for longer, bought.
    let token = buyer.hold(&["E7", "E8"]).await;
    let taken = sale.call("POST", &format!("/shows/{id}/holds"), json!({"seats": ["E8", "E9"]})).await;
    let taken = taken.expect_problem(409, "seat_unavailable");
    assert_eq!((&taken["seats"][0]["seat"], &taken["seats"][0]["reason"]), (&json!("E8"), &json!("held")));
    let path = format!("/shows/{id}/holds/{token}");
    sale.call("PATCH", &path, json!({"ttlSeconds": 600})).await.expect(200);
    let kept = sale.call("GET", &path, Value::Null).await.expect(200);
    assert!(kept["expiresInMs"].as_u64().unwrap() > 500_000, "{kept}");
    let mut order = paid("pay_1");
    order["orderId"] = "order-1".into();
    let booked = buyer.confirm(&token, order.clone()).await.expect(201);
    assert_eq!(buyer.confirm(&token, order).await.expect(200), booked);
    let listed = sale.call("GET", &format!("/shows/{id}/bookings?orderId=order-1"), Value::Null).await.expect(200);
    assert_eq!(listed["bookings"], json!([booked]));
    let booking = booked["bookingId"].as_str().unwrap();
    assert_eq!(sale.call("GET", &format!("/bookings/{booking}"), Value::Null).await.expect(200), booked);

    // A hold that was given back is worth nothing, and whoever pays for it gets the money back.
    let released = buyer.hold(&["E1"]).await;
    sale.call("DELETE", &format!("/shows/{id}/holds/{released}"), Value::Null).await.expect(204);
    let refused = buyer.confirm(&released, paid("pay_2")).await.expect_problem(409, "hold_lost");
    assert_eq!(refused["refund"], json!({"reference": "pay_2", "status": "due"}));

    // Units.
    let units = sale.call("POST", &format!("/shows/{id}/stock/GA/decrement"), json!({"quantity": 3})).await.expect(201);
    buyer.confirm(units["holdToken"].as_str().unwrap(), Value::Null).await.expect(201);
    let stock = sale.call("GET", &format!("/shows/{id}/stock/GA"), Value::Null).await.expect(200);
    assert_eq!(stock, json!({"zone": "GA", "capacity": 12, "remaining": 9, "held": 0, "sold": 3}));

    // Cancelled, restored, cancelled again, and its refund settled.
    let (cancel, restore) = (format!("/bookings/{booking}/cancel"), format!("/bookings/{booking}/restore"));
    assert_eq!(sale.call("POST", &cancel, Value::Null).await.expect(200)["status"], "cancelled");
    assert_eq!(sale.call("POST", &restore, Value::Null).await.expect(200)["status"], "confirmed");
    sale.call("POST", &cancel, Value::Null).await.expect(200);
    let refunds = sale.call("GET", "/refunds", Value::Null).await.expect(200);
    let mut due: Vec<&str> =
        refunds["refunds"].as_array().unwrap().iter().map(|refund| refund["reference"].as_str().unwrap()).collect();
    due.sort_unstable();
    assert_eq!(due, ["pay_1", "pay_2"]);
    let settle = format!("/refunds/{}/settle", refund_of(booking, "pay_1"));
    assert_eq!(sale.call("POST", &settle, Value::Null).await.expect(200)["status"], "settled");
    sale.call("POST", &restore, Value::Null).await.expect_problem(409, "not_restorable");
    buyer.buy(&["E7", "E8"], "pay_3").await;

    let report = sale.reconcile(json!({"source": "aws.scheduler"})).await;
    assert_in_step(&report);
    assert!(report["shows"][0]["eventsDrained"].as_u64().unwrap() > 10, "{report}");
    assert_agreement(&sys, &id).await;
}

#[tokio::test]
async fn money_that_comes_late_or_twice() {
    let stores = Stores::own().await;
    let sys = stores.sys();
    let sale = Deployment::on(stores).await;
    let id = fresh_show_id();
    let buyer = Buyer(&sale, &id);
    sale.call("PUT", &format!("/shows/{id}"), show()).await.expect(201);
    let token = buyer.hold(&["E1"]).await;
    let booking = buyer.confirm(&token, Value::Null).await.expect(201)["bookingId"].as_str().unwrap().to_owned();

    // While the booking is cancelled its payment is due back; once it is restored, it pays for it after all.
    sale.call("POST", &format!("/bookings/{booking}/cancel"), Value::Null).await.expect(200);
    buyer.confirm(&token, paid("pay_1")).await.expect_problem(409, "already_cancelled");
    sale.call("POST", &format!("/bookings/{booking}/restore"), Value::Null).await.expect(200);
    assert_eq!(buyer.confirm(&token, paid("pay_1")).await.expect(200)["payment"]["reference"], "pay_1");
    assert_eq!(sale.call("GET", "/refunds", Value::Null).await.expect(200)["refunds"], json!([]));

    buyer.confirm(&token, paid("pay_2")).await.expect_problem(422, "idempotency_mismatch");
    // The payment of a booking that stands comes again for a hold that is gone.
    let released = buyer.hold(&["E2"]).await;
    sale.call("DELETE", &format!("/shows/{id}/holds/{released}"), Value::Null).await.expect(204);
    buyer.confirm(&released, paid("pay_1")).await.expect_problem(409, "hold_lost");
    let refunds = sale.call("GET", "/refunds", Value::Null).await.expect(200)["refunds"].clone();
    let standing = |reference: &str| {
        let refund = refunds.as_array().unwrap().iter().find(|refund| refund["reference"] == reference);
        refund.unwrap_or_else(|| panic!("{refunds}"))["standingBookings"].clone()
    };
    assert_eq!((standing("pay_1"), standing("pay_2")), (json!([booking]), json!([])));
    assert_agreement(&sys, &id).await;
}

#[tokio::test]
async fn what_a_binary_left_undone_reconcile_does() {
    let stores = Stores::own().await;
    let sys = stores.sys();
    let sale = Deployment::on(stores).await;
    let id = fresh_show_id();
    let buyer = Buyer(&sale, &id);
    sale.call("PUT", &format!("/shows/{id}"), show()).await.expect(201);
    let booking = buyer.buy(&["E1"], "pay_1").await;
    sale.call("POST", &format!("/bookings/{booking}/cancel"), Value::Null).await.expect(200);
    let paid_for = buyer.buy(&["E3"], "pay_3").await;
    let token = buyer.hold(&["E2"]).await;

    // Both are pinned, and neither gets its transaction through.
    for function in ["bookings", "confirm"] {
        sale.front(function).on("TransactWriteItems").always().before(Fault::Reset);
    }
    let restore = format!("/bookings/{booking}/restore");
    sale.call("POST", &restore, Value::Null).await.expect_problem(503, "unavailable");
    // The second payment is kept with the hold like the first one.
    for reference in ["pay_2", "pay_3"] {
        buyer.confirm(&token, paid(reference)).await.expect_problem(503, "unavailable");
    }

    let report = sale.reconcile(json!({"showId": id})).await;
    assert_eq!(report["shows"][0]["repairs"]["settled"], 2, "{report}");
    for function in ["bookings", "confirm"] {
        sale.front(function).clear();
    }
    assert_eq!(sale.call("POST", &restore, Value::Null).await.expect(200)["status"], "confirmed");
    assert_eq!(buyer.confirm(&token, paid("pay_2")).await.expect(200)["seats"], json!(["E2"]));
    let refunds = sale.call("GET", "/refunds", Value::Null).await.expect(200);
    let due = &refunds["refunds"][0];
    assert_eq!((&due["reference"], &due["standingBookings"]), (&json!("pay_3"), &json!([paid_for])), "{refunds}");
    assert_in_step(&sale.reconcile(json!({"showId": id})).await);
    assert_agreement(&sys, &id).await;
}
