//! Events of the schedule, or by hand: the answer is a report, and so is what went wrong.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::time::Instant;

use futures_util::FutureExt;
use lambda_http::LambdaEvent;
use serde_json::value::RawValue;

use super::{Function, RawEvent, panic_text, time_left};
use crate::domain::{Report, ReportError};
use crate::http::Problem;
use crate::telemetry::ReportLines;
use crate::{Deadline, Stores};

pub(super) type Handler =
    dyn Fn(Box<RawValue>, Stores) -> Pin<Box<dyn Future<Output = Result<Report, Problem>> + Send>> + Send + Sync;

impl Function {
    /// Answers one event. Nobody waits at the other end, so the budget of a request does not bind it.
    pub(super) async fn answer_event(&self, handler: &Handler, event: RawEvent) -> Report {
        let started = Instant::now();
        let LambdaEvent { payload, context } = event;
        let invocation = self.invocation(&context.request_id, &context);
        let stores = self.app.stores(Deadline::after(time_left(context.deadline))).telling(&invocation);
        let reported = AssertUnwindSafe(async { handler(payload, stores).await }).catch_unwind().await;
        let reported = reported.unwrap_or_else(|panic| Err(Problem::internal(panic_text(&*panic))));

        let cause = reported.as_ref().err().and_then(|problem| problem.log.clone());
        let mut report = reported.unwrap_or_else(not_done);
        let took = started.elapsed();
        report.duration_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        let lines = ReportLines { invocation: &invocation, report: &report, cause: cause.as_deref(), took };
        lines.write(self.app.log_level, self.app.metrics);
        report
    }
}

/// The report of a run that did nothing, and why.
fn not_done(problem: Problem) -> Report {
    let error = ReportError { show_id: None, code: problem.code, detail: problem.detail };
    Report { errors: vec![error], ..Report::default() }
}
