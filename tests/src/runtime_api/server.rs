//! The HTTP side: `next`, `response`, `error`, and the error of an initialisation.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::{HeaderMap, Response, StatusCode};
use axum::routing::{get, post};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::servers::runtime;

/// How long an event waits for a process that asks for it. Many that start at once on a small machine take their time.
const QUEUED: Duration = Duration::from_secs(60);

/// What an invocation came to.
type Outcome = Result<Value, Failed>;

/// An event that waits for a process.
struct Invocation {
    id: String,
    timeout: Duration,
    arn: String,
    trace_id: String,
    event: String,
    begun: oneshot::Sender<()>,
    ended: oneshot::Sender<Outcome>,
}

/// Why an invocation has no answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Failed {
    /// The function said so: the type and the body of its error.
    Error(String, Value),
    /// It did not answer within its time-out.
    TimedOut,
    /// No process asked for the event.
    NotBegun,
}

struct Shared {
    /// Whoever asks for the next event waits here for its turn.
    queue: tokio::sync::Mutex<mpsc::UnboundedReceiver<Invocation>>,
    running: Mutex<HashMap<String, oneshot::Sender<Outcome>>>,
    most_at_once: AtomicUsize,
    init_errors: Mutex<Vec<Value>>,
}

impl Shared {
    fn running(&self) -> MutexGuard<'_, HashMap<String, oneshot::Sender<Outcome>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self, id: &str, result: Outcome) -> StatusCode {
        match self.running().remove(id) {
            Some(ended) => {
                // Whoever invoked may have given up.
                let _ = ended.send(result);
                StatusCode::ACCEPTED
            }
            None => StatusCode::BAD_REQUEST,
        }
    }
}

/// A Runtime API, for one process or for many: each event goes to the next one that asks. It ends when it is dropped.
pub struct RuntimeApi {
    addr: SocketAddr,
    queue: mpsc::UnboundedSender<Invocation>,
    shared: Arc<Shared>,
    serving: JoinHandle<()>,
}

impl std::fmt::Debug for RuntimeApi {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "RuntimeApi({})", self.addr)
    }
}

impl RuntimeApi {
    /// Listens on a port of its own.
    pub async fn start() -> RuntimeApi {
        let (queue, waiting) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared {
            queue: tokio::sync::Mutex::new(waiting),
            running: Mutex::default(),
            most_at_once: AtomicUsize::new(0),
            init_errors: Mutex::default(),
        });
        let routes = Router::new()
            .route("/2018-06-01/runtime/invocation/next", get(next))
            .route("/2018-06-01/runtime/invocation/{id}/response", post(response))
            .route("/2018-06-01/runtime/invocation/{id}/error", post(error))
            .route("/2018-06-01/runtime/init/error", post(init_error))
            .layer(DefaultBodyLimit::disable())
            .with_state(Arc::clone(&shared));
        let listening = runtime().spawn(async move {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let addr = listener.local_addr().unwrap();
            (addr, runtime().spawn(async move { axum::serve(listener, routes).await.unwrap() }))
        });
        let (addr, serving) = listening.await.unwrap();
        RuntimeApi { addr, queue, shared, serving }
    }

    /// What a process is told of it, `127.0.0.1:PORT`.
    pub fn address(&self) -> String {
        self.addr.to_string()
    }

    /// Hands an event to the next process that asks, and waits for what becomes of it, for as long as the function's
    /// time-out says.
    ///
    /// # Errors
    /// What Lambda calls a function error.
    pub async fn invoke(&self, function: &str, timeout: Duration, event: &str) -> Result<Value, Failed> {
        let ((begun, began), (ended, end)) = (oneshot::channel(), oneshot::channel());
        let id = uuid::Uuid::new_v4().to_string();
        let arn = format!("arn:aws:lambda:us-east-1:000000000000:function:{function}");
        let trace_id = trace_id(event);
        let invocation = Invocation { id: id.clone(), timeout, arn, trace_id, event: event.to_owned(), begun, ended };
        self.queue.send(invocation).expect("the queue lives as long as this");
        if !matches!(tokio::time::timeout(QUEUED, began).await, Ok(Ok(()))) {
            return Err(Failed::NotBegun);
        }
        let outcome = tokio::time::timeout(timeout, end).await;
        self.shared.running().remove(&id);
        outcome.ok().and_then(Result::ok).unwrap_or(Err(Failed::TimedOut))
    }

    /// How many invocations were under way in the same instant, at the most.
    pub fn most_at_once(&self) -> usize {
        self.shared.most_at_once.load(Ordering::SeqCst)
    }

    /// How many are under way now.
    pub fn running(&self) -> usize {
        self.shared.running().len()
    }

    /// What processes reported that could not begin.
    pub fn init_errors(&self) -> Vec<Value> {
        self.shared.init_errors.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for RuntimeApi {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// The id of the trace that the invocation with this event belongs to.
pub fn trace_id(event: &str) -> String {
    format!("1-6929a6b0-{:0>24x}", BuildHasherDefault::<DefaultHasher>::default().hash_one(event))
}

async fn next(State(shared): State<Arc<Shared>>) -> Response<Body> {
    // Whoever hangs up gives its turn back: nothing is taken before it is its turn.
    let invocation = shared.queue.lock().await.recv().await;
    let Some(Invocation { id, timeout, arn, trace_id, event, begun, ended }) = invocation else {
        return Response::builder().status(StatusCode::GONE).body(Body::empty()).unwrap();
    };
    let deadline_ms = (SystemTime::now() + timeout).duration_since(UNIX_EPOCH).unwrap().as_millis();
    let response = Response::builder()
        .header("content-type", "application/json")
        .header("lambda-runtime-aws-request-id", &id)
        .header("lambda-runtime-deadline-ms", deadline_ms.to_string())
        .header("lambda-runtime-invoked-function-arn", arn)
        .header("lambda-runtime-trace-id", format!("Root={trace_id};Parent=53995c3f42cd8ad8;Sampled=1"))
        .body(event.into())
        .unwrap();
    let mut running = shared.running();
    running.insert(id, ended);
    shared.most_at_once.fetch_max(running.len(), Ordering::SeqCst);
    // Whoever invoked may have given up.
    let _ = begun.send(());
    response
}

async fn response(State(shared): State<Arc<Shared>>, Path(id): Path<String>, body: Bytes) -> StatusCode {
    let answer = serde_json::from_slice(&body);
    shared.end(&id, answer.map_err(|error| Failed::Error("no JSON".to_owned(), error.to_string().into())))
}

async fn error(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> StatusCode {
    let kind = headers.get("lambda-runtime-function-error-type").and_then(|kind| kind.to_str().ok());
    let body = serde_json::from_slice(&body).unwrap_or_default();
    shared.end(&id, Err(Failed::Error(kind.unwrap_or_default().to_owned(), body)))
}

async fn init_error(State(shared): State<Arc<Shared>>, body: Bytes) -> StatusCode {
    let body = serde_json::from_slice(&body).unwrap_or_default();
    shared.init_errors.lock().unwrap_or_else(PoisonError::into_inner).push(body);
    StatusCode::ACCEPTED
}
