//! The binary from the outside: what it prints, how it refuses to start, how it ends, and what it leaves behind.

// A test may stop where it stands.
#![allow(clippy::expect_used, clippy::indexing_slicing)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The system as `make run` starts it, on free ports.
struct Local {
    child: Child,
    /// `127.0.0.1:PORT` of the API, of Redis and of DynamoDB.
    addresses: [String; 3],
}

impl Local {
    fn start(vars: &[(&str, &str)]) -> Self {
        let mut child = command(vars).stdout(Stdio::piped()).spawn().expect("it starts");
        let lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let lines: Vec<_> = lines.take(6).map(|line| line.expect("a line")).collect();
        let prefixes = ["ready http://", "redis redis://", "dynamodb http://"];
        let addresses = std::array::from_fn(|index| {
            let address = lines[index].strip_prefix(prefixes[index]).expect("an address");
            address.trim_end_matches(" table holdfast").to_owned()
        });
        assert!(lines[3..].iter().all(|line| line.contains("curl")), "{lines:?}");
        Self { child, addresses }
    }

    fn signal(&self, name: &str) {
        let status = Command::new("kill").args([name, &self.child.id().to_string()]).status();
        assert!(status.expect("kill runs").success());
    }

    fn exit_code(&mut self) -> Option<i32> {
        self.child.wait().expect("it ends").code()
    }

    fn gone(&self) -> bool {
        self.addresses.iter().all(|address| TcpStream::connect(address).is_err())
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn command(vars: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_holdfast-local"));
    for name in ["REDIS_URL", "REDIS_CLUSTER", "AWS_ENDPOINT_URL_DYNAMODB", "DYNAMODB_PORT", "TABLE_NAME", "DATA_DIR"] {
        command.env_remove(name);
    }
    command.env("PORT", "0").envs(vars.iter().copied());
    command
}

/// What it says on stderr when it refuses to start.
fn refusal(vars: &[(&str, &str)]) -> String {
    let output = command(vars).output().expect("it runs");
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(1), b"".as_slice()));
    String::from_utf8(output.stderr).expect("text")
}

fn eventually(what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !condition() {
        assert!(Instant::now() < deadline, "not within 10 s: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn redis_dies_with_a_parent_that_is_killed() {
    for data_dir in [None, Some(tempfile::tempdir().expect("a directory"))] {
        let path = data_dir.as_ref().map_or("", |dir| path(dir.path()));
        let mut local = Local::start(&[("DATA_DIR", path)]);
        assert!(TcpStream::connect(&local.addresses[1]).is_ok());
        local.signal("-KILL");
        assert_eq!(local.exit_code(), None);
        eventually("Redis is gone", || local.gone());
    }
}

#[test]
fn a_restart_right_after_a_kill_finds_its_data() {
    let dir = tempfile::tempdir().expect("a directory");
    let vars = [("DATA_DIR", path(dir.path()))];
    for written in 0..3 {
        let mut local = Local::start(&vars);
        let mut redis = redis::Client::open(format!("redis://{}", local.addresses[1]))
            .and_then(|client| client.get_connection())
            .expect("Redis answers");
        let counted: i32 = redis::cmd("INCR").arg("k").query(&mut redis).expect("INCR");
        assert_eq!(counted, written + 1);
        local.signal("-KILL");
        assert_eq!(local.exit_code(), None);
    }
}

#[test]
fn requests_under_way_are_answered_before_it_ends() {
    for signal in ["-INT", "-TERM"] {
        let mut local = Local::start(&[]);
        let mut caller = TcpStream::connect(&local.addresses[0]).expect("it answers");
        let start = b"POST /nowhere HTTP/1.1\r\nHost: a b\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{";
        caller.write_all(start).expect("half a request");
        // The answer to a second request shows that the first one has been taken up.
        assert!(request(&local, "GET /shows/demo HTTP/1.1\r\nConnection: close\r\n\r\n").starts_with("HTTP/1.1 200"));
        local.signal(signal);
        eventually("no more callers", || TcpStream::connect(&local.addresses[0]).is_err());
        caller.write_all(b"}").expect("the other half");
        let mut answer = String::new();
        caller.read_to_string(&mut answer).expect("an answer");
        assert!(answer.starts_with("HTTP/1.1 404"), "{answer}");
        assert_eq!(local.exit_code(), Some(0), "{signal}");
        assert!(local.gone());
    }
}

#[test]
fn a_data_dir_has_one_user() {
    let dir = tempfile::tempdir().expect("a directory");
    let vars = [("DATA_DIR", path(dir.path()))];
    let _local = Local::start(&vars);
    assert_eq!(refusal(&vars), format!("DATA_DIR: {}: in use by another process\n", dir.path().display()));
}

#[test]
fn what_is_wrong_with_the_environment_is_said_in_full() {
    let said = refusal(&[("PORT", "http"), ("DYNAMODB_PORT", "-1"), ("LOG_LEVEL", "loud")]);
    let named: Vec<_> = said.lines().filter_map(|line| line.split_once(": ")).map(|(name, _)| name).collect();
    assert_eq!(named, ["PORT", "DYNAMODB_PORT", "LOG_LEVEL"], "{said}");
}

#[test]
fn a_taken_port_is_named() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("its address").port().to_string();
    let said = refusal(&[("PORT", &port)]);
    assert!(said.starts_with(&format!("PORT: cannot listen on 127.0.0.1:{port}: ")), "{said}");
}

#[test]
fn without_redis_it_says_what_to_install() {
    let said = refusal(&[("PATH", "/nowhere")]);
    assert!(said.starts_with("no Redis: install redis-server or valkey-server"), "{said}");
    assert_eq!(said.lines().count(), 1);
}

fn request(local: &Local, request: &str) -> String {
    let mut connection = TcpStream::connect(&local.addresses[0]).expect("it answers");
    connection.write_all(request.as_bytes()).expect("a request");
    let mut answer = String::new();
    connection.read_to_string(&mut answer).expect("an answer");
    answer
}

fn path(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}
