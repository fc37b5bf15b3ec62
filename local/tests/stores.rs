//! The stores that other tests stand on: they start, keep what they should, and are gone when they are dropped.

// A test may stop where it stands.
#![allow(clippy::expect_used, clippy::panic)]

use std::net::TcpStream;
use std::process::Command;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{AttributeValue, TimeToLiveStatus};
use holdfast_local::dynamo_server::DynamoServer;
use holdfast_local::redis_server::{RedisServer, StartError};
use holdfast_local::table;

fn config_of(server: &RedisServer, name: &str) -> String {
    let mut redis = connection(server);
    let (_, value): (String, String) = redis::cmd("CONFIG").arg("GET").arg(name).query(&mut redis).expect("a setting");
    value
}

fn connection(server: &RedisServer) -> redis::Connection {
    redis::Client::open(server.url()).and_then(|client| client.get_connection()).expect("it answers")
}

#[test]
fn redis_answers_at_once_and_is_gone_when_dropped() {
    let server = RedisServer::start(None, &["--maxmemory", "50mb"]).expect("it starts");
    let port = server.port();
    let settings = ["maxmemory", "maxmemory-policy", "appendonly", "save"].map(|name| config_of(&server, name));
    assert_eq!(settings, ["52428800", "noeviction", "no", ""]);

    let info: String = redis::cmd("INFO").arg("server").query(&mut connection(&server)).expect("INFO");
    assert!(info.lines().any(|line| line == format!("process_id:{}", server.pid())), "{info}");

    drop(server);
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
}

#[test]
fn redis_is_gone_when_dropped_even_if_it_is_stuck() {
    let server = RedisServer::start(None, &[]).expect("it starts");
    let stopped = Command::new("kill").args(["-STOP", &server.pid().to_string()]).status().expect("kill runs");
    assert!(stopped.success());
    let port = server.port();
    drop(server);
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
}

#[test]
fn redis_keeps_its_data_in_a_data_dir() {
    let dir = tempfile::tempdir().expect("a directory");
    let server = RedisServer::start(Some(dir.path()), &[]).expect("it starts");
    let () = redis::cmd("SET").arg("k").arg("v").query(&mut connection(&server)).expect("SET");
    drop(server);
    let server = RedisServer::start(Some(dir.path()), &[]).expect("it starts again");
    let value: String = redis::cmd("GET").arg("k").query(&mut connection(&server)).expect("GET");
    assert_eq!(value, "v");
}

#[test]
fn redis_says_why_it_does_not_start() {
    match RedisServer::start(None, &["--no-such-setting", "1"]) {
        Err(StartError::Ended(log)) => assert!(log.contains("no-such-setting"), "{log}"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn dynamo_has_the_table_and_keeps_it_in_a_data_dir() {
    let dir = tempfile::tempdir().expect("a directory");
    let server = DynamoServer::start(0, Some(dir.path())).await.expect("it starts");
    let client = client(&server);
    table::create(&client, "holdfast").await.expect("a new table");
    table::create(&client, "holdfast").await.expect("an old table is no error");
    let ttl = client.describe_time_to_live().table_name("holdfast").send().await.expect("its TTL");
    let ttl = ttl.time_to_live_description().expect("a description");
    assert_eq!(
        (ttl.attribute_name(), ttl.time_to_live_status()),
        (Some("expiresAt"), Some(&TimeToLiveStatus::Enabled))
    );
    let put = client.put_item().table_name("holdfast").item("pk", text("p")).item("sk", text("s"));
    put.send().await.expect("put");
    let address = server.endpoint().replace("http://", "");
    server.stop().await;
    assert!(TcpStream::connect(&address).is_err());

    let server = DynamoServer::start(0, Some(dir.path())).await.expect("it starts again");
    let client = self::client(&server);
    let get = client.get_item().table_name("holdfast").key("pk", text("p")).key("sk", text("s"));
    assert!(get.send().await.expect("get").item().is_some());
}

fn text(value: &str) -> AttributeValue {
    AttributeValue::S(value.to_owned())
}

fn client(server: &DynamoServer) -> Client {
    let endpoint = server.endpoint();
    let vars = [
        ("REDIS_URL", "redis://127.0.0.1:1"),
        ("AWS_ENDPOINT_URL_DYNAMODB", &endpoint),
        ("TOKEN_SECRET", "0123456789abcdef0123456789abcdef"),
    ];
    let vars = vars.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    holdfast::adapters::dynamo::client(&holdfast::Config::from_vars(&vars).expect("a configuration").dynamo)
}
