//! The monitor sees each kind of fault, and nothing where there is none.

use std::collections::BTreeSet;

use holdfast_tests::monitor::{Ending, Monitor, Record};
use holdfast_tests::raw;
use holdfast_tests::servers::{Redis, own_redis};

/// Runs a script on a server of its own, and answers what the monitor says about it.
async fn faults_of(script: &str, keys: &[&str]) -> Vec<String> {
    let redis = own_redis(&[]);
    eval(&redis, script, keys).await;
    redis.monitor().take_violations()
}

async fn eval(redis: &Redis, script: &str, keys: &[&str]) {
    let mut connection = raw::redis(&redis.url()).await;
    let mut call = redis::cmd("EVAL");
    call.arg(script).arg(keys.len()).arg(keys);
    let _: redis::Value = call.query_async(&mut connection).await.unwrap();
}

#[tokio::test]
async fn a_key_that_is_not_declared_is_a_fault() {
    let faults = faults_of("return redis.call('GET', 'b:{show:1}')", &[]).await;
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert!(faults[0].contains("GET touches a key that KEYS does not declare: b:{show:1}"), "{faults:?}");
}

#[tokio::test]
async fn every_key_of_a_command_is_judged() {
    let faults = faults_of("return redis.call('DEL', 'a:{show:1}', 'b:{show:1}')", &[]).await;
    assert_eq!(faults.len(), 2, "{faults:?}");
}

#[tokio::test]
async fn a_script_of_nobody_with_keys_is_a_fault() {
    let faults = faults_of("return redis.call('GET', KEYS[1])", &["a:{show:1}"]).await;
    assert!(matches!(&faults[..], [fault] if fault.contains("none of the project's scripts")), "{faults:?}");
}

#[tokio::test]
async fn a_key_without_the_tag_and_two_shows_in_one_command_are_faults() {
    let redis = own_redis(&[]);
    let mut connection = raw::redis(&redis.url()).await;
    let _: redis::Value =
        redis::cmd("MGET").arg("a:{show:1}").arg("b:{show:2}").query_async(&mut connection).await.unwrap();
    let _: redis::Value = redis::cmd("GET").arg("plain").query_async(&mut connection).await.unwrap();
    let faults = redis.monitor().take_violations();
    assert!(
        matches!(&faults[..], [tag, shows] if tag.contains("plain") && shows.contains("several shows")),
        "{faults:?}"
    );
}

#[tokio::test]
#[should_panic(expected = "MONITOR saw")]
async fn a_fault_fails_the_test_that_has_the_server() {
    let redis = own_redis(&[]);
    eval(&redis, "return redis.call('GET', 'a')", &[]).await;
}

#[tokio::test]
async fn commands_are_counted_and_connections_are_not() {
    let redis = own_redis(&[]);
    let mark = redis.monitor().mark();
    let mut connection = raw::redis(&redis.url()).await;
    for show in ["1", "1", "2"] {
        let key = format!("a:{{show:{show}}}");
        let _: redis::Value = redis::cmd("GET").arg(key).query_async(&mut connection).await.unwrap();
    }
    let _: redis::Value = redis::cmd("PING").query_async(&mut connection).await.unwrap();
    assert_eq!(redis.monitor().count_since(mark), 3);
    assert_eq!(redis.monitor().seen_of_show(mark, "1").len(), 2);
}

#[tokio::test]
async fn the_monitor_comes_back_when_it_was_cut() {
    let redis = own_redis(&[]);
    let mut connection = raw::redis(&redis.url()).await;
    let _: redis::Value = redis::cmd("CLIENT")
        .arg(&["KILL", "TYPE", "normal", "SKIPME", "yes"])
        .query_async(&mut connection)
        .await
        .unwrap();
    assert!(redis.monitor().sync());
    let _: redis::Value = redis::cmd("GET").arg("plain").query_async(&mut connection).await.unwrap();
    assert_eq!(redis.monitor().take_violations().len(), 1);
}

/// A script grants when it writes, and refuses when it does not. One that did not run does neither.
#[tokio::test]
async fn endings_are_told_by_what_a_script_writes() {
    const TAKE: &str = "if redis.call('GET', KEYS[1]) then return 0 end redis.call('SET', KEYS[1], 'x') return 1";
    let sha1: &'static str = Box::leak(redis::Script::new(TAKE).get_hash().to_owned().into_boxed_str());
    let redis = own_redis(&[]);
    let monitor = Monitor::attach(redis.addr(), vec![("take", sha1)], Record::default());
    let mut connection = raw::redis(&redis.url()).await;
    let mut by_sha1 = redis::cmd("EVALSHA");
    by_sha1.arg(sha1).arg(1).arg("a:{show:1}");
    by_sha1.query_async::<redis::Value>(&mut connection).await.unwrap_err();
    assert_eq!(monitor.coverage(), BTreeSet::new());
    eval(&redis, TAKE, &["a:{show:1}"]).await;
    assert_eq!(monitor.coverage(), BTreeSet::from([("take", Ending::Granted)]));
    let _: i64 = by_sha1.query_async(&mut connection).await.unwrap();
    assert_eq!(monitor.coverage(), BTreeSet::from([("take", Ending::Granted), ("take", Ending::Refused)]));
    monitor.check_violations();
    // The monitor of the server itself does not know this script.
    assert_eq!(redis.monitor().take_violations().len(), 1);
}
