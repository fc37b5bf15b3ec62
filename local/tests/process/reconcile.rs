//! The schedule that the binary fires, and the command that asks it for a report.

use std::fs::{self, File};
use std::net::TcpListener;
use std::process::{Command, Output};

use tempfile::NamedTempFile;

use crate::local::{Local, eventually};

/// A system that logs each request and each reconcile.
struct Logged {
    local: Local,
    log: NamedTempFile,
}

impl Logged {
    fn start(every_seconds: &str) -> Self {
        let log = NamedTempFile::new().expect("a file");
        let vars = [("RECONCILE_EVERY_SECONDS", every_seconds), ("LOG_LEVEL", "info")];
        let local = Local::start_logging(&vars, File::create(log.path()).expect("it can be written"));
        Self { local, log }
    }

    /// How many reconciles it has logged.
    fn runs(&self) -> usize {
        fs::read_to_string(self.log.path()).expect("its log").matches("reconcile checked").count()
    }

    fn stop(&mut self) {
        self.local.signal("-TERM");
        assert_eq!(self.local.exit_code(), Some(0));
    }
}

#[test]
fn the_schedule_calls_by_itself_unless_it_is_off() {
    let (mut off, mut on) = (Logged::start("0"), Logged::start("1"));
    eventually("two runs", || on.runs() >= 2);
    on.stop();
    off.stop();
    assert_eq!(off.runs(), 0);
}

/// What `make reconcile` does with these variables, but for building what is built already.
fn make_reconcile(variables: &[&str]) -> Output {
    let mut make = Command::new("make");
    for name in ["MAKEFLAGS", "MAKELEVEL", "MFLAGS", "PORT", "SHOW", "DRY_RUN"] {
        make.env_remove(name);
    }
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let said = make.args(["-n", "reconcile"]).args(variables).current_dir(folder).output().expect("make runs");
    let script = String::from_utf8(said.stdout).expect("text");
    let (cargo, arguments) = script.split_once(" -- ").expect("arguments");
    assert!(cargo.starts_with("cargo run ") && cargo.ends_with("--package holdfast-local"), "{script}");
    let command = format!("\"$0\" {arguments}");
    Command::new("sh").args(["-c", &command, env!("CARGO_BIN_EXE_holdfast-local")]).output().expect("it runs")
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("text")
}

#[test]
fn the_command_prints_a_report_as_a_table() {
    let local = Local::start(&[("RECONCILE_EVERY_SECONDS", "0")]);
    let (_, port) = local.addresses[0].split_once(':').expect("a port");
    let port = format!("PORT={port}");
    for (variables, kind) in [
        (vec![port.as_str()], "run: complete"),
        (vec![&port, "DRY_RUN=1"], "dry run, nothing was changed: complete"),
        (vec![&port, "DRY_RUN=0"], "run: complete"),
    ] {
        let ended = make_reconcile(&variables);
        assert!(ended.status.success(), "{ended:?}");
        let table = text(ended.stdout);
        assert!(table.starts_with("show "), "{table}");
        assert!(table.contains("\nin all "), "{table}");
        assert!(table.lines().last().is_some_and(|line| line.starts_with(kind)), "{table}");
    }
    let refused = make_reconcile(&[&port, "SHOW=4 2"]);
    assert_eq!(refused.status.code(), Some(1));
    let said = text(refused.stdout);
    assert!(said.contains("error: invalid_request: showId must be"), "{said}");
    assert!(said.contains("\nrun: not complete"), "{said}");
}

#[test]
fn the_command_says_when_there_is_nothing_to_ask() {
    let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port").port();
    let ended = make_reconcile(&[&format!("PORT={free}")]);
    assert_eq!((ended.status.code(), ended.stdout.as_slice()), (Some(1), b"".as_slice()));
    let expected = format!("nothing answers at http://127.0.0.1:{free}: start the system with `make run` first\n");
    assert_eq!(text(ended.stderr), expected);
}
