//! Why a transaction was cancelled: every mix of reasons is read one by one.

use holdfast::adapters::dynamo::keys;
use holdfast::domain::ShowId;
use holdfast_tests::dynamo_front::{Fault, Front, Reason};
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::servers;
use holdfast_tests::sys::{Answer, Sys, paid};
use serde_json::json;
use uuid::Uuid;

use super::outages::UNHURRIED;

const TRANSACTION: &str = "TransactWriteItems";

/// What the record has of a place that somebody else bought.
fn sold(show: &str, seat: &str) -> Reason {
    let key = keys::sold_place(&ShowId::parse(show).unwrap(), seat);
    let item = json!({"pk": {"S": key.partition}, "sk": {"S": key.sort}, "version": {"N": "1"},
        "booking": {"S": Uuid::new_v4().to_string()}});
    Reason::condition_failed(Some(item))
}

/// A hold of `E7` and `E8`, and what its confirm was answered.
struct Confirmed {
    sys: Sys,
    front: Front,
    show: String,
    token: String,
    answer: Answer,
}

/// Confirms a hold whose first transaction is cancelled for these reasons: the booking's, then one a seat.
async fn confirm_against(reasons: impl Fn(&str) -> [Reason; 3]) -> Confirmed {
    let front = Front::start(&servers::dynamo().await.endpoint()).await;
    let sys = Sys::with(&servers::redis().url(), &front.endpoint(), &UNHURRIED);
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E7", "E8"]).await.text("holdToken").to_owned();
    front.reset_counts();
    front.on(TRANSACTION).before(Fault::cancelled(&reasons(&show)));
    let answer = sys.confirm(&show, &token, paid("pay_1")).await;
    Confirmed { sys, front, show, token, answer }
}

#[tokio::test]
async fn pitfall_53_a_refused_place_is_named_whatever_the_others_say() {
    for other in [Reason::none(), Reason::conflict(), Reason::throttling(), Reason::throughput_exceeded()] {
        let Confirmed { sys, front: _front, show, answer, .. } =
            confirm_against(|show| [Reason::none(), other.clone(), sold(show, "E8")]).await;
        let refused = answer.expect_problem(409, "seat_already_sold");
        assert_eq!(refused["seats"], json!(["E8"]), "beside {other:?}");
        assert_eq!(refused["refund"], json!({"reference": "pay_1", "status": "due"}));
        // The hold has ended as a whole, and what was not sold is for sale.
        sys.hold(&show, &["E7"]).await.expect(201);
        let taken = sys.hold(&show, &["E8"]).await.expect_problem(409, "seat_unavailable");
        assert_eq!(taken["seats"], json!([{"seat": "E8", "reason": "sold"}]));
    }
    let both = confirm_against(|show| [Reason::none(), sold(show, "E7"), sold(show, "E8")]).await;
    assert_eq!(both.answer.expect_problem(409, "seat_already_sold")["seats"], json!(["E7", "E8"]));
}

#[tokio::test]
async fn pitfall_53_what_passes_is_tried_again() {
    let passing = [Reason::conflict(), Reason::throttling(), Reason::throughput_exceeded()];
    for reason in passing {
        for at in 0..3 {
            let Confirmed { sys, front, show, answer, .. } = confirm_against(|_| {
                let mut reasons = [Reason::none(), Reason::none(), Reason::none()];
                reasons[at] = reason.clone();
                reasons
            })
            .await;
            answer.expect(201);
            assert_eq!((front.strikes_left(), front.count(TRANSACTION)), (0, 2), "{reason:?} at {at}");
            assert_agreement(&sys, &show).await;
        }
    }
}

/// While the booking itself is in conflict, a refused place may be one's own, about to be found: no decision yet.
#[tokio::test]
async fn pitfall_53_a_conflict_of_the_booking_comes_before_a_refused_place() {
    let confirmed = confirm_against(|show| [Reason::conflict(), sold(show, "E7"), Reason::none()]).await;
    confirmed.answer.expect(201);
    assert_agreement(&confirmed.sys, &confirmed.show).await;
}

#[tokio::test]
async fn pitfall_53_a_validation_fault_is_ours_and_the_hold_survives_it() {
    let invalid = || Reason::validation("One or more parameter values were invalid");
    for reasons in [
        [Reason::none(), invalid(), Reason::none()],
        [invalid(), Reason::none(), Reason::none()],
        [Reason::none(), invalid(), Reason::conflict()],
    ] {
        let Confirmed { sys, front: _front, show, token, answer } = confirm_against(|_| reasons.clone()).await;
        let problem = answer.expect_problem(500, "internal");
        assert!(!problem.to_string().contains("parameter"), "{problem}");
        sys.confirm(&show, &token, paid("pay_1")).await.expect(201);
        assert_agreement(&sys, &show).await;
    }
    let beside = confirm_against(|show| [Reason::none(), sold(show, "E7"), invalid()]).await;
    beside.answer.expect_problem(500, "internal");
    beside.sys.confirm(&beside.show, &beside.token, paid("pay_1")).await.expect(201);
}

/// Not a cancellation, but an error of the whole call.
#[tokio::test]
async fn pitfall_53_errors_of_the_whole_call() {
    let front = Front::start(&servers::dynamo().await.endpoint()).await;
    let sys = Sys::with(&servers::redis().url(), &front.endpoint(), &UNHURRIED);
    let show = sys.define(json!({})).await;
    let faults = [
        (Fault::conflict(), 201),
        (Fault::in_progress(), 201),
        (Fault::throttling(), 201),
        (Fault::throughput_exceeded(), 201),
        (Fault::internal(), 201),
        (Fault::validation("no"), 500),
    ];
    for (at, (fault, status)) in faults.into_iter().enumerate() {
        let token = sys.hold(&show, &[&format!("E{}", at + 1)]).await.text("holdToken").to_owned();
        front.on(TRANSACTION).before(fault.clone());
        let answer = sys.confirm(&show, &token, paid(&format!("pay_{at}"))).await;
        assert_eq!(answer.status, status, "{fault:?}: {}", answer.body);
        if status == 500 {
            sys.confirm(&show, &token, paid(&format!("pay_{at}"))).await.expect(201);
        }
    }
    assert_agreement(&sys, &show).await;
}
