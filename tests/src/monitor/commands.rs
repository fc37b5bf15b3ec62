//! What the monitor knows of Redis' commands: where their keys stand, and whether they write.
//!
//! A command that is not listed is a violation when a script calls it, so that nothing escapes the judge for being new.

/// Where the keys of a command stand among its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keys {
    /// It has none.
    None,
    /// The first argument.
    First,
    /// The second argument: `XINFO STREAM k`.
    Second,
    /// The first two arguments.
    FirstTwo,
    /// Every argument.
    All,
    /// As many as the second argument says, from the third on: `EVALSHA sha 2 k k`.
    Counted,
}

/// What a command does to keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    /// Where its keys stand.
    pub keys: Keys,
    /// Whether it can change one.
    pub writes: bool,
}

const READ_ONE: &str = "\
    GET STRLEN GETRANGE TTL PTTL EXPIRETIME PEXPIRETIME TYPE HGET HMGET HGETALL HKEYS HVALS HLEN HEXISTS \
    HSTRLEN HSCAN ZSCORE ZMSCORE ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREVRANGE ZREVRANGEBYSCORE ZRANK ZREVRANK \
    ZLEXCOUNT ZRANGEBYLEX ZSCAN SCARD SISMEMBER SMISMEMBER SMEMBERS SRANDMEMBER SSCAN LLEN LRANGE LINDEX LPOS \
    XLEN XRANGE XREVRANGE GETBIT BITCOUNT BITPOS BITFIELD_RO DUMP";
const WRITE_ONE: &str = "\
    SET SETNX SETEX PSETEX GETSET GETDEL GETEX APPEND SETRANGE INCR INCRBY INCRBYFLOAT DECR DECRBY EXPIRE \
    EXPIREAT PEXPIRE PEXPIREAT PERSIST HSET HMSET HSETNX HDEL HINCRBY HINCRBYFLOAT ZADD ZREM ZINCRBY ZPOPMIN \
    ZPOPMAX ZREMRANGEBYSCORE ZREMRANGEBYRANK ZREMRANGEBYLEX SADD SREM SPOP LPUSH RPUSH LPOP RPOP LSET LREM \
    LTRIM LINSERT XADD XDEL XTRIM SETBIT BITFIELD RESTORE";
const READ_SECOND: &str = "XINFO";
const READ_ALL: &str = "EXISTS MGET TOUCH SUNION SDIFF SINTER WATCH";
const WRITE_ALL: &str = "DEL UNLINK SUNIONSTORE SDIFFSTORE SINTERSTORE";
const WRITE_TWO: &str = "RENAME RENAMENX COPY SMOVE LMOVE ZRANGESTORE";
const SCRIPTS: &str = "EVAL EVALSHA EVAL_RO EVALSHA_RO";
const KEYLESS: &str = "\
    TIME PING ECHO HELLO AUTH CLIENT SELECT QUIT RESET COMMAND INFO CONFIG SCRIPT CLUSTER READONLY READWRITE \
    ASKING ROLE WAIT DBSIZE FLUSHALL FLUSHDB KEYS SCAN RANDOMKEY MULTI EXEC DISCARD UNWATCH MONITOR DEBUG MEMORY \
    LATENCY SLOWLOG REPLICAOF FAILOVER SHUTDOWN SAVE BGSAVE";

/// What opens or checks a connection: no call of the product, so it is not counted as one.
const CONNECTION: &str = "ECHO PING CLIENT HELLO SELECT AUTH READONLY CLUSTER";

/// Looks a command up by its upper-case name.
pub fn known(name: &str) -> Option<Known> {
    let table = [
        (READ_ONE, Keys::First, false),
        (WRITE_ONE, Keys::First, true),
        (READ_SECOND, Keys::Second, false),
        (READ_ALL, Keys::All, false),
        (WRITE_ALL, Keys::All, true),
        (WRITE_TWO, Keys::FirstTwo, true),
        (SCRIPTS, Keys::Counted, false),
        (KEYLESS, Keys::None, false),
    ];
    let (_, keys, writes) = table.into_iter().find(|(names, ..)| has(names, name))?;
    Some(Known { keys, writes })
}

fn has(names: &str, name: &str) -> bool {
    names.split(' ').any(|known| known == name)
}

/// Whether a command only opens or checks a connection.
pub fn is_connection(name: &str) -> bool {
    has(CONNECTION, name)
}

/// Whether a command runs a script.
pub fn is_script(name: &str) -> bool {
    has(SCRIPTS, name)
}

impl Keys {
    /// Picks the keys out of a command's arguments (without its name).
    pub fn of(self, args: &[Vec<u8>]) -> &[Vec<u8>] {
        let (from, count) = match self {
            Keys::None => (0, 0),
            Keys::First => (0, 1),
            Keys::Second => (1, 1),
            Keys::FirstTwo => (0, 2),
            Keys::All => (0, args.len()),
            Keys::Counted => {
                let text = args.get(1).map(|arg| String::from_utf8_lossy(arg)).unwrap_or_default();
                (2, text.parse().unwrap_or(0))
            }
        };
        args.get(from..(from + count).min(args.len())).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_picked_by_the_commands_own_rule() {
        let args: Vec<Vec<u8>> = ["sha", "2", "a", "b", "arg"].iter().map(|word| word.as_bytes().to_vec()).collect();
        assert_eq!(known("EVALSHA").unwrap().keys.of(&args), &args[2..4]);
        assert_eq!(known("XINFO").unwrap().keys.of(&args), &args[1..2]);
        assert_eq!(known("RENAME").unwrap().keys.of(&args), &args[..2]);
        assert_eq!(known("MGET").unwrap().keys.of(&args), &args[..]);
        assert_eq!(known("TIME").unwrap().keys.of(&[]), &args[..0]);
        assert_eq!(known("NOSUCH"), None);
    }
}
