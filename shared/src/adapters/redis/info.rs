//! What the cache says of itself.

use redis::{Cmd, Value};

use super::Redis;
use crate::Failure;
use crate::domain::CacheNode;

impl Redis {
    /// What the primaries of the cache say of themselves.
    pub async fn inspect_cache(&self) -> Result<Vec<CacheNode>, Failure> {
        let mut info = Cmd::new();
        info.arg("INFO");
        let answers = self.send_to_all(&info).await;
        let answers = answers.map_err(|error| Failure::internal_because("INFO of the cache", error))?;
        Ok(answers.into_iter().filter_map(text).filter_map(|text| node(&text)).collect())
    }
}

fn text(value: Value) -> Option<String> {
    match value {
        Value::BulkString(bytes) => String::from_utf8(bytes).ok(),
        Value::VerbatimString { text, .. } | Value::SimpleString(text) => Some(text),
        _ => None,
    }
}

/// A primary, from its `INFO`; `None`: it is a replica, or this is none.
fn node(info: &str) -> Option<CacheNode> {
    let field = |name: &str| {
        info.lines().find_map(|line| line.trim_end().strip_prefix(name)?.strip_prefix(':').map(ToOwned::to_owned))
    };
    let number = |name| field(name).and_then(|text| text.parse::<u64>().ok());
    field("role").filter(|role| role == "master")?;
    let memory_percent = match (number("used_memory"), number("maxmemory")) {
        (Some(used), Some(most)) if most > 0 => Some(used.saturating_mul(100) / most),
        _ => None,
    };
    Some(CacheNode {
        memory_percent,
        evicted_keys: number("evicted_keys").unwrap_or_default(),
        eviction_policy: field("maxmemory_policy").unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_primary_tells_of_its_memory_and_a_replica_is_left_out() {
        let info = "# Memory\r\nused_memory:750\r\nmaxmemory:1000\r\nmaxmemory_policy:noeviction\r\n# Stats\r\nevicted_keys:3\r\n\
                    # Replication\r\nrole:master\r\n";
        let expected =
            CacheNode { memory_percent: Some(75), evicted_keys: 3, eviction_policy: "noeviction".to_owned() };
        assert_eq!(node(info), Some(expected));
        assert_eq!(node(&info.replace("role:master", "role:slave")), None);
        assert_eq!(node(&info.replace("maxmemory:1000", "maxmemory:0")).map(|node| node.memory_percent), Some(None));
    }
}
