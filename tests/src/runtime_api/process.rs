//! One execution environment.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;

use super::log::Log;
use super::server::{Failed, RuntimeApi};
use crate::poll::until;

/// The built binary of a function, as a process. It ends when it is dropped.
#[derive(Debug)]
pub struct Process {
    function: String,
    timeout: Duration,
    api: Arc<RuntimeApi>,
    child: Mutex<Child>,
    pid: u32,
    log: Log,
}

impl Process {
    /// Starts a binary with these variables, and one Runtime API.
    ///
    /// # Panics
    /// When it was not built, here as in what follows.
    pub(super) fn start(
        program: &Path,
        function: &str,
        timeout: Duration,
        variables: &BTreeMap<String, String>,
        api: &Arc<RuntimeApi>,
    ) -> Process {
        let log = Log::new();
        let child = Command::new(program)
            .env_clear()
            .envs(variables)
            .env("AWS_LAMBDA_RUNTIME_API", api.address())
            .stdin(Stdio::null())
            .stdout(log.end())
            .stderr(log.end())
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}; make e2e builds it", program.display()));
        let (function, pid) = (function.to_owned(), child.id());
        Process { function, timeout, api: Arc::clone(api), child: Mutex::new(child), pid, log }
    }

    /// Its number at the operating system.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Its Runtime API.
    pub fn api(&self) -> &RuntimeApi {
        &self.api
    }

    /// Has it answer an event.
    ///
    /// # Errors
    /// What Lambda calls a function error.
    pub async fn try_invoke(&self, event: &str) -> Result<Value, Failed> {
        self.api.invoke(&self.function, self.timeout, event).await
    }

    /// The same, where there must be an answer.
    pub async fn invoke(&self, event: &str) -> Value {
        let answer = self.try_invoke(event).await;
        answer.unwrap_or_else(|failed| panic!("{} failed: {failed:?}\n{}", self.function, self.log()))
    }

    /// What it wrote so far.
    pub fn log(&self) -> String {
        self.log.text()
    }

    /// Whether it runs; what has ended has ended for good.
    pub fn is_alive(&self) -> bool {
        self.child.lock().unwrap_or_else(PoisonError::into_inner).try_wait().unwrap().is_none()
    }

    /// Stops it where it stands, as Lambda does between two invocations.
    pub async fn freeze(&self) -> Frozen<'_> {
        // Should this test be killed, nobody would thaw it: the end of the pipe ends it instead.
        let watcher = Command::new("sh")
            .args(["-c", r#"read _ || kill -KILL "$0""#, &self.pid.to_string()])
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let frozen = Frozen { process: self, watcher };
        self.signal("STOP");
        until("the process is stopped", async || self.state().starts_with('T').then_some(())).await;
        frozen
    }

    fn state(&self) -> String {
        let ps = Command::new("ps").args(["-o", "state=", "-p", &self.pid.to_string()]).output().unwrap();
        String::from_utf8_lossy(&ps.stdout).trim().to_owned()
    }

    fn signal(&self, name: &str) {
        let kill = Command::new("kill").args([format!("-{name}"), self.pid.to_string()]).status();
        assert!(kill.unwrap().success(), "the process takes SIG{name}");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let child = self.child.get_mut().unwrap_or_else(PoisonError::into_inner);
        // It may have ended by itself.
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// A process that is stopped. It goes on when this is dropped.
#[derive(Debug)]
pub struct Frozen<'a> {
    process: &'a Process,
    watcher: Child,
}

impl Drop for Frozen<'_> {
    fn drop(&mut self) {
        if let Some(mut stdin) = self.watcher.stdin.take() {
            // A watcher that is gone needs not be told.
            let _ = stdin.write_all(b"\n");
        }
        let _ = self.watcher.wait();
        self.process.signal("CONT");
    }
}

/// The built binary of a function: in `HOLDFAST_BINARIES`, or of the profile that this test was built with.
pub fn binary(function: &str) -> PathBuf {
    // target/<profile>/deps/<test>
    let beside = || std::env::current_exe().unwrap().ancestors().nth(2).map(Path::to_owned).unwrap();
    std::env::var_os("HOLDFAST_BINARIES").map_or_else(beside, PathBuf::from).join(function)
}
