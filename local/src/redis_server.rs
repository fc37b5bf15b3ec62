//! A real Redis or Valkey as a child of this process, which dies with it.
//!
//! Also when this process is killed by SIGKILL and can clean up nothing: a shell stands between the two, and ends the
//! server once the pipe that is its standard input closes. The kernel closes it, whatever happened to us.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::data_dir::{self, DataDirError};

/// `$1` is the signal that ends the server, `$2` a directory that ends with it or nothing, the rest its command line. The
/// first line out is the server's pid, the rest is its log. The shell closes its own end of the output, so that the log
/// ends when the server does.
const WATCHER: &str = r#"end=$1; scratch=$2; shift 2; "$@" 2>&1 & pid=$!; echo $pid; exec >&-
read _; kill -$end $pid; wait $pid; [ -z "$scratch" ] || rm -rf "$scratch""#;

/// Loading a large append-only file is what may take long; an empty server is up in some milliseconds.
const START_LIMIT: Duration = Duration::from_secs(60);

/// How often another port is tried. Between choosing one and Redis taking it, anybody may have it.
const PORT_ATTEMPTS: u32 = 5;

/// A cluster node also listens on its port + 10,000, which has to exist.
const HIGHEST_PORT: u16 = u16::MAX - 10_000;

/// How long a server whose parent was killed may take to write its last data and end.
const PREDECESSOR_LIMIT: Duration = Duration::from_secs(10);

/// Why no Redis could be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Neither server is on the PATH.
    #[error(
        "no Redis: install redis-server or valkey-server (Debian: apt install redis-server, Fedora: dnf install valkey, macOS: brew install redis), or set REDIS_URL"
    )]
    NotInstalled,
    /// The operating system refused a process, a port or a directory.
    #[error("cannot start Redis")]
    Io(#[from] io::Error),
    /// The data directory cannot be had.
    #[error("cannot start Redis in its data directory")]
    DataDir(#[from] DataDirError),
    /// The server ended before it was ready; this is the end of its log.
    #[error("Redis ended at its start: {0}")]
    Ended(String),
    /// The server runs but was not ready in time.
    #[error("Redis was not ready within {} seconds", START_LIMIT.as_secs())]
    TooSlow,
}

/// A running server. Dropping it ends the server and waits until it is gone.
#[derive(Debug)]
pub struct RedisServer {
    watcher: Child,
    address: Ipv4Addr,
    port: u16,
    pid: u32,
}

impl RedisServer {
    /// Starts a server on a free port of 127.0.0.1, and returns once it answers.
    ///
    /// With `data_dir` it keeps an append-only file there, without it keeps nothing. `extra_args` come last on its
    /// command line, so they win. Blocks for some milliseconds.
    ///
    /// # Errors
    ///
    /// When no server is installed, or it does not start.
    pub fn start(data_dir: Option<&Path>, extra_args: &[&str]) -> Result<Self, StartError> {
        Self::start_at(Ipv4Addr::LOCALHOST, data_dir, extra_args)
    }

    /// The same on another address of this machine. Whoever reaches that is let in: there is no password.
    ///
    /// # Errors
    ///
    /// As above.
    pub fn start_at(address: Ipv4Addr, data_dir: Option<&Path>, extra_args: &[&str]) -> Result<Self, StartError> {
        let program = installed().ok_or(StartError::NotInstalled)?;
        let mut attempt = 1;
        loop {
            match Self::start_once(&program, address, data_dir, extra_args) {
                Err(StartError::Ended(log)) if log.contains("in use") && attempt < PORT_ATTEMPTS => attempt += 1,
                result => return result,
            }
        }
    }

    fn start_once(
        program: &Path,
        address: Ipv4Addr,
        data_dir: Option<&Path>,
        extra_args: &[&str],
    ) -> Result<Self, StartError> {
        let port = free_port(address)?;
        let lock = data_dir.map(wait_for_lock).transpose()?;
        // What keeps nothing has nothing to write at its end, and a stuck server must not outlive its test. But a replica
        // or a node of a cluster needs some place of its own all the same.
        let scratch = data_dir.is_none().then(|| tempfile::tempdir().map(TempDir::keep)).transpose()?;
        let (end, append_only) = if scratch.is_some() { ("KILL", "no") } else { ("TERM", "yes") };
        let mut watcher = Command::new("sh")
            .args(["-c", WATCHER, "sh", end])
            .arg(scratch.as_deref().unwrap_or(Path::new("")))
            .arg(program)
            .args([
                "--bind",
                &address.to_string(),
                "--port",
                &port.to_string(),
                "--save",
                "",
                "--appendonly",
                append_only,
            ])
            .args(["--maxmemory-policy", "noeviction"])
            // Without a password it would serve callers from 127.0.0.1 only.
            .args(["--protected-mode", if address.is_loopback() { "yes" } else { "no" }])
            .args(scratch.as_deref().or(data_dir).into_iter().flat_map(|dir| ["--dir".as_ref(), dir.as_os_str()]))
            .args(extra_args)
            // A Ctrl-C at the terminal is for us alone: requests under way still need their store.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // The watcher says nothing; but it has the lock open for as long as its server lives.
            .stderr(lock.map_or(Stdio::null(), Stdio::from))
            .spawn()?;
        let log = watcher.stdout.take().map(follow);
        let mut server = Self { watcher, address, port, pid: 0 };
        server.pid = wait_until_ready(log.ok_or(StartError::TooSlow)?)?;
        Ok(server)
    }

    /// `redis://ADDRESS:PORT`
    pub fn url(&self) -> String {
        format!("redis://{}:{}", self.address, self.port)
    }

    /// The port on its address.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The process id of the server itself, not of its watcher.
    pub fn pid(&self) -> u32 {
        self.pid
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        drop(self.watcher.stdin.take());
        // Only fails when the watcher is gone, and that is what is wanted.
        let _ = self.watcher.wait();
    }
}

/// Whichever of the two servers comes first on the PATH.
fn installed() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .flat_map(|dir| ["redis-server", "valkey-server"].map(|name| dir.join(name)))
        .find(|program| program.is_file())
}

