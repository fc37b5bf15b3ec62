//! Right after a confirm, and while it runs: it is read, the show is loaded anew, and reconciled, all at once.

use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::sys::{Answer, Sys, paid};
use serde_json::{Value, json};

use crate::outages::UNHURRIED;

#[track_caller]
fn assert_sound(report: &Value) {
    assert_eq!((&report["complete"], &report["errors"]), (&json!(true), &json!([])), "{report}");
    assert_eq!(report["shows"][0]["repairs"]["freed"], 0, "{report}");
}

/// No wrong 404, no freed seat: the rival finds it sold, or the show being loaded.
#[track_caller]
fn assert_taken(rival: &Answer) {
    assert!([(409, "seat_unavailable"), (503, "unavailable")].contains(&(rival.status, rival.code())), "{rival:?}");
}

#[tokio::test]
async fn pitfall_57_read_load_and_reconcile_right_after_a_confirm() {
    let sys = Sys::own(&[], &UNHURRIED).await;
    let show = sys.define(json!({})).await;
    let others = sys.clients(5);
    for round in 1..=20 {
        let (seat, reference) = (format!("E{round}"), format!("pay_{round}"));
        let seats = [seat.as_str()];
        let token = sys.hold(&show, &seats).await.text("holdToken").to_owned();
        let booking = sys.confirm(&show, &token, paid(&reference)).await.expect(201);
        let path = format!("/bookings/{}", booking["bookingId"].as_str().unwrap());
        let _: () = redis::cmd("FLUSHALL").query_async(&mut sys.redis().await).await.unwrap();
        let (read, status, repeated, rival, one, two) = tokio::join!(
            others[0].get(&path),
            others[1].hold_status(&show, &token),
            others[2].confirm(&show, &token, paid(&reference)),
            others[3].hold(&show, &seats),
            others[4].reconcile(json!({"showId": show})),
            sys.reconcile(json!({})),
        );
        assert_eq!(read.expect(200), booking);
        let status = status.expect(200);
        assert_eq!((&status["state"], &status["bookingId"]), (&json!("confirmed"), &booking["bookingId"]));
        assert_eq!(repeated.expect(200), booking);
        assert_taken(&rival);
        assert_sound(&one);
        assert_sound(&two);
    }
    assert_agreement(&sys, &show).await;
}

#[tokio::test]
async fn pitfall_57_read_and_reconcile_while_a_confirm_runs() {
    let sys = Sys::own(&[], &UNHURRIED).await;
    let show = sys.define(json!({})).await;
    let others = sys.clients(4);
    for round in 1..=20 {
        let (seat, reference) = (format!("E{round}"), format!("pay_{round}"));
        let seats = [seat.as_str()];
        let token = sys.hold(&show, &seats).await.text("holdToken").to_owned();
        let (confirmed, repeated, rival, one, two) = tokio::join!(
            sys.confirm(&show, &token, paid(&reference)),
            others[0].confirm(&show, &token, paid(&reference)),
            others[1].hold(&show, &seats),
            others[2].reconcile(json!({"showId": show})),
            others[3].reconcile(json!({"showId": show})),
        );
        // Whoever was first, the reconcile included.
        let ids = [confirmed, repeated].map(|answer| {
            assert!(matches!(answer.status, 200 | 201), "{answer:?}");
            answer.body["bookingId"].clone()
        });
        assert_eq!(ids[0], ids[1]);
        assert_taken(&rival);
        assert_sound(&one);
        assert_sound(&two);
    }
    assert_agreement(&sys, &show).await;
}
