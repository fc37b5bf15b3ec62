//! Lines of JSON on stderr: one a request, some a reconcile ([`ReportLines`]). Never a token, a body or personal data, so the
//! route and not the path.

mod meter;
mod metrics;
mod report;

pub use meter::{Meter, Meters};
pub use metrics::{Metrics, NAMESPACE, Unit, embed};
pub use report::ReportLines;

use std::time::Duration;

use serde_json::{Value, json};

use crate::Failure;
use crate::config::LogLevel;

/// Writes a line about something that was put right, or will be, and that an operator may look for.
pub fn warn(message: &str, failure: &Failure) {
    write(&json!({"level": "warn", "message": message, "error.cause": failure.chain()}));
}

/// Writes a line in one piece: stderr has no buffer, so that JSON goes out in hundreds of pieces if it is written as it is made.
fn write(line: &Value) {
    let line = format!("{line}\n");
    eprint!("{line}");
}

/// What is told of one request.
pub struct RequestLine<'a> {
    /// The function.
    pub function: &'a str,
    /// `POST /shows/{showId}/holds`, or `?` for an event that could not be read.
    pub route: &'a str,
    /// The request's id.
    pub request_id: &'a str,
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
    pub counted: Option<&'a str>,
}

impl RequestLine<'_> {
    /// Writes the line, if the level lets it through, or if it carries metrics.
    pub fn write(&self, level: LogLevel, metrics: bool) {
        let failed = self.status >= 500;
        if level == LogLevel::Error && !failed && !metrics {
            return;
        }
        let ms = |duration: Duration| duration.as_secs_f64() * 1000.0;
        let Meters { redis, dynamo } = self.waited;
        let line = json!({
            "level": if failed { "error" } else { "info" },
            "message": format!("{} answered {}", self.route, self.status),
            "function.name": self.function,
            "function.cold_start": self.cold,
            "http.route": self.route,
            "http.status": self.status,
            "problem.code": self.code,
            "error.cause": self.cause,
            "request.id": self.request_id,
            "request.duration_ms": ms(self.took),
            "redis.calls": redis.calls(),
            "redis.duration_ms": ms(redis.waited()),
            "dynamodb.calls": dynamo.calls(),
            "dynamodb.duration_ms": ms(dynamo.waited()),
        });
        let Value::Object(mut line) = line else { return };
        if metrics {
            let mut latencies = vec![("Duration", Unit::Milliseconds, ms(self.took))];
            for (name, meter) in [("RedisDuration", redis), ("DynamoDbDuration", dynamo)] {
                if meter.calls() > 0 {
                    latencies.push((name, Unit::Milliseconds, ms(meter.waited())));
                }
            }
            latencies.extend(self.counted.map(|name| (name, Unit::Count, 1.0)));
            let outcome = self.code.unwrap_or("ok");
            embed(
                &mut line,
                &[
                    Metrics { dimensions: &[("Function", self.function)], values: &latencies },
                    Metrics {
                        dimensions: &[("Function", self.function), ("Outcome", outcome)],
                        values: &[("Answers", Unit::Count, 1.0)],
                    },
                ],
            );
        }
        write(&Value::Object(line));
    }
}
