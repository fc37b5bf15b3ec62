//! Lines of JSON on stderr: one a request, some a reconcile ([`ReportLines`]). Never a token, a body or personal data, so the
//! route and not the path.

mod report;

pub use report::ReportLines;

use std::time::Duration;

use serde_json::json;

use crate::Failure;
use crate::config::LogLevel;

/// Writes a line about something that was put right, or will be, and that an operator may look for.
pub fn warn(message: &str, failure: &Failure) {
    eprintln!("{}", json!({"level": "warn", "message": message, "error.cause": failure.chain()}));
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
}

impl RequestLine<'_> {
    /// Writes the line, if the level lets it through.
    pub fn write(&self, level: LogLevel) {
        let failed = self.status >= 500;
        if level == LogLevel::Error && !failed {
            return;
        }
        let line = json!({
            "level": if failed { "error" } else { "info" },
            "message": format!("{} answered {}", self.route, self.status),
            "function.name": self.function,
            "http.route": self.route,
            "http.status": self.status,
            "problem.code": self.code,
            "error.cause": self.cause,
            "request.id": self.request_id,
            "request.duration_ms": self.took.as_secs_f64() * 1000.0,
        });
        eprintln!("{line}");
    }
}
