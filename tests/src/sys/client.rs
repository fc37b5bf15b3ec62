//! One environment of the functions: an `App`, and the route table in front of it.

use std::collections::HashMap;
use std::sync::Arc;

use axum::body::Body;
use holdfast::{App, Config};
use holdfast_local::gateway::Gateway;
use holdfast_local::handlers::handlers;
use holdfast_local::lambda::Lambda;
use holdfast_local::template;
use hyper::Request;
use hyper::header::CONTENT_TYPE;
use serde_json::Value;

use super::Answer;

/// What events say of the port that the gateway listens on. Nobody listens.
const PORT: u16 = 3000;

/// An `App` with connections of its own, called as API Gateway would call it. A clone shares them.
#[derive(Clone)]
pub struct Client {
    app: Arc<App>,
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
        Client { app, gateway }
    }

    /// The functions' own state, for tests that call an operation and not a route.
    pub fn app(&self) -> &Arc<App> {
        &self.app
    }

    /// Calls a route; `Value::Null` is no body.
    pub async fn call(&self, method: &str, path: &str, body: Value) -> Answer {
        let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
        self.call_raw(method, path, &[(CONTENT_TYPE.as_str(), "application/json")], body).await
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
