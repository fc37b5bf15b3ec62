//! The servers go when their process goes.

use std::net::TcpStream;
use std::process::Command;
use std::time::{Duration, Instant};

use holdfast_tests::servers;

const CHILD: &str = "HOLDFAST_HARNESS_CHILD";

/// The shared server lies in a static, which nobody drops: what ends it is the end of the process.
#[test]
fn shared_servers_do_not_survive_the_test_process() {
    if std::env::var_os(CHILD).is_some() {
        println!("listens {}", servers::redis().addr());
        return;
    }
    let name = "servers::shared_servers_do_not_survive_the_test_process";
    let mut child = Command::new(std::env::current_exe().unwrap());
    let output = child.args(["--exact", name, "--nocapture"]).env(CHILD, "1").output().unwrap();
    let output = String::from_utf8(output.stdout).unwrap();
    let addr = output.lines().find_map(|line| line.split_once("listens ")).unwrap_or_else(|| panic!("{output}")).1;
    let deadline = Instant::now() + Duration::from_secs(5);
    while TcpStream::connect(addr).is_ok() {
        assert!(Instant::now() < deadline, "the Redis at {addr} lives on");
    }
}

#[test]
fn a_redis_that_is_frozen_still_ends() {
    let redis = servers::own_redis(&[]);
    redis.signal("STOP");
    let addr = redis.addr();
    drop(redis);
    assert!(TcpStream::connect(addr).is_err());
}
