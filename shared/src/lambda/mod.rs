//! The layer around every handler, between the raw event and the raw answer: it keeps the time, catches panics, and writes
//! the log line. There are two kinds of functions: those that answer HTTP requests (`http`), and those that the
//! schedule calls (`event`).

mod event;
mod http;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use lambda_http::LambdaEvent;
use lambda_runtime::{Context as LambdaContext, Error};
use serde::Serialize;
use serde_json::value::RawValue;
use tower::Service;

use crate::config::ConfigError;
use crate::domain::Report;
use crate::http::answer::Reply;
use crate::http::{Call, Problem};
use crate::telemetry::Invocation;
use crate::{App, Stores};

/// An event as the runtime hands it over.
pub type RawEvent = LambdaEvent<Box<RawValue>>;

/// What is kept of the function's own time-out for the answer to reach the caller.
const MARGIN: Duration = Duration::from_millis(200);

/// A handler with everything that stands around it, as the Lambda runtime and the local system call it.
#[derive(Clone)]
pub struct Function {
    name: &'static str,
    app: Arc<App>,
    handler: Handler,
    takes_tokens: bool,
}

#[derive(Clone)]
enum Handler {
    Http(Arc<http::Handler>),
    Event(Arc<event::Handler>),
}

/// Runs a function until the process ends. One process serves as many invocations at once as the platform lets it.
///
/// # Errors
/// What ended it.
pub async fn run(function: fn(Arc<App>) -> Function) -> Result<(), Error> {
    let app = Arc::new(App::from_env()?);
    let function = function(Arc::clone(&app));
    if function.takes_tokens && app.token_secrets.is_none() {
        return Err(ConfigError::of("TOKEN_SECRET", "must be set, to a secret of at least 32 characters").into());
    }
    lambda_runtime::run_concurrent(function).await
}

impl Function {
    /// Puts the layer around a handler of HTTP requests.
    pub fn new<F>(name: &'static str, app: Arc<App>, handler: impl Fn(Call) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Reply> + Send + 'static,
    {
        let handler = Handler::Http(Arc::new(move |call| Box::pin(handler(call))));
        Self { name, app, handler, takes_tokens: false }
    }

    /// Puts the layer around a handler of events that come from the schedule, or by hand. It gets the event as it came,
    /// and as long as the function's own time-out lets it. Its problem means that nothing was done.
    pub fn of_events<F>(
        name: &'static str,
        app: Arc<App>,
        handler: impl Fn(Box<RawValue>, Stores) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<Report, Problem>> + Send + 'static,
    {
        let handler = Handler::Event(Arc::new(move |event, stores| Box::pin(handler(event, stores))));
        Self { name, app, handler, takes_tokens: false }
    }

    /// Says that nearly every event needs DynamoDB: its client is made while the process starts. Lambda gives it a whole CPU
    /// for that, and later only as much of one as it has memory.
    #[must_use]
    pub fn with_record(self) -> Self {
        self.app.prepare_record();
        self
    }

    /// Says that the function makes or takes hold tokens: it does not start without `TOKEN_SECRET`.
    #[must_use]
    pub fn with_tokens(self) -> Self {
        Self { takes_tokens: true, ..self }
    }

    /// Which invocation this is, for its lines.
    fn invocation(&self, request_id: &str, context: &LambdaContext) -> Invocation {
        Invocation::new(self.name, &context.env_config.function_name, request_id, context.xray_trace_id.as_deref())
    }

    /// Answers one event. There is always an answer: an event that cannot be read, or a panic, is the contract's 500, or
    /// an error in the report.
    pub async fn call(self, event: RawEvent) -> impl Serialize + Send + use<> {
        match self.handler.clone() {
            Handler::Http(handler) => RawAnswer::Http(self.answer_request(handler, event).await),
            Handler::Event(handler) => RawAnswer::Event(self.answer_event(&*handler, event).await),
        }
    }
}

/// Either kind of answer.
#[derive(Serialize)]
#[serde(untagged)]
enum RawAnswer<A> {
    Http(A),
    Event(Report),
}

impl Service<RawEvent> for Function {
    type Response = Box<RawValue>;
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Box<RawValue>, Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, event: RawEvent) -> Self::Future {
        let this = self.clone();
        Box::pin(async move { Ok(serde_json::value::to_raw_value(&Function::call(this, event).await)?) })
    }
}

/// How long until the function is stopped, less the margin.
fn time_left(deadline_ms: u64) -> Duration {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Duration::from_millis(deadline_ms).saturating_sub(now).saturating_sub(MARGIN)
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("panic: {}", text.unwrap_or("of an unknown kind"))
}
