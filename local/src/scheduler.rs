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
        for (name, schedule, every) in planned(template, every) {
            if let Some(function) = lambda.function(name) {
                running.spawn(fire(name.to_owned(), Arc::clone(function), schedule.clone(), every));
            }
        }
        Self(running)
    }

    /// No more calls from now on. One that is under way goes on, as an invocation does.
    pub async fn stop(mut self) {
        self.0.shutdown().await;
    }
}

/// Each schedule, with its function and its period.
fn planned(template: &[FunctionSpec], every: Option<Duration>) -> impl Iterator<Item = (&str, &Schedule, Duration)> {
    let all = template.iter().flat_map(|spec| spec.schedules.iter().map(|schedule| (spec.name.as_str(), schedule)));
    let all = all.map(move |(name, schedule)| (name, schedule, every.unwrap_or(schedule.every)));
    all.filter(|(_, _, every)| !every.is_zero())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_of_ones_own_goes_before_the_templates_and_zero_is_never() {
        let template = crate::template::functions().expect("template.yaml is understood");
        let periods = |every| planned(&template, every).map(|(_, _, every)| every).collect::<Vec<_>>();
        assert_eq!(periods(None), [Duration::from_secs(60)]);
        assert_eq!(periods(Some(Duration::from_secs(5))), [Duration::from_secs(5)]);
        assert!(periods(Some(Duration::ZERO)).is_empty());
    }
}
