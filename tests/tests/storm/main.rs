//! A storm: fifty callers do everything at random while both stores fail again and again, and two reconcilers run. Every
//! answer is judged as it comes, and the final state by the invariants.
//!
//! `STORM_SECONDS` makes it shorter, `STORM_SEED` lets the callers choose the same again. `callers` act, `contract` judges what
//! they are answered, `pool` remembers it, `weather` breaks things, `calm` judges what is left.

mod callers;
mod calm;
mod chance;
mod contract;
mod forgetting;
mod goals;
mod pool;
mod reconcilers;
mod scene;
mod weather;

use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::chance::Chance;
use crate::scene::Scene;

const SECONDS: u64 = 60;
const CALLERS: u64 = 50;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name}: {text} is no number")))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pitfall_11_after_a_storm_left_and_held_and_sold_are_the_capacity_in_both_stores() {
    let seconds = number("STORM_SECONDS").unwrap_or(SECONDS);
    let seed = number("STORM_SEED")
        .unwrap_or_else(|| u64::from_ne_bytes(*uuid::Uuid::new_v4().as_bytes().first_chunk().unwrap()));
    println!("STORM_SEED={seed}, for {seconds} seconds");
    let length = Duration::from_secs(seconds);
    let (scene, server) = Scene::set(Instant::now() + length).await;

    let mut storm = JoinSet::new();
    for caller in 0..CALLERS {
        storm.spawn(callers::act(scene.clone(), Chance::new(seed, caller)));
    }
    storm.spawn(reconcilers::on_schedule(scene.clone()));
    storm.spawn(reconcilers::by_hand(scene.clone()));
    let server = weather::rage(&scene, server, length, Chance::new(seed, CALLERS)).await;
    storm.join_all().await;

    calm::judge(&scene).await;
    scene.goals.print();
    if seconds >= SECONDS {
        scene.goals.assert_reached();
    }
    drop(server);
}
