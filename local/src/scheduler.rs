//! The stand-in for EventBridge Scheduler: it calls the functions that the template puts on a schedule.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior};
use uuid::Uuid;

use crate::lambda::{Deployed, Lambda};
use crate::schedule::Schedule;
use crate::template::FunctionSpec;

/// The schedules that are running.
#[derive(Debug)]
pub struct Scheduler(JoinSet<()>);

impl Scheduler {
    /// Starts every schedule of the template, at its own rate or at `every`; at zero, none.
    pub fn start(template: &[FunctionSpec], lambda: &Lambda, every: Option<Duration>) -> Self {
        let mut running = JoinSet::new();
        for spec in template {
            for schedule in &spec.schedules {
                let (every, schedule) = (every.unwrap_or(schedule.every), schedule.clone());
                if let Some(function) = lambda.function(&spec.name).filter(|_| !every.is_zero()) {
                    running.spawn(fire(spec.name.clone(), Arc::clone(function), schedule, every));
                }
            }
        }
        Self(running)
    }

    /// No more calls from now on. One that is under way goes on, as an invocation does.
    pub async fn stop(mut self) {
        self.0.shutdown().await;
    }
}

/// Calls one function again and again, the first time after one period. A call that overruns its period delays the next.
async fn fire(name: String, function: Arc<Deployed>, schedule: Schedule, every: Duration) {
    let mut ticks = tokio::time::interval_at(Instant::now() + every, every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    loop {
        ticks.tick().await;
        let Ok(event) = schedule.event(&name, Timestamp::now()) else { return };
        if let Err(error) = function.invoke(&Uuid::new_v4().to_string(), event).await {
            // Nobody waits for its answer, and on AWS its log would tell.
            eprintln!("{name}: {}", error.error_message);
        }
    }
}
