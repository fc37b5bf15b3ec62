//! The stand-in for API Gateway: it takes an HTTP request to the function that its route names, as an event, and
//! turns the answer back.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use jiff::Timestamp;
use uuid::Uuid;

use crate::lambda::{Deployed, Lambda};
use crate::router::{RouteError, Router};
use crate::template::FunctionSpec;
use crate::{answer, body, event};

/// API Gateway's own limit on a request.
const BODY_LIMIT: usize = 10 * 1024 * 1024;
/// Lambda's own limit on an answer, beyond which API Gateway has none to give.
const ANSWER_LIMIT: usize = 6 * 1024 * 1024;

/// Routes, and the functions that they lead to.
pub struct Gateway {
    router: Router<Arc<Deployed>>,
    port: u16,
}

impl Gateway {
    /// A gateway on `port` with the routes of the template.
    ///
    /// # Errors
    ///
    /// When the routes do not make a table.
    pub fn new(template: &[FunctionSpec], lambda: &Lambda, port: u16) -> Result<Self, RouteError> {
        let routes = template.iter().flat_map(|spec| {
            let function = lambda.function(&spec.name).into_iter();
            function.flat_map(|function| spec.route_keys.iter().map(|key| (key.clone(), Arc::clone(function))))
        });
        Ok(Self { router: Router::new(routes)?, port })
    }

    /// Answers one request.
    pub async fn answer(&self, request: Request) -> Response {
        let (request, body) = request.into_parts();
        let Some(body) = body::read(body, BODY_LIMIT).await else {
            return answer::of_gateway(StatusCode::PAYLOAD_TOO_LARGE, "Request Too Long");
        };
        // `OPTIONS *` and CONNECT ask about no path.
        if !request.uri.path().starts_with('/') {
            return answer::of_gateway(StatusCode::BAD_REQUEST, "Bad Request");
        }
        let found = self.router.find(&request.method, request.uri.path());
        let request_id = Uuid::new_v4().to_string();
        let answered = match event::build(request, &body, &found, self.port, &request_id, Timestamp::now()) {
            Ok(event) => found.target.invoke(&request_id, event).await.ok(),
            Err(_) => None,
        };
        answered
            .filter(|json| json.get().len() <= ANSWER_LIMIT)
            .and_then(|json| answer::parse(json.get()))
            .unwrap_or_else(|| answer::of_gateway(StatusCode::INTERNAL_SERVER_ERROR, "Internal Server Error"))
    }
}

/// The fallback handler of the HTTP server: whatever is not the Invoke API is for the gateway.
pub async fn handle(State(gateway): State<Arc<Gateway>>, request: Request) -> Response {
    gateway.answer(request).await
}
