//! Lines of JSON on stderr: one a request, some a reconcile ([`ReportLines`]), and one a script if asked for ([`ScriptLine`]).
//! Never a token, a body or personal data, so the route and not the path.

mod invocation;
mod meter;
mod metrics;
mod report;
mod script;

pub use invocation::Invocation;
pub use meter::{Meter, Meters};
pub use metrics::{Metric, Metrics, NAMESPACE, embed};
pub use report::ReportLines;
pub use script::ScriptLine;

use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::Failure;
use crate::config::LogLevel;

/// Writes a line about something that was put right, or will be, and that an operator may look for.
pub fn warn(message: &str, failure: &Failure) {
    write(
        fields([("level", "warn".into()), ("message", message.into()), ("error.cause", failure.chain().into())])
            .collect(),
    );
}

/// Writes a line at one go: piece by piece it would cost a system call for each, and others' lines could come between.
fn write(line: Map<String, Value>) {
    eprint!("{}", Value::Object(line).to_string() + "\n");
}

fn fields<const N: usize>(fields: [(&str, Value); N]) -> impl Iterator<Item = (String, Value)> {
    fields.map(|(name, value)| (name.to_owned(), value)).into_iter()
}

/// What is told of one request.
pub struct RequestLine<'a> {
    /// Whose line it is.
    pub invocation: &'a Invocation,
    /// `POST /shows/{showId}/holds`, or `?` for an event that could not be read.
    pub route: &'a str,
    /// The HTTP status.
    pub status: u16,
    /// The problem code.
    pub code: Option<&'a str>,
    /// What really happened.
    pub cause: Option<&'a str>,
    /// From the event to the answer.
    pub took: Duration,
    /// How long of that was waited for each store.
    pub waited: &'a Meters,
    /// Whether the process was started for it.
    pub cold: bool,
    /// A metric that it counts for.
    pub counted: Option<Metric>,
}

impl RequestLine<'_> {
    /// Writes the line, if the level lets it through, or if it carries metrics.
    pub fn write(&self, level: LogLevel, metrics: bool) {
        let failed = self.status >= 500;
        if level < LogLevel::Info && !failed && !metrics {
            return;
        }
        let ms = |duration: Duration| duration.as_secs_f64() * 1000.0;
        let Meters { redis, dynamo } = self.waited;
        let line = json!({
            "level": if failed { "error" } else { "info" },
            "message": format!("{} answered {}", self.route, self.status),
            "function.cold_start": self.cold,
            "http.route": self.route,
            "http.status": self.status,
            "problem.code": self.code,
            "error.cause": self.cause,
            "request.duration_ms": ms(self.took),
            "redis.calls": redis.calls(),
            "redis.duration_ms": ms(redis.waited()),
            "dynamodb.calls": dynamo.calls(),
            "dynamodb.duration_ms": ms(dynamo.waited()),
        });
        let Value::Object(mut line) = line else { return };
        line.extend(self.invocation.fields());
        if metrics {
            let mut latencies = vec![(Metric::Duration, ms(self.took))];
            for (metric, meter) in [(Metric::RedisDuration, redis), (Metric::DynamoDbDuration, dynamo)] {
                if meter.calls() > 0 {
                    latencies.push((metric, ms(meter.waited())));
                }
            }
            latencies.extend(self.counted.map(|metric| (metric, 1.0)));
            let function = self.invocation.deployed_as.as_str();
            let outcome = self.code.unwrap_or("ok");
            embed(
                &mut line,
                &[
                    Metrics { dimensions: &[("Function", function)], values: &latencies },
                    Metrics {
                        dimensions: &[("Function", function), ("Outcome", outcome)],
                        values: &[(Metric::Answers, 1.0)],
                    },
                ],
            );
        }
        write(line);
    }
}
