//! Two who reconcile: the schedule, and somebody by hand.

use std::time::Duration;

use serde_json::{Value, json};

use crate::scene::Scene;

/// The schedule, as often as nobody would.
pub async fn on_schedule(scene: Scene) {
    let event = json!({"source": "aws.scheduler", "detail-type": "Scheduled Event", "detail": "{}"});
    while scene.goes_on() {
        judge(&scene, &scene.environments[0].reconcile(event.clone()).await);
        tokio::time::sleep(Duration::from_millis(1_500)).await;
    }
}

/// Somebody who does not give way, and looks before.
pub async fn by_hand(scene: Scene) {
    let mut at = 0_u64;
    while scene.goes_on() {
        at += 1;
        let event = match at % 3 {
            0 => json!({"showId": scene.show, "dryRun": true}),
            1 => json!({"showId": scene.show}),
            _ => json!({}),
        };
        judge(&scene, &scene.environments[1].reconcile(event).await);
        tokio::time::sleep(Duration::from_millis(1_000)).await;
    }
}

/// A store may not have answered; anything else is a fault.
fn judge(scene: &Scene, report: &Value) {
    let goals = &scene.goals;
    for error in report["errors"].as_array().unwrap() {
        assert_eq!(error["code"], "unavailable", "{report}");
        goals.met("reconcile unavailable");
    }
    let shows = report["shows"].as_array().unwrap();
    if report["complete"] == true {
        goals.met("reconcile complete");
    } else if shows.is_empty() && report["errors"] == json!([]) {
        goals.met("reconcile that gave way");
    }
    for show in shows.iter().filter(|_| report["dryRun"] == false) {
        for (name, count) in show["repairs"].as_object().unwrap() {
            goals.add(format!("reconcile {name}"), count.as_u64().unwrap());
        }
        for name in ["eventsDrained", "eventsMissed"] {
            goals.add(format!("reconcile {name}"), show[name].as_u64().unwrap());
        }
    }
}
