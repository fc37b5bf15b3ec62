//! One environment of the functions: an `App`, and the route table in front of it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use holdfast::{App, Config};
use holdfast_local::gateway::Gateway;
use holdfast_local::handlers::handlers;
use holdfast_local::lambda::Lambda;
use holdfast_local::template;
use hyper::Request;
use hyper::header::CONTENT_TYPE;
use serde_json::Value;
use serde_json::value::to_raw_value;

use super::Answer;
use crate::payments;

/// What events say of the port that the gateway listens on. Nobody listens.
const PORT: u16 = 3000;

/// The function that the schedule calls.
const RECONCILE: &str = "ReconcileFunction";

/// An `App` with connections of its own, called as API Gateway would call it. A clone shares them.
#[derive(Clone)]
pub struct Client {
    app: Arc<App>,
    lambda: Lambda,
    gateway: Arc<Gateway>,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Client(..)")
    }
}

impl Client {
    /// Builds the functions from these variables. Of two with one name the later one counts.
    pub(super) fn new(vars: &[(String, String)]) -> Client {
        let vars: HashMap<String, String> = vars.iter().cloned().collect();
        let app = Arc::new(App::new(Config::from_vars(&vars).unwrap()));
        let template = template::functions().unwrap();
        let (lambda, _ended) = Lambda::deploy(&template, handlers(&app)).unwrap();
        let gateway = Arc::new(Gateway::new(&template, &lambda, PORT).unwrap());
        Client { app, lambda, gateway }
    }

    /// The functions' own state, for tests that call an operation and not a route.
    pub fn app(&self) -> &Arc<App> {
        &self.app
    }

    /// Hands an event to the reconcile function, as the schedule does, or somebody by hand, and answers its report.
    ///
    /// # Panics
    /// When the function fails: whatever it is sent, it has a report.
    pub async fn reconcile(&self, event: Value) -> Value {
        reported(&self.lambda, event).await
    }

    /// The same, with another time-out than the template's.
    ///
    /// # Panics
    /// When the function fails, or does not end by itself before it is stopped.
    pub async fn reconcile_within(&self, timeout: Duration, event: Value) -> Value {
        let mut template = template::functions().unwrap();
        template.iter_mut().filter(|function| function.name == RECONCILE).for_each(|spec| spec.timeout = timeout);
        let (lambda, _ended) = Lambda::deploy(&template, handlers(&self.app)).unwrap();
        reported(&lambda, event).await
    }

    /// Calls a route; `Value::Null` is no body.
    pub async fn call(&self, method: &str, path: &str, body: Value) -> Answer {
        let payment = payments::of_request(method, path, &body);
        payment.iter().for_each(payments::sent);
        let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
        let answer = self.call_raw(method, path, &[(CONTENT_TYPE.as_str(), "application/json")], body).await;
        payment.iter().for_each(|payment| payments::answered(payment, &answer));
        answer
    }

    /// Calls a route without a body.
    pub async fn get(&self, path: &str) -> Answer {
        self.call_raw("GET", path, &[], "").await
    }

    /// Calls a route with these headers and bytes, and no others.
    ///
    /// # Panics
    /// When they make no HTTP request.
    pub async fn call_raw(&self, method: &str, path: &str, headers: &[(&str, &str)], body: impl Into<Body>) -> Answer {
        let request = Request::builder().method(method).uri(path);
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        Answer::read(self.gateway.answer(request.body(body.into()).unwrap()).await).await
    }
}

async fn reported(lambda: &Lambda, event: Value) -> Value {
    let function = lambda.function(RECONCILE).unwrap();
    let report = function.invoke(&uuid::Uuid::new_v4().to_string(), to_raw_value(&event).unwrap()).await;
    serde_json::from_str(report.unwrap().get()).unwrap()
}
