//! A show that Redis is to forget, whatever it has of it.

use redis::{Cmd, FromRedisValue, Value};

use super::{ATTEMPTS, BACK_OFF, Redis, Remedy, keys, remedy};
use crate::Failure;
use crate::domain::{FoundKeys, ShowId};

/// Keys that one `SCAN` looks at.
const KEYS_PER_SCAN: usize = 1_000;

impl Redis {
    /// By the tag that all of its keys have: those of another release may have other names.
    pub async fn find_keys(&self, show: &ShowId, cursor: Option<&str>) -> Result<FoundKeys, Failure> {
        let mut scan = Cmd::new();
        scan.arg("SCAN")
            .arg(cursor.unwrap_or("0"))
            .arg("MATCH")
            .arg(keys::all_of(show))
            .arg("COUNT")
            .arg(KEYS_PER_SCAN);
        let answer = <(String, Vec<String>)>::from_redis_value(self.ask(show, &scan).await?);
        let (next, found) = answer.map_err(|error| Failure::internal_because("answer to SCAN", error))?;
        let confirms = found.contains(&keys::confirming(show));
        let (of_holds, of_the_show) = found.into_iter().partition(|key| keys::is_of_a_hold(key));
        Ok(FoundKeys { of_the_show, of_holds, confirms, cursor: Some(next).filter(|next| next != "0") })
    }

    /// Takes these keys of the show away, all of them at once.
    pub async fn drop_keys(&self, show: &ShowId, keys: &[String]) -> Result<(), Failure> {
        if keys.is_empty() {
            return Ok(());
        }
        let mut unlink = Cmd::new();
        unlink.arg("UNLINK").arg(keys);
        self.ask(show, &unlink).await.map(|_| ())
    }
}

impl Redis {
    /// One command to whoever has the show, repeated as a script is.
    async fn ask(&self, show: &ShowId, command: &Cmd) -> Result<Value, Failure> {
        let (key, mut attempt) = (keys::show(show), 0);
        loop {
            let error = match self.send(&key, command).await {
                Ok(value) => return Ok(value),
                Err(error) => error,
            };
            attempt += 1;
            let may_pass = matches!(remedy(&error), Remedy::Reconnect | Remedy::Wait);
            if !may_pass || attempt == ATTEMPTS || !self.deadline.back_off(attempt, BACK_OFF).await {
                return Err(Failure::Unavailable { what: "keys of a show".to_owned(), source: Some(error.into()) });
            }
        }
    }
}
