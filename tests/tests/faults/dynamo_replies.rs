//! The answer of a transaction is lost, or comes so late that the next attempt overlaps it.

use holdfast_tests::dynamo_front::{Fault, Reason};
use holdfast_tests::image::{booking_of, lose_hold};
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::sys::{Sys, paid};
use serde_json::json;

use super::outages::{UNHURRIED, assert_unavailable};

const TRANSACTION: &str = "TransactWriteItems";

/// A rival whose hold only a Redis that lost the sale would grant: the record has the last word.
async fn rival_is_refused(sys: &Sys, show: &str, owner: &str, seat: &str) {
    sys.hold(show, &[seat]).await.expect_problem(409, "seat_unavailable");
    lose_hold(&mut sys.redis().await, show, owner, &[seat]).await;
    let rival = sys.hold(show, &[seat]).await.text("holdToken").to_owned();
    let refused = sys.confirm(show, &rival, paid("pay_rival")).await.expect_problem(409, "seat_already_sold");
    assert_eq!(refused["seats"], json!([seat]));
    assert_eq!(refused["refund"], json!({"reference": "pay_rival", "status": "due"}));
}

#[tokio::test]
async fn pitfall_50_a_committed_transaction_whose_reply_is_lost_is_ones_own() {
    for (at, fault) in [Fault::Reset, Fault::internal(), Fault::throttling()].into_iter().enumerate() {
        let (sys, _proxy, front) = Sys::fragile(&UNHURRIED).await;
        let show = sys.define(json!({})).await;
        let token = sys.hold(&show, &["E7", "E8"]).await.text("holdToken").to_owned();
        front.on(TRANSACTION).times(1 + at).after(fault);
        let answer = sys.confirm(&show, &token, paid("pay_1")).await;
        assert!(matches!(answer.status, 200 | 201), "{} {}", answer.status, answer.body);
        assert_eq!((&answer.body["status"], &answer.body["seats"]), (&json!("confirmed"), &json!(["E7", "E8"])));
        assert_eq!(front.strikes_left(), 0);
        assert_agreement(&sys, &show).await;
        rival_is_refused(&sys, &show, &token, "E7").await;
    }
}

/// No answer at all within the budget: not known, and the repeat finds the booking.
#[tokio::test]
async fn pitfall_50_a_transaction_that_is_never_answered_is_found_by_the_repeat() {
    let (sys, _proxy, front) = Sys::fragile(&[]).await;
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E7"]).await.text("holdToken").to_owned();
    front.on(TRANSACTION).always().after(Fault::Mute);
    assert_unavailable(&sys.confirm(&show, &token, paid("pay_1")).await);
    front.clear();
    let booking = sys.confirm(&show, &token, paid("pay_1")).await.expect(200);
    assert_eq!(booking["bookingId"], booking_of(&show, &token).to_string());
    assert_agreement(&sys, &show).await;
    rival_is_refused(&sys, &show, &token, "E7").await;
}

/// The first attempt is slow, the second commits, then the first lands.
#[tokio::test]
async fn pitfall_51_a_retry_that_overtakes_the_slow_first_transaction() {
    let (sys, _proxy, front) = Sys::fragile(&UNHURRIED).await;
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E7"]).await.text("holdToken").to_owned();
    front.reset_counts();
    let gate = front.on(TRANSACTION).hold_before();
    let answer = sys.confirm(&show, &token, paid("pay_1")).await;
    assert!(matches!(answer.status, 200 | 201), "{} {}", answer.status, answer.body);
    assert_eq!(front.count(TRANSACTION), 2);
    gate.open();
    assert_eq!(sys.confirm(&show, &token, paid("pay_1")).await.expect(200), answer.body);
    assert_agreement(&sys, &show).await;
}

/// The first attempt commits, and its answer hangs: the second meets what the first has put.
#[tokio::test]
async fn pitfall_51_a_retry_that_meets_the_slow_first_transactions_own_items() {
    let (sys, _proxy, front) = Sys::fragile(&UNHURRIED).await;
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E7"]).await.text("holdToken").to_owned();
    let gate = front.on(TRANSACTION).hold_after();
    let answer = sys.confirm(&show, &token, paid("pay_1")).await;
    gate.open();
    assert!(matches!(answer.status, 200 | 201), "{} {}", answer.status, answer.body);
    assert_agreement(&sys, &show).await;
}

/// The first attempt is still under way, and the next ones conflict with it until it lands.
#[tokio::test]
async fn pitfall_51_a_retry_that_conflicts_with_the_slow_first_transaction() {
    let (sys, _proxy, front) = Sys::fragile(&[("DYNAMODB_RESPONSE_TIMEOUT_MS", "300")]).await;
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E7"]).await.text("holdToken").to_owned();
    let gate = front.on(TRANSACTION).hold_before();
    let conflict = Fault::cancelled(&[Reason::conflict(), Reason::conflict()]);
    front.on(TRANSACTION).times(2).before(conflict);
    let second = front.on(TRANSACTION).hold_before();
    let (answer, ()) = tokio::join!(sys.confirm(&show, &token, paid("pay_1")), async {
        gate.reached().await;
        second.reached().await;
        gate.open();
        second.open();
    });
    assert!(matches!(answer.status, 200 | 201), "{} {}", answer.status, answer.body);
    assert_agreement(&sys, &show).await;
}

/// Its own place is "taken" while its own booking is in conflict: that is the first attempt landing, and no refusal.
#[tokio::test]
async fn pitfall_51_a_place_is_never_sold_to_oneself() {
    let (sys, _proxy, front) = Sys::fragile(&UNHURRIED).await;
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E7"]).await.text("holdToken").to_owned();
    let own = json!({"pk": {"S": "x"}, "sk": {"S": "E7"}, "version": {"N": "1"},
        "booking": {"S": booking_of(&show, &token).to_string()}});
    for own_reason in [Reason::none(), Reason::conflict()] {
        let fault = Fault::cancelled(&[own_reason, Reason::condition_failed(Some(own.clone()))]);
        front.on(TRANSACTION).before(fault);
        let answer = sys.confirm(&show, &token, paid("pay_1")).await;
        assert!(matches!(answer.status, 200 | 201 | 503), "{} {}", answer.status, answer.body);
    }
    let answer = sys.confirm(&show, &token, paid("pay_1")).await;
    assert_eq!(answer.expect(200)["status"], "confirmed");
    assert_agreement(&sys, &show).await;
}