/// A server that was killed together with its parent may still be writing there.
fn wait_for_lock(dir: &Path) -> Result<File, DataDirError> {
    let deadline = Instant::now() + PREDECESSOR_LIMIT;
    loop {
        match data_dir::lock(dir, "redis.lock") {
            Err(DataDirError::InUse) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(5)),
            result => return result,
        }
    }
}

fn free_port(address: Ipv4Addr) -> io::Result<u16> {
    loop {
        let port = TcpListener::bind((address, 0))?.local_addr()?.port();
        if port <= HIGHEST_PORT {
            return Ok(port);
        }
    }
}

/// Reads the log for as long as the server writes one: a full pipe would stop it.
fn follow(log: ChildStdout) -> Receiver<String> {
    let (sender, lines) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(log).lines().map_while(Result::ok) {
            // Nobody listens any more once the server is ready.
            let _ = sender.send(line);
        }
    });
    lines
}

/// Answers the server's process id. Its log, not a connection, says when it is ready: on a port that was taken,
/// a stranger would answer. The server may be faster than the shell that tells its id.
fn wait_until_ready(log: Receiver<String>) -> Result<u32, StartError> {
    let deadline = Instant::now() + START_LIMIT;
    let (mut pid, mut is_ready) = (None, false);
    let mut seen = String::new();
    loop {
        match log.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(line) if line.contains("Ready to accept connections") => is_ready = true,
            Ok(line) => match line.parse() {
                Ok(number) if pid.is_none() => pid = Some(number),
                _ => {
                    seen.push_str(&line);
                    seen.push('\n');
                }
            },
            Err(RecvTimeoutError::Timeout) => return Err(StartError::TooSlow),
            Err(RecvTimeoutError::Disconnected) => return Err(StartError::Ended(seen)),
        }
        if let (Some(pid), true) = (pid, is_ready) {
            return Ok(pid);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_is_faster_than_its_shell_is_ready_all_the_same() {
        let ready = "7:M 30 Nov 2026 14:00:00.000 * Ready to accept connections";
        for lines in [["7", "7:C starting", ready], ["7:C starting", "7", ready], ["7:C starting", ready, "7"]] {
            let (sender, log) = mpsc::channel();
            let sent = lines.iter().all(|line| sender.send((*line).to_owned()).is_ok());
            assert!(sent && matches!(wait_until_ready(log), Ok(7)), "{lines:?}");
        }
    }
}
