//! What users see after a case: the stores agree by then, and this asks whether they agree on the right thing.

use holdfast::adapters::redis::keys;
use holdfast::domain::ShowId;
use holdfast_tests::steps::Lose;
use holdfast_tests::sys::Sys;
use redis::AsyncCommands;
use serde_json::{Value, json};

use super::case::{Case, Follows};
use super::drift;
use super::operation::Operation;
use super::scenes::Scene;

impl Operation {
    /// Fails the test unless what is left is what the operation leaves, or, if its caller never came again, what it leaves
    /// at the step that was lost. `None`: nothing went wrong.
    pub async fn judge(self, sys: &Sys, scene: &Scene, case: Option<&Case>) {
        let show = &scene.show;
        let is_done = case.is_none_or(|case| case.follows != Follows::Nobody);
        match self {
            Operation::Hold => holds(sys, scene, is_done).await,
            Operation::Decrement => {
                let stock = sys.get(&format!("/shows/{show}/stock/{}", scene.zone)).await.expect(200);
                let counts = (&stock["remaining"], &stock["held"], &stock["sold"]);
                let (taken, untouched) = ((&json!(8), &json!(2), &json!(0)), (&json!(10), &json!(0), &json!(0)));
                assert!(counts == taken || !is_done && counts == untouched, "{stock}");
            }
            Operation::Extend => {
                let status = sys.hold_status(show, &scene.token).await.expect(200);
                let left_ms = status["expiresInMs"].as_u64().unwrap();
                assert_eq!(status["state"], "active");
                assert!(left_ms > 540_000 || !is_done && left_ms > 240_000, "{status}");
            }
            Operation::Release => {
                let state = &sys.hold_status(show, &scene.token).await.expect(200)["state"];
                assert!(state == "released" || !is_done && state == "active", "{state}");
                assert_eq!(sys.hold(show, &scene.seats()).await.status, if state == "released" { 201 } else { 409 });
            }
            Operation::ConfirmPaid | Operation::ConfirmUnpaid => self.judge_confirm(sys, scene, case).await,
            Operation::Cancel => {
                // What the transaction did not do was never done.
                let is_cancelled = is_done || case.is_some_and(|case| reached(case, "TransactWriteItems", &["free"]));
                booked_as(sys, scene, if is_cancelled { "cancelled" } else { "confirmed" }).await;
            }
            Operation::Restore => {
                // A restore that has pinned its places is settled as a confirm is: it goes through.
                let after = ["TransactWriteItems", "mark"];
                let is_restored = is_done || case.is_some_and(|case| reached(case, "pin", &after));
                booked_as(sys, scene, if is_restored { "confirmed" } else { "cancelled" }).await;
            }
            Operation::Load => {
                assert_sold(sys, show, &["E1"]).await;
                let stock = sys.get(&format!("/shows/{show}/stock/GA")).await.expect(200);
                assert_eq!((&stock["remaining"], &stock["sold"]), (&json!(8), &json!(2)));
                holds(sys, scene, is_done).await;
            }
            Operation::Replace => {
                let version = &sys.get(&format!("/shows/{show}")).await.expect(200)["version"];
                assert!(*version == 2 || !is_done && *version == 1, "version {version}");
                let (status, capacity) = if *version == 2 { (404, 8) } else { (201, 10) };
                assert_eq!(sys.hold(show, &["E20"]).await.status, status, "version {version}");
                let stock = sys.get(&format!("/shows/{show}/stock/GA")).await.expect(200);
                assert_eq!((&stock["capacity"], &stock["remaining"]), (&json!(capacity), &json!(capacity)));
                sys.hold(show, &["E19"]).await.expect(201);
            }
            Operation::Reconcile => drift::judge(sys, show, &scene.drift).await,
            Operation::Schedule => {
                let show_key = keys::show(&ShowId::parse(show).unwrap());
                assert!(!sys.redis().await.exists::<_, bool>(show_key).await.unwrap(), "a show that is over stays");
                let stock = sys.get(&format!("/shows/{show}/stock/GA")).await.expect(200);
                assert_eq!(stock["remaining"], 10, "and a touch loads it again");
            }
        }
    }

    /// A confirm is booked, if it was paid and had begun. Without a payment nothing is at stake before it is written.
    async fn judge_confirm(self, sys: &Sys, scene: &Scene, case: Option<&Case>) {
        let unfinished = case.filter(|case| case.follows == Follows::Nobody);
        let state = match unfinished {
            None => "confirmed",
            Some(case) if reached(case, "TransactWriteItems", &["mark"]) => "confirmed",
            Some(case) if reached(case, "pin", &["TransactWriteItems"]) => {
                if self == Operation::ConfirmPaid {
                    "confirmed"
                } else {
                    "refused"
                }
            }
            // No store has heard of the payment, and the buyer has the hold for as long as it lasts.
            Some(_) => "active",
        };
        let Scene { show, token, .. } = scene;
        let status = sys.hold_status(show, token).await.expect(200);
        assert_eq!(status["state"], state, "{status}");
        match state {
            "confirmed" => assert_sold(sys, show, &scene.seats()).await,
            "refused" => drop(sys.hold(show, &scene.seats()).await.expect(201)),
            _ => drop(sys.hold(show, &scene.seats()).await.expect_problem(409, "seat_unavailable")),
        }
    }
}

/// Whether the store has done the work of this step: it is the one whose reply was lost, or one of the later ones is lost.
fn reached(case: &Case, step: &str, later: &[&str]) -> bool {
    let lost = &case.steps[0].name;
    later.contains(&lost.as_str()) || lost == step && case.lose == Lose::Reply
}

/// The seats are held, all or none; if the hold was answered, they are.
async fn holds(sys: &Sys, scene: &Scene, is_done: bool) {
    let rival = sys.hold(&scene.show, &scene.seats()).await;
    if rival.status == 201 && !is_done {
        return;
    }
    let taken = rival.expect_problem(409, "seat_unavailable");
    let reasons: Vec<&Value> = taken["seats"].as_array().unwrap().iter().map(|seat| &seat["reason"]).collect();
    assert_eq!(reasons, ["held", "held"]);
}

async fn assert_sold(sys: &Sys, show: &str, seats: &[&str]) {
    let taken = sys.hold(show, seats).await.expect_problem(409, "seat_unavailable");
    let sold: Vec<Value> = seats.iter().map(|seat| json!({"seat": seat, "reason": "sold"})).collect();
    assert_eq!(taken["seats"], json!(sold));
}

/// The booking says so, and so do its seats.
async fn booked_as(sys: &Sys, scene: &Scene, status: &str) {
    let booking = sys.get(&format!("/bookings/{}", scene.booking)).await.expect(200);
    assert_eq!(booking["status"], status, "{booking}");
    match status {
        "confirmed" => assert_sold(sys, &scene.show, &scene.seats()).await,
        _ => drop(sys.hold(&scene.show, &scene.seats()).await.expect(201)),
    }
}
