//! All functions, as processes on the stores of a test.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use axum::http::Request;
use holdfast_local::router::Router;
use holdfast_local::template::FunctionSpec;
use holdfast_local::{answer, event};
use jiff::Timestamp;
use serde_json::Value;
use tokio::sync::Mutex;

use super::actions;
use super::emulator::Emulator;
use super::hosted::{Host, Hosted};
use super::process::{Process, binary};
use super::server::RuntimeApi;
use super::variables::variables;
use crate::cases::Stores;
use crate::dynamo_front::Front;
use crate::sys::Answer;
use crate::{payments, template};

/// What events say of the port that the gateway listens on. Nobody listens.
const PORT: u16 = 3000;

/// An `Authorization` that is no token: the gateway took the signature for good.
pub const SIGNED: &str = "AWS4-HMAC-SHA256";

/// The functions of the template on the stores of a test, each with a front of its own before DynamoDB.
pub struct Deployment {
    host: Host,
    stores: Stores,
    functions: BTreeMap<String, Deployed>,
    router: Router<String>,
    /// Those that answer routes: started by the first request, and warm from then on.
    serving: Mutex<BTreeMap<String, Arc<Hosted>>>,
}

/// What each process of a function has.
struct Deployed {
    front: Front,
    timeout: Duration,
    variables: BTreeMap<String, String>,
}

/// What the template says of time-outs and routes, read once.
fn specs() -> &'static [FunctionSpec] {
    static SPECS: LazyLock<Vec<FunctionSpec>> = LazyLock::new(|| holdfast_local::template::functions().unwrap());
    &SPECS
}

impl std::fmt::Debug for Deployment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Deployment({:?})", self.stores)
    }
}

impl Deployment {
    /// Under the Runtime API of the tests' own. Nothing is started yet.
    ///
    /// # Panics
    /// When the template cannot be understood.
    pub async fn on(stores: Stores) -> Deployment {
        Deployment::under(Host::RuntimeApi, stores).await
    }

    /// The same under either host.
    ///
    /// # Panics
    /// When the template cannot be understood.
    pub async fn under(host: Host, stores: Stores) -> Deployment {
        let (mut functions, mut routes) = (BTreeMap::new(), Vec::new());
        let mut templates = template::functions();
        for FunctionSpec { name: id, timeout, route_keys, .. } in specs() {
            let template = templates.remove(id).unwrap();
            let name = template.binary().to_owned();
            routes.extend(route_keys.iter().map(|key| (key.clone(), name.clone())));
            let front = Front::start(&stores.dynamo_endpoint).await;
            let variables = variables(&name, &template, &stores, &front.endpoint());
            functions.insert(name, Deployed { front, timeout: *timeout, variables });
        }
        Deployment { host, stores, functions, router: Router::new(routes).unwrap(), serving: Mutex::default() }
    }

    /// The same, with these variables for every process besides the template's.
    pub fn with(mut self, besides: &[(&str, &str)]) -> Deployment {
        let besides = besides.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        for deployed in self.functions.values_mut() {
            deployed.variables.extend(besides.clone());
        }
        self
    }

    /// The stores.
    pub fn stores(&self) -> &Stores {
        &self.stores
    }

    /// What is between a function and DynamoDB.
    pub fn front(&self, function: &str) -> &Front {
        &self.functions[function].front
    }

    /// A new execution environment of a function, under this deployment's host.
    pub async fn open(&self, function: &str) -> Hosted {
        match self.host {
            Host::RuntimeApi => Hosted::Process(self.start(function, &[]).await),
            Host::Emulator => Hosted::Emulated(Box::new(self.emulate(function, function, &[]).await)),
        }
    }

    /// A new process of a function, with these variables besides the template's.
    pub async fn start(&self, function: &str, besides: &[(&str, &str)]) -> Process {
        let api = Arc::new(RuntimeApi::start().await);
        self.start_at(&api, function, besides)
    }

    /// A new process of a function that shares a Runtime API with others.
    pub fn start_at(&self, api: &Arc<RuntimeApi>, function: &str, besides: &[(&str, &str)]) -> Process {
        self.start_as(function, api, function, besides)
    }

    /// The same of another program, in that function's place.
    pub fn start_as(&self, program: &str, api: &Arc<RuntimeApi>, function: &str, besides: &[(&str, &str)]) -> Process {
        let (timeout, variables) = self.place(function, besides);
        Process::start(&binary(program), function, timeout, &variables, api)
    }

    /// A program in a function's place under the emulator, with these variables besides the template's.
    pub async fn emulate(&self, program: &str, function: &str, besides: &[(&str, &str)]) -> Emulator {
        let (timeout, variables) = self.place(function, besides);
        Emulator::start(&binary(program), timeout, &variables).await
    }

    /// The time-out and the variables of a function.
    fn place(&self, function: &str, besides: &[(&str, &str)]) -> (Duration, BTreeMap<String, String>) {
        let Deployed { timeout, variables, .. } = &self.functions[function];
        let besides = besides.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        (*timeout, variables.clone().into_iter().chain(besides).collect())
    }

    /// The environment of a function that answers routes.
    pub async fn serving(&self, function: &str) -> Arc<Hosted> {
        let mut serving = self.serving.lock().await;
        if let Some(hosted) = serving.get(function) {
            return Arc::clone(hosted);
        }
        let hosted = Arc::new(self.open(function).await);
        serving.insert(function.to_owned(), Arc::clone(&hosted));
        hosted
    }

    /// What all of these processes wrote so far.
    pub async fn log(&self) -> String {
        self.serving.lock().await.values().map(|process| process.log()).collect()
    }

    /// Calls a route, signed with IAM, as the shop's own backend does; `Value::Null` is no body.
    pub async fn call(&self, method: &str, path: &str, body: Value) -> Answer {
        self.call_as(SIGNED, method, path, body).await
    }

    /// Calls a route with this `Authorization`; empty: with none.
    pub async fn call_as(&self, authorization: &str, method: &str, path: &str, body: Value) -> Answer {
        let payment = payments::of_request(method, path, &body);
        payment.iter().for_each(payments::sent);
        let (function, event) = self.event_as(authorization, method, path, body);
        let answer = self.serving(&function).await.invoke(&event).await.to_string();
        let answer = Answer::read(answer::parse(&answer).unwrap_or_else(|| panic!("no answer: {answer}"))).await;
        payment.iter().for_each(|payment| payments::answered(payment, &answer));
        answer
    }

    /// The function that a request goes to, and the event that API Gateway makes of it.
    pub fn event(&self, method: &str, path: &str, body: Value) -> (String, String) {
        self.event_as(SIGNED, method, path, body)
    }

    fn event_as(&self, authorization: &str, method: &str, path: &str, body: Value) -> (String, String) {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let request = Request::builder().method(method).uri(path).header("content-type", "application/json");
        let request = if authorization.is_empty() { request } else { request.header("authorization", authorization) };
        let (request, ()) = request.body(()).unwrap().into_parts();
        let found = self.router.find(&request.method.clone(), path.split('?').next().unwrap());
        let id = uuid::Uuid::new_v4().to_string();
        let event = event::build(request, body.as_bytes(), &found, PORT, &id, Timestamp::now()).unwrap();
        (found.target.clone(), event.get().to_owned())
    }

    /// Has the schedule's function answer an event.
    pub async fn reconcile(&self, event: Value) -> Value {
        self.serving("reconcile").await.invoke(&event.to_string()).await
    }
}

impl Drop for Deployment {
    fn drop(&mut self) {
        for (function, deployed) in &self.functions {
            actions::note(function, &deployed.front);
        }
    }
}
