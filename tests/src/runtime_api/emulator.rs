//! AWS' runtime interface emulator around one execution environment: Lambda's own Runtime API, as far as AWS gives it away.
//! `HOLDFAST_EMULATOR` names the program, which runs on Linux only.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::body::Bytes;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::sync::Mutex;

use super::log::Log;
use super::server::Failed;
use crate::poll::until;

/// Names the program.
const PROGRAM: &str = "HOLDFAST_EMULATOR";

/// It ends with the test, and its function with it, also when the test is killed: the end of the pipe says so.
const WATCHER: &str = r#""$@" & emulator=$!; read _; kill $emulator; wait $emulator"#;

/// How often other ports are tried. Between choosing two and the emulator taking them, anybody may have them.
const PORT_ATTEMPTS: u32 = 5;

/// An emulator with its function, which is started by its first event. Both end when this is dropped.
#[derive(Debug)]
pub struct Emulator {
    watcher: Child,
    front: SocketAddr,
    client: Client<HttpConnector, Full<Bytes>>,
    log: Log,
    /// It crashes on two events at once.
    turn: Mutex<()>,
}

impl Emulator {
    /// Whether there is one on this machine.
    pub fn is_there() -> bool {
        std::env::var_os(PROGRAM).is_some_and(|program| !program.is_empty())
    }

    /// Starts an emulator for a binary with these variables.
    ///
    /// # Panics
    /// When nobody said where it is, or it does not start.
    pub(super) async fn start(bootstrap: &Path, timeout: Duration, variables: &BTreeMap<String, String>) -> Emulator {
        for _ in 0..PORT_ATTEMPTS {
            let mut emulator = Emulator::start_once(bootstrap, timeout, variables);
            if emulator.is_listening().await {
                return emulator;
            }
            let log = emulator.log.text();
            assert!(log.contains("address already in use"), "{log}");
        }
        panic!("others have every port that was tried");
    }

    fn start_once(bootstrap: &Path, timeout: Duration, variables: &BTreeMap<String, String>) -> Emulator {
        let program = std::env::var_os(PROGRAM).unwrap_or_else(|| panic!("{PROGRAM} is not set; make e2e sets it"));
        let [front, runtime_api] = free_addresses();
        let log = Log::new();
        let watcher = Command::new("sh")
            .args(["-c", WATCHER, "sh"])
            .arg(program)
            .args(["--runtime-interface-emulator-address", &front.to_string()])
            .args(["--runtime-api-address", &runtime_api.to_string()])
            .arg(bootstrap)
            .env_clear()
            .envs(variables)
            .env("AWS_LAMBDA_FUNCTION_TIMEOUT", timeout.as_secs().to_string())
            .stdin(Stdio::piped())
            .stdout(log.end())
            .stderr(log.end())
            .spawn()
            .unwrap();
        let client = Client::builder(TokioExecutor::new()).build_http();
        Emulator { watcher, front, client, log, turn: Mutex::default() }
    }

    /// Waits until it takes events, or has said that it cannot.
    async fn is_listening(&mut self) -> bool {
        let (front, log) = (self.front, &self.log);
        until("the emulator takes events", async || match TcpStream::connect(front).await {
            Ok(_) => Some(true),
            Err(_) => log.text().contains("address already in use").then_some(false),
        })
        .await
    }

    /// Has the function answer an event, after those that came before.
    ///
    /// # Errors
    /// What Lambda calls a function error.
    pub async fn try_invoke(&self, event: &str) -> Result<Value, Failed> {
        let _turn = self.turn.lock().await;
        let url = format!("http://{}/2015-03-31/functions/function/invocations", self.front);
        let request = Request::post(url).body(Full::from(event.to_owned())).unwrap();
        let answer = self.client.request(request).await;
        let answer = answer.unwrap_or_else(|error| panic!("no answer: {error}\n{}", self.log()));
        let text = answer.into_body().collect().await.unwrap().to_bytes();
        let answer: Value = match serde_json::from_slice(&text) {
            Ok(answer) => answer,
            Err(_) if text.starts_with(b"Task timed out") => return Err(Failed::TimedOut),
            Err(_) => Value::from(String::from_utf8_lossy(&text).into_owned()),
        };
        match answer["errorType"].as_str() {
            Some(kind) => Err(Failed::Error(kind.to_owned(), answer)),
            None => Ok(answer),
        }
    }

    /// What it and its function wrote so far.
    pub fn log(&self) -> String {
        self.log.text()
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        drop(self.watcher.stdin.take());
        // Only fails when the watcher is gone, and that is what is wanted.
        let _ = self.watcher.wait();
    }
}

/// Two addresses where nobody listens yet.
fn free_addresses() -> [SocketAddr; 2] {
    let listeners = [(); 2].map(|()| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap());
    listeners.map(|listener| listener.local_addr().unwrap())
}
