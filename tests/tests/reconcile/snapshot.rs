//! Both stores of a system: to be put back as they were, and to be compared.

use std::collections::{BTreeMap, HashMap};

use aws_sdk_dynamodb::types::{AttributeValue, DeleteRequest, PutRequest, WriteRequest};
use holdfast::adapters::dynamo::keys::{self, PARTITION, SORT};
use holdfast::adapters::redis::keys::events;
use holdfast::domain::ShowId;
use holdfast_tests::servers::TABLE;
use redis::AsyncCommands;
use redis::aio::MultiplexedConnection;

use crate::alone::Alone;

type Item = HashMap<String, AttributeValue>;

/// Both stores, to be put back as they were.
pub struct Snapshot {
    keys: Vec<(String, i64, Vec<u8>)>,
    items: Vec<Item>,
}

async fn items(sys: &Alone) -> Vec<Item> {
    let scan = sys.dynamo().scan().table_name(TABLE).consistent_read(true);
    let items: Result<Vec<Item>, _> = scan.into_paginator().items().send().collect().await;
    items.unwrap()
}

impl Snapshot {
    pub async fn take(sys: &Alone) -> Snapshot {
        let mut redis = sys.redis().await;
        let names: Vec<String> = redis.keys("*").await.unwrap();
        let mut keys = Vec::new();
        for name in names {
            let (expires_at_ms, dump): (i64, Vec<u8>) = redis::pipe()
                .cmd("PEXPIRETIME")
                .arg(&name)
                .cmd("DUMP")
                .arg(&name)
                .query_async(&mut redis)
                .await
                .unwrap();
            keys.push((name, expires_at_ms, dump));
        }
        Snapshot { keys, items: items(sys).await }
    }

    pub async fn put_back(&self, sys: &Alone) {
        sys.flush().await;
        let mut redis = sys.redis().await;
        for (name, expires_at_ms, dump) in &self.keys {
            let mut restore = redis::cmd("RESTORE");
            restore.arg(name).arg((*expires_at_ms).max(0)).arg(dump).arg("ABSTTL");
            let _: () = restore.query_async(&mut redis).await.unwrap();
        }
        let gone = items(sys).await.into_iter().map(|mut item| {
            item.retain(|name, _| name == PARTITION || name == SORT);
            WriteRequest::builder()
                .delete_request(DeleteRequest::builder().set_key(Some(item)).build().unwrap())
                .build()
        });
        let back = self.items.iter().map(|item| {
            let put = PutRequest::builder().set_item(Some(item.clone())).build().unwrap();
            WriteRequest::builder().put_request(put).build()
        });
        for writes in [gone.collect::<Vec<_>>(), back.collect()] {
            for batch in writes.chunks(25) {
                let write = sys.dynamo().batch_write_item().request_items(TABLE, batch.to_vec()).send().await.unwrap();
                assert!(write.unprocessed_items.is_none_or(|left| left.is_empty()));
            }
        }
    }
}

/// What a run may differ in from another one: when it ran. Everything else is the state.
#[derive(Debug, PartialEq)]
pub struct State {
    redis: BTreeMap<String, String>,
    pub events: Vec<String>,
    dynamo: BTreeMap<(String, String), String>,
}

impl State {
    pub async fn of(sys: &Alone, show: &ShowId) -> State {
        let mut redis = sys.redis().await;
        let names: Vec<String> = redis.keys("*").await.unwrap();
        let events_key = events(show);
        let mut state = State { redis: BTreeMap::new(), events: Vec::new(), dynamo: BTreeMap::new() };
        for name in names.into_iter().filter(|name| *name != events_key) {
            let text = content(&mut redis, &name).await;
            state.redis.insert(name, text);
        }
        let streamed: Vec<(String, Vec<String>)> =
            redis::cmd("XRANGE").arg(&events_key).arg("-").arg("+").query_async(&mut redis).await.unwrap();
        state.events = streamed.into_iter().map(|(_, fields)| fields[..2].join(" ")).collect();
        state.events.sort();
        let (lease, drained) = (keys::lease(), keys::drained(show));
        let audit = keys::audit(show, "", "0-0").partition;
        let audit = audit.split_inclusive('#').next().unwrap();
        for item in items(sys).await {
            let text = |name: &str| item[name].as_s().unwrap().clone();
            let (partition, sort) = (text(PARTITION), text(SORT));
            let is_its_own_affair = partition.starts_with(audit)
                || (&partition, &sort) == (&lease.partition, &lease.sort)
                || (&partition, &sort) == (&drained.partition, &drained.sort);
            // A refusal has one version: whether Redis noted it makes no difference.
            if item.get("status") == Some(&AttributeValue::S("refused".to_owned())) {
                let id = partition.split_once('#').unwrap().1;
                state.redis.retain(|key, _| !(key.starts_with("booking:") && key.ends_with(id)));
            }
            if !is_its_own_affair {
                let attributes: BTreeMap<_, _> = item.iter().collect();
                state.dynamo.insert((partition, sort), format!("{attributes:?}"));
            }
        }
        state
    }
}

/// What a key has, but for the instant at which a hold was ended.
async fn content(redis: &mut MultiplexedConnection, key: &str) -> String {
    let kind: String = redis::cmd("TYPE").arg(key).query_async(redis).await.unwrap();
    match kind.as_str() {
        "string" => redis.get(key).await.unwrap(),
        "hash" => {
            let mut fields: BTreeMap<String, String> = redis.hgetall(key).await.unwrap();
            if fields.get("state").is_some_and(|state| state != "active" && state != "confirming") {
                fields.remove("deadline");
            }
            format!("{fields:?}")
        }
        "zset" => {
            let members: Vec<(String, f64)> = redis.zrange_withscores(key, 0, -1).await.unwrap();
            format!("{members:?}")
        }
        kind => panic!("{key} is a {kind}"),
    }
}

impl State {
    /// Fails the test unless both are the same.
    #[track_caller]
    pub fn assert_same(&self, other: &State) {
        let differ = |a: &BTreeMap<_, String>, b: &BTreeMap<_, String>| -> Vec<String> {
            let keys = a.keys().chain(b.keys()).filter(|key| a.get(*key) != b.get(*key));
            keys.map(|key: &String| format!("{key}: {:?} / {:?}", a.get(key), b.get(key))).collect()
        };
        assert_eq!(differ(&self.redis, &other.redis), [""; 0]);
        assert_eq!(self.dynamo, other.dynamo);
    }
}
