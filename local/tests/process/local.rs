//! The binary, started and stopped.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const OWN: [&str; 8] = [
    "REDIS_URL",
    "REDIS_CLUSTER",
    "STORES_ADDRESS",
    "AWS_ENDPOINT_URL_DYNAMODB",
    "DYNAMODB_PORT",
    "TABLE_NAME",
    "DATA_DIR",
    "RECONCILE_EVERY_SECONDS",
];

/// The system as `make run` starts it, on free ports.
pub struct Local {
    child: Child,
    /// `127.0.0.1:PORT` of the API, of Redis and of DynamoDB.
    pub addresses: [String; 3],
}

impl Local {
    /// Starts it, and waits until it answers.
    pub fn start(vars: &[(&str, &str)]) -> Self {
        Self::start_logging(vars, Stdio::inherit())
    }

    /// The same, with its log elsewhere.
    pub fn start_logging(vars: &[(&str, &str)], log: impl Into<Stdio>) -> Self {
        let mut child = command(vars).stdout(Stdio::piped()).stderr(log).spawn().expect("it starts");
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

    /// Sends it a signal: `-TERM`.
    pub fn signal(&self, name: &str) {
        let status = Command::new("kill").args([name, &self.child.id().to_string()]).status();
        assert!(status.expect("kill runs").success());
    }

    /// Waits until it ends; `None` if a signal ended it.
    pub fn exit_code(&mut self) -> Option<i32> {
        self.child.wait().expect("it ends").code()
    }

    /// Whether nothing of it listens any more.
    pub fn gone(&self) -> bool {
        self.addresses.iter().all(|address| TcpStream::connect(address).is_err())
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The binary, without what the environment of the tests says of stores.
fn command(vars: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_holdfast-local"));
    for name in OWN {
        command.env_remove(name);
    }
    command.env("PORT", "0").envs(vars.iter().copied());
    command
}

/// What it says on stderr when it refuses to start.
pub fn refusal(vars: &[(&str, &str)]) -> String {
    let output = command(vars).output().expect("it runs");
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(1), b"".as_slice()));
    String::from_utf8(output.stderr).expect("text")
}

/// Waits for a state.
pub fn eventually(what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !condition() {
        assert!(Instant::now() < deadline, "not within 10 s: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Sends a whole request, and answers all that comes back.
pub fn request(local: &Local, request: &str) -> String {
    let mut connection = TcpStream::connect(&local.addresses[0]).expect("it answers");
    connection.write_all(request.as_bytes()).expect("a request");
    let mut answer = String::new();
    connection.read_to_string(&mut answer).expect("an answer");
    answer
}
