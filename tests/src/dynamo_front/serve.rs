//! Takes a request, lets the rules strike, and forwards it.

use std::future::pending;
use std::sync::{Arc, OnceLock};

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::CONTENT_TYPE;
use hyper::service::service_fn;
use hyper::{Request, Response, Uri};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::faults::Fault;
use super::rules::{Rules, When};
use crate::servers::runtime;
use crate::steps::{Met, Steps, of_dynamo};

/// Ends the connection without an answer.
type Broken = Box<dyn std::error::Error + Send + Sync>;

/// What the connections of a front share.
#[derive(Debug, Clone)]
pub(super) struct Serving {
    target: String,
    rules: Arc<Rules>,
    steps: Arc<OnceLock<Arc<Steps>>>,
    stopped: watch::Receiver<bool>,
    client: Client<HttpConnector, Full<Bytes>>,
}

impl Serving {
    pub fn new(
        endpoint: &str,
        rules: Arc<Rules>,
        steps: Arc<OnceLock<Arc<Steps>>>,
        stopped: watch::Receiver<bool>,
    ) -> Serving {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        let client = Client::builder(TokioExecutor::new()).build(connector);
        Serving { target: endpoint.trim_end_matches('/').to_owned(), rules, steps, stopped, client }
    }

    async fn answer(&self, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Broken> {
        let (mut head, body) = request.into_parts();
        let body = body.collect().await?.to_bytes();
        let target = head.headers.get("x-amz-target").and_then(|value| value.to_str().ok()).unwrap_or_default();
        let operation = target.rsplit('.').next().unwrap_or_default().to_owned();
        head.uri = format!("{}{}", self.target, head.uri).parse::<Uri>()?;
        let step = self.steps.get().map(|steps| (steps, steps.meet(of_dynamo(&operation, &body))));
        if let Some((_, Met::Lost)) = step {
            return Err("a step is lost".into());
        }
        let met = self.rules.meet(&operation, &body);
        if let Some((When::Before, fault)) = &met
            && let Some(answer) = strike(fault).await?
        {
            return Ok(answer);
        }
        let answer = self.client.request(Request::from_parts(head, Full::new(body))).await?;
        let (head, body) = answer.into_parts();
        let body = body.collect().await?.to_bytes();
        if let Some((steps, Met::LosesItsReply)) = step {
            steps.reply_is_lost();
            return Err("the reply of a step is lost".into());
        }
        if let Some((When::After, fault)) = &met
            && let Some(answer) = strike(fault).await?
        {
            return Ok(answer);
        }
        Ok(Response::from_parts(head, Full::new(body)))
    }
}

/// Lets a fault happen. `None`: the request goes its way now.
async fn strike(fault: &Fault) -> Result<Option<Response<Full<Bytes>>>, Broken> {
    match fault {
        Fault::Answer(status, body) => {
            let response = Response::builder().status(*status).header(CONTENT_TYPE, "application/x-amz-json-1.0");
            Ok(Some(response.body(Full::new(body.clone()))?))
        }
        Fault::Reset => Err("reset by the test".into()),
        Fault::Mute => pending().await,
        Fault::Slow(delay) => {
            tokio::time::sleep(*delay).await;
            Ok(None)
        }
        Fault::Hold(gate) => {
            gate.pass().await;
            Ok(None)
        }
    }
}

/// Answers a request in a task of its own: one that has arrived is carried out, also when its caller has given up.
async fn carry_out(serving: Serving, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, std::io::Error> {
    let answering = runtime().spawn(async move { serving.answer(request).await.map_err(std::io::Error::other) });
    answering.await?
}

/// Serves connections until the task is aborted, and each until the front is dropped.
pub(super) async fn accept(listener: TcpListener, serving: Serving) {
    while let Ok((stream, _)) = listener.accept().await {
        // Nagle would cost 40 ms a call. Without lingering a connection that is dropped is reset, as a fault asks.
        // A socket that refuses is closed already.
        let _ = (stream.set_nodelay(true), stream.set_zero_linger());
        let serving = serving.clone();
        runtime().spawn(async move {
            let mut stopped = serving.stopped.clone();
            let service = service_fn(|request| carry_out(serving.clone(), request));
            let connection = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service);
            tokio::select! {
                // How a connection ends is the caller's business, and often what the test wants.
                _ = connection => {}
                _ = stopped.wait_for(|stopped| *stopped) => {}
            }
        });
    }
}
