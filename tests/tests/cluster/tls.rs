//! Who is trusted.

use std::collections::HashMap;

use holdfast::Config;
use holdfast_local::redis_server::RedisServer;
use holdfast_tests::cluster::{Certificates, free_port};
use holdfast_tests::servers;
use holdfast_tests::sys::Sys;
use serde_json::json;

async fn sys(host: &str, port: u16, authority: Option<&Certificates>) -> Sys {
    let file = authority.map(|certificates| certificates.authority().to_str().unwrap().to_owned());
    let vars = file.iter().map(|file| ("REDIS_CA_FILE", file.as_str()));
    let url = format!("rediss://{host}:{port}");
    Sys::with(&url, &servers::dynamo().await.endpoint(), &vars.collect::<Vec<_>>())
}

/// One server, with a certificate that an authority of one's own has signed.
#[tokio::test]
async fn a_server_is_trusted_if_the_authority_that_was_named_has_signed_its_certificate() {
    let (certificates, others, port) = (Certificates::make(), Certificates::make(), free_port());
    let args = certificates.server_args(port);
    let _server = RedisServer::start(None, &args.iter().map(String::as_str).collect::<Vec<_>>()).unwrap();

    let trusting = sys("127.0.0.1", port, Some(&certificates)).await;
    let show = trusting.define(json!({})).await;
    trusting.hold(&show, &["E7"]).await.expect(201);
    for doubting in [sys("127.0.0.1", port, Some(&others)).await, sys("127.0.0.1", port, None).await] {
        doubting.hold(&show, &["E8"]).await.expect_problem(503, "unavailable");
    }
}

/// What an authority has signed for one host is no certificate of another.
#[tokio::test]
async fn a_server_is_trusted_only_by_the_name_that_its_certificate_has() {
    let (certificates, port) = (Certificates::make_for("localhost"), free_port());
    let args = certificates.server_args(port);
    let _server = RedisServer::start(None, &args.iter().map(String::as_str).collect::<Vec<_>>()).unwrap();

    let trusting = sys("localhost", port, Some(&certificates)).await;
    let show = trusting.define(json!({})).await;
    trusting.hold(&show, &["E7"]).await.expect(201);
    let doubting = sys("127.0.0.1", port, Some(&certificates)).await;
    doubting.hold(&show, &["E8"]).await.expect_problem(503, "unavailable");
}

#[test]
fn a_file_that_has_no_certificate_is_told_at_the_start() {
    for file in ["/nowhere/ca.pem", env!("CARGO_MANIFEST_PATH")] {
        let secret = "0123456789abcdef0123456789abcdef";
        let vars = [("REDIS_URL", "rediss://127.0.0.1:1"), ("REDIS_CA_FILE", file), ("TOKEN_SECRET", secret)];
        let vars = HashMap::from(vars.map(|(name, value)| (name.to_owned(), value.to_owned())));
        let told = Config::from_vars(&vars).unwrap_err().to_string();
        assert!(told.lines().any(|line| line.starts_with("REDIS_CA_FILE: must be a PEM file")), "{file}: {told}");
    }
}
