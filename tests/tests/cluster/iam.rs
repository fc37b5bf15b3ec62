//! A user whose password is a token that ends: what an ElastiCache with IAM authentication does to a connection.
//!
//! The servers take for passwords what the product will present in the next minute. When the older ones are taken from
//! them, only a process that has logged in anew has a password that they know.

use std::time::{Duration, SystemTime};

use holdfast::Config;
use holdfast::adapters::redis::iam::IamTokens;
use holdfast_local::redis_server::RedisServer;
use holdfast_tests::cluster::MASTERS;
use holdfast_tests::poll::until;
use holdfast_tests::sys::{Client, Sys};
use holdfast_tests::{raw, servers};
use redis::aio::MultiplexedConnection;
use serde_json::json;

use crate::house::House;

pub const USER: &str = "holdfast";

/// A login that is renewed every second.
pub const VARS: [(&str, &str); 6] = [
    ("REDIS_USERNAME", USER),
    ("REDIS_IAM_CACHE", "replicationgroup:holdfast-cache"),
    ("REDIS_IAM_RENEW_SECONDS", "1"),
    ("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE"),
    ("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
    ("AWS_SESSION_TOKEN", "FwoGZXIvYXdzEXAMPLE/TOKEN+=="),
];

/// How long before and after now the tokens are passwords.
const BEFORE: Duration = Duration::from_secs(1);
const AFTER: u64 = 90;

/// What the product presents at this instant.
fn token(at: SystemTime) -> String {
    let least = [("REDIS_URL", "redis://127.0.0.1:1"), ("TOKEN_SECRET", "0123456789abcdef0123456789abcdef")];
    let vars = least.iter().chain(&VARS).map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let login = Config::from_vars(&vars.collect()).unwrap().redis.iam.unwrap();
    IamTokens::new(login).token(at).unwrap()
}

/// The user's passwords are the tokens from now on, and no others.
pub async fn only_from_now_on(redis: &mut MultiplexedConnection) {
    let from = SystemTime::now() - BEFORE;
    let mut command = redis::cmd("ACL");
    command.arg("SETUSER").arg(USER).arg(&["on", "~*", "&*", "+@all", "resetpass"]);
    for second in 0..AFTER {
        command.arg(format!(">{}", token(from + Duration::from_secs(second))));
    }
    let () = command.query_async(redis).await.unwrap();
}

/// The ids of the product's connections.
async fn connections(redis: &mut MultiplexedConnection) -> Vec<String> {
    let list: String = redis::cmd("CLIENT").arg("LIST").query_async(redis).await.unwrap();
    let own = list.lines().filter(|line| line.contains(&format!(" user={USER} ")));
    own.map(|line| line.split(' ').next().unwrap().strip_prefix("id=").unwrap().to_owned()).collect()
}

/// How often somebody logged in, and how often that failed.
pub async fn logins(redis: &mut MultiplexedConnection) -> (u64, u64) {
    let stats: String = redis::cmd("INFO").arg("commandstats").query_async(redis).await.unwrap();
    let auth = stats.lines().find_map(|line| line.trim_end().strip_prefix("cmdstat_auth:")).unwrap_or_default();
    let number =
        |name: &str| auth.split(',').find_map(|field| field.strip_prefix(name)?.strip_prefix('=')?.parse().ok());
    (number("calls").unwrap_or(0), number("failed_calls").unwrap_or(0))
}

/// Goes on asking until the connection to this server has logged in anew, twice.
async fn logged_in_anew(redis: &MultiplexedConnection, client: &Client, show: &str) {
    let (before, _) = logins(&mut redis.clone()).await;
    until("a connection logs in anew", || async {
        client.get(&format!("/shows/{show}/stock/GA")).await.expect(200);
        let (now, _) = logins(&mut redis.clone()).await;
        (now >= before + 2).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_old_connection_logs_in_anew_and_a_new_one_takes_the_new_token() {
    let server = RedisServer::start(None, &[]).unwrap();
    let mut redis = raw::redis(&server.url()).await;
    let first = token(SystemTime::now() - BEFORE);
    only_from_now_on(&mut redis).await;
    let sys = Sys::with(&server.url(), &servers::dynamo().await.endpoint(), &VARS);
    let show = sys.define(json!({})).await;
    sys.hold(&show, &["E1"]).await.expect(201);
    let old = connections(&mut redis).await;
    assert_eq!(old.len(), 1, "{old:?}");

    // The first password is none any more: the connection has another by now, and takes further ones.
    logged_in_anew(&redis, &sys, &show).await;
    logged_in_anew(&redis, &sys, &show).await;
    only_from_now_on(&mut redis).await;
    let refused =
        redis::cmd("AUTH").arg(USER).arg(&first).query_async::<()>(&mut raw::redis(&server.url()).await).await;
    assert_eq!(refused.unwrap_err().code(), Some("WRONGPASS"));
    logged_in_anew(&redis, &sys, &show).await;
    assert_eq!(logins(&mut redis).await.1, 1, "a login failed that was not this test's own");
    sys.hold(&show, &["E2"]).await.expect(201);
    assert_eq!(connections(&mut redis).await, old);

    let killed: u64 = redis::cmd("CLIENT").arg(&["KILL", "USER", USER]).query_async(&mut redis).await.unwrap();
    assert_eq!(killed, 1);
    sys.hold(&show, &["E3"]).await.expect(201);
    let new = connections(&mut redis).await;
    assert!(new.len() == 1 && new != old, "{old:?} {new:?}");
}

/// A login that fails is no reason to be broken for ever.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_was_refused_logs_in_as_soon_as_the_password_is_one() {
    let server = RedisServer::start(None, &[]).unwrap();
    let mut redis = raw::redis(&server.url()).await;
    let sys = Sys::with(&server.url(), &servers::dynamo().await.endpoint(), &VARS);
    sys.get("/shows/none/stock/GA").await.expect_problem(503, "unavailable");
    only_from_now_on(&mut redis).await;
    let show = sys.define(json!({})).await;
    sys.hold(&show, &["E1"]).await.expect(201);
}

/// A server ends no session because a later login was refused: buyers notice nothing, and it is tried again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_whose_new_login_is_refused_goes_on_and_logs_in_later() {
    let server = RedisServer::start(None, &[]).unwrap();
    let mut redis = raw::redis(&server.url()).await;
    only_from_now_on(&mut redis).await;
    let sys = Sys::with(&server.url(), &servers::dynamo().await.endpoint(), &VARS);
    let show = sys.define(json!({})).await;
    sys.hold(&show, &["E1"]).await.expect(201);
    let old = connections(&mut redis).await;

    let () = redis::cmd("ACL").arg(&["SETUSER", USER, "resetpass"]).query_async(&mut redis).await.unwrap();
    let (_, failed) = logins(&mut redis).await;
    until("two logins are refused", || async {
        sys.get(&format!("/shows/{show}/stock/GA")).await.expect(200);
        let (_, now) = logins(&mut redis.clone()).await;
        (now >= failed + 2).then_some(())
    })
    .await;
    only_from_now_on(&mut redis).await;
    logged_in_anew(&redis, &sys, &show).await;
    sys.hold(&show, &["E2"]).await.expect(201);
    assert_eq!(connections(&mut redis).await, old);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_connection_to_a_cluster_logs_in_anew() {
    let house = House::build_for(&VARS).await;
    let mut masters = Vec::new();
    for node in &house.cluster.nodes {
        let mut redis = raw::redis(&node.plain_url()).await;
        only_from_now_on(&mut redis).await;
        masters.push(redis);
    }
    masters.truncate(MASTERS);
    let mut shows = Vec::new();
    for master in 0..MASTERS {
        shows.push(house.define_on(master).await);
        house.sys.hold(&shows[master], &["E1"]).await.expect(201);
    }
    for (redis, show) in masters.iter_mut().zip(&shows) {
        logged_in_anew(redis, &house.sys, show).await;
        only_from_now_on(redis).await;
        logged_in_anew(redis, &house.sys, show).await;
        assert_eq!(logins(redis).await.1, 0, "a login failed");
        let _: u64 = redis::cmd("CLIENT").arg(&["KILL", "USER", USER]).query_async(redis).await.unwrap();
    }
    for show in &shows {
        house.sys.hold(show, &["E2"]).await.expect(201);
    }
}
