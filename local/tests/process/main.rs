//! The binary from the outside: what it prints, how it refuses to start, how it ends, and what it leaves behind.

// A test may stop where it stands.
#![allow(clippy::expect_used, clippy::indexing_slicing)]

mod local;
mod reconcile;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;

use local::{Local, eventually, refusal, request};

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
    let said = refusal(&[
        ("PORT", "http"),
        ("STORES_ADDRESS", "localhost"),
        ("DYNAMODB_PORT", "-1"),
        ("RECONCILE_EVERY_SECONDS", "1.5"),
        ("LOG_LEVEL", "loud"),
    ]);
    let named: Vec<_> = said.lines().filter_map(|line| line.split_once(": ")).map(|(name, _)| name).collect();
    assert_eq!(named, ["PORT", "STORES_ADDRESS", "DYNAMODB_PORT", "RECONCILE_EVERY_SECONDS", "LOG_LEVEL"], "{said}");
}

/// Elsewhere than on Linux 127.0.0.2 is no address until somebody says so.
#[cfg(target_os = "linux")]
#[test]
fn the_stores_listen_where_they_are_told_to() {
    let local = Local::start(&[("STORES_ADDRESS", "127.0.0.2")]);
    let [api, stores @ ..] = &local.addresses;
    assert!(api.starts_with("127.0.0.1:") && stores.iter().all(|address| address.starts_with("127.0.0.2:")));
    assert!(request(&local, "GET /shows/demo HTTP/1.1\r\nConnection: close\r\n\r\n").starts_with("HTTP/1.1 200"));
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

fn path(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}
