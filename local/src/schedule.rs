//! A schedule of the template: how often it calls its function, and with which event.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::json;
use serde_json::value::RawValue;
use serde_yaml_ng::Value;
use uuid::Uuid;

use crate::event::ACCOUNT;

const REGION: &str = "us-east-1";

/// What else a template may say of a schedule. None of it matters here: no call fails on its way, and none is late.
const OF_THE_CLOUD: [&str; 5] = ["DeadLetterConfig", "Description", "FlexibleTimeWindow", "Name", "RetryPolicy"];

/// A schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// How often it calls.
    pub every: Duration,
    source: Source,
}

/// Who calls: EventBridge has two schedulers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// `ScheduleV2`: EventBridge Scheduler.
    Scheduler,
    /// `Schedule`: a rule of EventBridge.
    Rule,
}

impl Schedule {
    /// Reads an event of a function; `None` if its type is that of no schedule.
    ///
    /// # Errors
    ///
    /// What is not understood.
    pub fn read(
        r#type: &str,
        properties: &BTreeMap<String, Value>,
        parameters: &BTreeMap<String, String>,
    ) -> Option<Result<Self, String>> {
        let (source, expression) = match r#type {
            "ScheduleV2" => (Source::Scheduler, "ScheduleExpression"),
            "Schedule" => (Source::Rule, "Schedule"),
            _ => return None,
        };
        let unknown = properties.keys().find(|name| *name != expression && !OF_THE_CLOUD.contains(&name.as_str()));
        if let Some(unknown) = unknown {
            return Some(Err(format!("{unknown} has no counterpart here")));
        }
        let text = properties.get(expression).and_then(|value| text(value, parameters));
        let every = text.ok_or_else(|| format!("{expression} must be a text, or !Ref of a parameter with a Default"));
        Some(every.and_then(rate).map(|every| Self { every, source }))
    }

    /// The event of one call, as AWS sends it when the template names no other.
    ///
    /// # Errors
    ///
    /// None that is known: all of it can be written as JSON.
    pub fn event(&self, function: &str, now: Timestamp) -> serde_json::Result<Box<RawValue>> {
        let (source, resource, detail) = match self.source {
            Source::Scheduler => {
                ("aws.scheduler", format!("scheduler:{REGION}:{ACCOUNT}:schedule/default"), json!("{}"))
            }
            Source::Rule => ("aws.events", format!("events:{REGION}:{ACCOUNT}:rule"), json!({})),
        };
        serde_json::value::to_raw_value(&json!({
            "version": "0",
            "id": Uuid::new_v4().to_string(),
            "detail-type": "Scheduled Event",
            "source": source,
            "account": ACCOUNT,
            "time": now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            "region": REGION,
            "resources": [format!("arn:aws:{resource}/{function}")],
            "detail": detail,
        }))
    }
}

/// A text, or the default of the parameter that it refers to.
fn text<'a>(value: &'a Value, parameters: &'a BTreeMap<String, String>) -> Option<&'a str> {
    match value {
        Value::Tagged(tagged) if tagged.tag == "Ref" => parameters.get(tagged.value.as_str()?).map(String::as_str),
        value => value.as_str(),
    }
}

/// `rate(1 minute)`, `rate(5 minutes)`, hours and days.
fn rate(expression: &str) -> Result<Duration, String> {
    let inner = expression.strip_prefix("rate(").and_then(|rest| rest.strip_suffix(')'));
    let parsed = inner.and_then(|inner| inner.split_once(' ')).and_then(|(count, unit)| {
        let count: u32 = count.parse().ok().filter(|count| *count > 0)?;
        let singular = if count == 1 { Some(unit) } else { unit.strip_suffix('s') };
        let seconds = match singular? {
            "minute" => 60,
            "hour" => 3_600,
            "day" => 86_400,
            _ => return None,
        };
        Some(Duration::from_secs(seconds * u64::from(count)))
    });
    parsed.ok_or_else(|| format!("{expression:?} has no counterpart here; rate(5 minutes) would have one"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(r#type: &str, properties: &str) -> Result<Schedule, String> {
        let properties = serde_yaml_ng::from_str(properties).expect("YAML");
        let parameters = BTreeMap::from([("Often".to_owned(), "rate(2 hours)".to_owned())]);
        Schedule::read(r#type, &properties, &parameters).expect("a schedule")
    }

    #[test]
    fn rates_are_read_as_eventbridge_reads_them() {
        for (expression, seconds) in [
            ("rate(1 minute)", 60),
            ("rate(5 minutes)", 300),
            ("rate(1 hour)", 3_600),
            ("rate(2 hours)", 7_200),
            ("rate(1 day)", 86_400),
            ("rate(3 days)", 259_200),
        ] {
            assert_eq!(rate(expression), Ok(Duration::from_secs(seconds)), "{expression}");
        }
        let wrong =
            ["rate(0 minutes)", "rate(1 minutes)", "rate(2 minute)", "rate(1 week)", "rate(1)", "cron(* * * * ? *)"];
        for expression in wrong {
            assert!(rate(expression).is_err(), "{expression}");
        }
    }

    #[test]
    fn a_parameter_stands_for_its_default() {
        let schedule = read("ScheduleV2", "{ScheduleExpression: !Ref Often, RetryPolicy: {MaximumRetryAttempts: 0}}");
        assert_eq!(schedule.map(|schedule| schedule.every), Ok(Duration::from_secs(7_200)));
        let none = read("Schedule", "{Schedule: !Ref Seldom}");
        assert_eq!(none, Err("Schedule must be a text, or !Ref of a parameter with a Default".to_owned()));
    }

    #[test]
    fn what_would_change_the_call_is_refused() {
        let refused = read("ScheduleV2", "{ScheduleExpression: rate(1 day), Input: '{}'}");
        assert_eq!(refused, Err("Input has no counterpart here".to_owned()));
    }

    #[test]
    fn the_event_is_the_one_of_its_scheduler() {
        let now = Timestamp::from_second(1_796_115_600).expect("an instant");
        for (r#type, properties, source, resource, detail) in [
            ("ScheduleV2", "ScheduleExpression: rate(1 day)", "aws.scheduler", "schedule/default", json!("{}")),
            ("Schedule", "Schedule: rate(1 day)", "aws.events", "rule", json!({})),
        ] {
            let event = read(r#type, properties).expect("a rate").event("ReconcileFunction", now).expect("JSON");
            let event: serde_json::Value = serde_json::from_str(event.get()).expect("JSON");
            assert_eq!((&event["source"], &event["detail"]), (&json!(source), &detail));
            assert_eq!(
                (&event["detail-type"], &event["time"]),
                (&json!("Scheduled Event"), &json!("2026-12-01T09:00:00Z"))
            );
            let arn = event["resources"][0].as_str().expect("an ARN");
            assert!(arn.ends_with(&format!(":{resource}/ReconcileFunction")), "{arn}");
        }
    }
}
