//! What Redis has of a show, read at one instant.

use std::collections::{BTreeMap, HashMap};

use holdfast::adapters::redis::keys;
use holdfast::domain::{SeatId, ShowId};
use redis::aio::MultiplexedConnection;
use redis::{AsyncCommands, FromRedisValue, Value};

use super::MARGIN_MS;
use super::ledger::Zones;

/// The lock of a seat.
#[derive(Debug)]
pub struct Lock {
    /// Who has it.
    pub token: String,
    /// What is left of it; -1: it never ends.
    pub left_ms: i64,
}

/// The record of a hold.
#[derive(Debug)]
pub struct Record {
    /// As the scripts spell it.
    pub state: String,
    /// The zone; empty for seats.
    pub zone: String,
    /// `E7`, `GA-17`
    pub places: Vec<String>,
    /// Its booking, once decided; or empty.
    pub booking: String,
    /// When the hold ends, in ms since the epoch.
    pub deadline_ms: i64,
    /// What is left of the record; -1: it never ends.
    pub left_ms: i64,
}

/// The units of a zone, by number.
#[derive(Debug)]
pub struct Units {
    /// What is left, as it was counted.
    pub stock: i64,
    /// The next one that was never handed out.
    pub next: i64,
    /// Those that came back.
    pub returned: BTreeMap<i64, i64>,
    /// Deadlines of those that are held.
    pub held: BTreeMap<i64, i64>,
    /// Who holds them.
    pub holders: BTreeMap<i64, String>,
    /// Bookings of those that are sold.
    pub sold: BTreeMap<i64, String>,
}

/// What Redis has of a show.
#[derive(Debug)]
pub struct Arbiter {
    /// Redis' clock when it was read.
    pub now_ms: i64,
    /// Whether the show is loaded.
    pub loaded: bool,
    /// Seat to booking; empty: for sale.
    pub seats: BTreeMap<String, String>,
    /// Seat to lock.
    pub locks: BTreeMap<String, Lock>,
    /// Token to record.
    pub records: BTreeMap<String, Record>,
    /// Place to deadline.
    pub held: BTreeMap<String, i64>,
    /// Token to the instant of its pin.
    pub confirming: BTreeMap<String, i64>,
    /// Zone to units.
    pub zones: BTreeMap<String, Units>,
}

impl Arbiter {
    /// Reads everything of a show in one transaction, so that nothing changes in between.
    pub async fn read(redis: &mut MultiplexedConnection, show: &ShowId, zones: &Zones) -> Arbiter {
        let any_token = crate::loaded::any_token();
        let any_seat = SeatId::parse("any-seat").unwrap();
        let lock_prefix = prefix(&keys::seat_hold(show, &any_seat), any_seat.as_str());
        let record_prefix = prefix(&keys::hold(show, any_token), &any_token.to_string());
        let locks: Vec<String> = redis.keys(format!("{lock_prefix}*")).await.unwrap();
        let records: Vec<String> = redis.keys(format!("{record_prefix}*")).await.unwrap();

        let mut pipe = redis::pipe();
        pipe.atomic().cmd("TIME").exists(keys::show(show)).hgetall(keys::seats(show));
        pipe.zrange_withscores(keys::held(show), 0, -1).zrange_withscores(keys::confirming(show), 0, -1);
        for key in &locks {
            pipe.get(key).pttl(key);
        }
        for key in &records {
            pipe.hgetall(key).pttl(key);
        }
        for zone in zones.keys() {
            let [stock, next, returned, held, holders, sold] = keys::units(show, zone);
            pipe.get(stock).get(next).zrange_withscores(returned, 0, -1);
            pipe.zrange_withscores(held, 0, -1).hgetall(holders).hgetall(sold);
        }
        let mut answers = Answers(pipe.query_async::<Vec<Value>>(redis).await.unwrap().into_iter());

        let (seconds, micros): (i64, i64) = answers.next();
        let mut arbiter = Arbiter {
            now_ms: seconds * 1000 + micros / 1000,
            loaded: answers.next(),
            seats: answers.next(),
            held: answers.scores(),
            confirming: answers.scores(),
            locks: BTreeMap::new(),
            records: BTreeMap::new(),
            zones: BTreeMap::new(),
        };
        for key in locks {
            // One that lapsed since its key was listed is no lock any more.
            if let (Some(token), left_ms) = (answers.next(), answers.next()) {
                arbiter.locks.insert(key[lock_prefix.len()..].to_owned(), Lock { token, left_ms });
            }
        }
        for key in records {
            let (fields, left_ms) = (answers.next(), answers.next());
            arbiter.records.insert(key[record_prefix.len()..].to_owned(), Record::of(&fields, left_ms));
        }
        for zone in zones.keys() {
            arbiter.zones.insert(zone.to_string(), Units::of(&mut answers));
        }
        arbiter
    }

    /// Whether a hold is certainly live.
    pub fn is_live(&self, record: &Record) -> bool {
        let ends_with_time = record.state == "active" || record.state == "confirming";
        ends_with_time && record.deadline_ms > self.now_ms + MARGIN_MS
    }

    /// The records of this zone (empty: of seats) that are certainly live, with their tokens.
    pub fn live<'a>(&'a self, zone: &'a str) -> impl Iterator<Item = (&'a String, &'a Record)> {
        self.records.iter().filter(move |(_, record)| record.zone == zone && self.is_live(record))
    }
}

impl Record {
    fn of(fields: &HashMap<String, String>, left_ms: i64) -> Record {
        let text = |name: &str| fields.get(name).cloned().unwrap_or_default();
        Record {
            state: text("state"),
            zone: text("zone"),
            places: text("places").split_whitespace().map(str::to_owned).collect(),
            booking: text("booking"),
            deadline_ms: text("deadline").parse().unwrap_or_default(),
            left_ms,
        }
    }
}

impl Units {
    fn of(answers: &mut Answers) -> Units {
        Units {
            stock: answers.next::<Option<i64>>().unwrap_or_default(),
            next: answers.next::<Option<i64>>().unwrap_or(1),
            returned: numbered(answers.scores()),
            held: numbered(answers.scores()),
            holders: numbered(answers.next()),
            sold: numbered(answers.next()),
        }
    }
}

/// The answers of a pipeline, one after another.
struct Answers(std::vec::IntoIter<Value>);

impl Answers {
    fn next<T: FromRedisValue>(&mut self) -> T {
        redis::from_redis_value(self.0.next().unwrap()).unwrap()
    }

    /// A sorted set: member to score.
    fn scores(&mut self) -> BTreeMap<String, i64> {
        self.next::<Vec<(String, f64)>>().into_iter().map(|(member, score)| (member, score as i64)).collect()
    }
}

fn numbered<T>(map: BTreeMap<String, T>) -> BTreeMap<i64, T> {
    map.into_iter().map(|(number, value)| (number.parse().unwrap(), value)).collect()
}

/// What all keys of a kind begin with: keys.rs spells a key, and this takes the end of it away.
fn prefix(key: &str, end: &str) -> String {
    key.strip_suffix(end).unwrap().to_owned()
}
