//! A show that Redis is to forget, whatever it has of it.

use redis::{Cmd, FromRedisValue, Value};

use super::{Redis, keys};
use crate::Failure;
use crate::domain::ShowId;
use crate::ports::ForgetShow;

/// Keys that one `SCAN` looks at, and that one `UNLINK` takes away.
const KEYS_PER_CALL: usize = 1_000;

impl ForgetShow for Redis {
    /// Its keys are found by the tag that all of them have, because those of another release may have other names.
    async fn forget_show(&self, show: &ShowId) -> Result<(), Failure> {
        let show_key = keys::show(show);
        let mut found = self.all_keys(show).await?;
        // Without the first one nobody uses the others, until somebody loads the show; then it has all of its own again, and a
        // hold that was made meanwhile is lost.
        found.sort_by_key(|key| *key != show_key);
        for some in found.chunks(KEYS_PER_CALL) {
            let mut unlink = Cmd::new();
            unlink.arg("UNLINK").arg(some);
            self.ask(&show_key, &unlink).await?;
        }
        Ok(())
    }
}

impl Redis {
    async fn all_keys(&self, show: &ShowId) -> Result<Vec<String>, Failure> {
        let (mut found, mut cursor) = (Vec::new(), "0".to_owned());
        loop {
            let mut scan = Cmd::new();
            scan.arg("SCAN").arg(&cursor).arg("MATCH").arg(keys::all_of(show)).arg("COUNT").arg(KEYS_PER_CALL);
            let answer = self.ask(&keys::show(show), &scan).await?;
            let answer = <(String, Vec<String>)>::from_redis_value(answer);
            let (next, some) = answer.map_err(|error| Failure::internal_because("answer to SCAN", error))?;
            found.extend(some);
            if next == "0" {
                return Ok(found);
            }
            cursor = next;
        }
    }

    /// One command to whoever has this key.
    async fn ask(&self, key: &str, command: &Cmd) -> Result<Value, Failure> {
        let answer = self.send(key, command).await;
        answer.map_err(|error| Failure::Unavailable { what: "keys of a show".to_owned(), source: Some(error.into()) })
    }
}
