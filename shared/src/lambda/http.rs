//! HTTP requests. The layer wraps the *raw* event because lambda_http refuses some events, and panics on others (a `Host`
//! that is none, base64 that is none), before any handler is called.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use futures_util::FutureExt;
use lambda_http::http::{Response, StatusCode, header};
use lambda_http::request::LambdaRequest;
use lambda_http::{Adapter, Body, LambdaEvent, Request};
use lambda_runtime::Error;
use serde::Serialize;
use tower::Service;

use super::{Function, RawEvent, panic_text, time_left};
use crate::Deadline;
use crate::http::answer::Reply;
use crate::http::{Call, Problem, gateway};
use crate::telemetry::{Invocation, Meters, RequestLine};

pub(super) type Handler = dyn Fn(Call) -> Pin<Box<dyn Future<Output = Reply> + Send>> + Send + Sync;

impl Function {
    /// Answers one event: as API Gateway takes it, whatever happens.
    pub(super) async fn answer_request(self, handler: Arc<Handler>, event: RawEvent) -> impl Serialize + Send + use<> {
        let started = Instant::now();
        let LambdaEvent { payload, context } = event;
        let invocation = self.invocation(&context.request_id, &context);
        let deadline = Deadline::after(self.app.request_budget).or_after(time_left(context.deadline));

        let this = self.clone();
        let of_lambda = invocation.clone();
        let mut adapter = Adapter::from(tower::service_fn(move |request: Request| {
            let (this, handler, invocation) = (this.clone(), Arc::clone(&handler), of_lambda.clone());
            async move { Ok::<_, Error>(this.answer(&*handler, request, invocation, deadline, started).await) }
        }));
        // Deserialising cannot panic; turning the event into a request can.
        let answered = AssertUnwindSafe(async {
            let event = LambdaEvent { payload: serde_json::from_str::<LambdaRequest>(payload.get())?, context };
            adapter.call(event).await
        });
        let cause = match answered.catch_unwind().await {
            Ok(Ok(answer)) => return RawAnswer::Answer(Box::new(answer)),
            Ok(Err(error)) => error.to_string(),
            Err(_) => "a panic".to_owned(),
        };
        let problem = Problem::internal(cause);
        self.log("?", &invocation, &Err(problem.clone()), started, &Meters::default());
        RawAnswer::Problem(RawProblem::of(&problem, &invocation.request_id))
    }

    async fn answer(
        self,
        handler: &Handler,
        request: Request,
        mut invocation: Invocation,
        deadline: Deadline,
        started: Instant,
    ) -> Response<Body> {
        let (route, request_id) = names(&request);
        invocation.request_id = request_id.unwrap_or(invocation.request_id);
        let stores = self.app.stores(deadline).telling(&invocation);
        let waited = stores.meters().clone();
        let call = Call::new(self.app.clone(), request, stores);
        let reply = AssertUnwindSafe(handler(call)).catch_unwind().await;
        let reply = reply.unwrap_or_else(|panic| Err(Problem::internal(panic_text(&*panic))));
        self.log(&route, &invocation, &reply, started, &waited);
        response(reply, &invocation.request_id)
    }

    fn log(&self, route: &str, invocation: &Invocation, reply: &Reply, started: Instant, waited: &Meters) {
        let problem = reply.as_ref().err();
        let status = reply.as_ref().map_or_else(|problem| problem.status, |answer| answer.status);
        let line = RequestLine {
            invocation,
            route,
            status: status.as_u16(),
            code: problem.map(|problem| problem.code),
            cause: problem.and_then(|problem| problem.log.as_deref()),
            took: started.elapsed(),
            waited,
            cold: self.app.is_cold(),
            counted: reply.as_ref().ok().and_then(|answer| answer.counted),
        };
        line.write(self.app.log_level, self.app.metrics);
    }
}

/// Either shape of an answer. Both read the same in JSON.
#[derive(Serialize)]
#[serde(untagged)]
enum RawAnswer<A> {
    Answer(A),
    Problem(RawProblem),
}

/// The answer to an event whose kind is not known: what API Gateway takes of all of them.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RawProblem {
    status_code: u16,
    headers: serde_json::Map<String, serde_json::Value>,
    body: String,
    is_base64_encoded: bool,
}

impl RawProblem {
    fn of(problem: &Problem, request_id: &str) -> Self {
        let headers = [("content-type", PROBLEM_JSON), ("x-request-id", request_id)];
        RawProblem {
            status_code: problem.status.as_u16(),
            headers: headers.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect(),
            body: problem.body(request_id),
            is_base64_encoded: false,
        }
    }
}

const PROBLEM_JSON: &str = "application/problem+json";

/// The HTTP response of a reply.
fn response(reply: Reply, request_id: &str) -> Response<Body> {
    let builder = Response::builder().header("x-request-id", request_id).header(header::CACHE_CONTROL, "no-store");
    let response = match reply {
        Ok(answer) => match answer.body {
            Some(body) => {
                builder.status(answer.status).header(header::CONTENT_TYPE, "application/json").body(body.into())
            }
            None => builder.status(answer.status).body(Body::Empty),
        },
        Err(problem) => {
            let mut builder = builder.status(problem.status).header(header::CONTENT_TYPE, PROBLEM_JSON);
            if let Some(seconds) = problem.retry_after_s {
                builder = builder.header(header::RETRY_AFTER, seconds);
            }
            if let Some(allow) = &problem.allow {
                builder = builder.header(header::ALLOW, allow);
            }
            builder.body(problem.body(request_id).into())
        }
    };
    response.unwrap_or_else(|_| {
        let mut failed = Response::new(Body::Empty);
        *failed.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
        failed
    })
}

/// The route and the id of a request: API Gateway's own, which its access log has too.
fn names(request: &Request) -> (String, Option<String>) {
    let (route, id) = gateway::route_key_and_id(request);
    // An event that was made by hand may have an id that no header can carry.
    let id = id.filter(|id| id.bytes().all(|byte| byte.is_ascii_graphic()));
    (route.unwrap_or_else(|| request.method().to_string()), id)
}
