//! Judges the stream of commands that MONITOR shows, one after another.
//!
//! Redis shows a script's own line first and then the commands that it calls, with nothing of anybody else in between.
//! So whatever comes with the source `lua` belongs to the last script line, and the next line of a client ends it.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde_json::Value;

use super::commands::{self, Known};
use super::coverage::{Ending, Record};
use super::exceptions;
use super::line::{Line, Source};
use crate::payments;

/// The most words that a command of a client may have: ElastiCache refuses more arguments.
const MOST_ARGUMENTS: usize = 3_999;

/// The names of the project's scripts: `(name, sha1)`.
pub type Names = Vec<(&'static str, &'static str)>;

/// A top-level command, as a client sent it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// The client's address.
    pub client: String,
    /// The command, in upper case.
    pub name: String,
    /// The script that it ran, if it is one of the project's.
    pub script: Option<&'static str>,
    /// The show that its first key names.
    pub show: Option<String>,
}

/// The script that runs now.
#[derive(Debug)]
struct Running {
    label: String,
    script: Option<&'static str>,
    keys: HashSet<Vec<u8>>,
    called: bool,
    wrote: bool,
}

/// What was seen so far, and what was wrong with it.
#[derive(Debug)]
pub struct Judge {
    names: Names,
    running: Option<Running>,
    /// Every top-level command but those that only open a connection.
    pub seen: Vec<Seen>,
    /// The words that were sent by `ECHO`, by which a test knows how far the stream has been read.
    pub echoes: HashSet<Vec<u8>>,
    /// Each fault once, however often it was seen.
    pub violations: BTreeSet<String>,
    /// How each script was seen to end.
    pub record: Record,
    /// Records of holds in which payments are kept: key, show and token.
    paid: BTreeMap<Vec<u8>, (String, String)>,
}

impl Judge {
    /// A judge who has seen nothing.
    pub fn new(names: Names, record: Record) -> Judge {
        let (seen, echoes, violations) = (Vec::new(), HashSet::new(), BTreeSet::new());
        Judge { names, running: None, seen, echoes, violations, record, paid: BTreeMap::new() }
    }

    /// Takes the next line.
    pub fn take(&mut self, line: Line) {
        let name = String::from_utf8_lossy(&line.words[0]).to_ascii_uppercase();
        let args = &line.words[1..];
        self.follow_payments(&name, args);
        match line.source {
            Source::Script => self.called(&name, args),
            Source::Client(client) => self.sent(client, name, args),
        }
    }

    /// The stream broke off: what a script did after that is not known.
    pub fn broke_off(&mut self) {
        self.running = None;
        // The server may have ended, and with it all that it had.
        self.lose_payments(|_| true);
    }

    /// Notes payments that come into the record of a hold, and records that go.
    fn follow_payments(&mut self, name: &str, args: &[Vec<u8>]) {
        match name {
            "HSET" => {
                let Some((key, fields)) = args.split_first() else { return };
                let Some(hold) = hold_of(key) else { return };
                let kept = fields.chunks(2).find(|pair| pair[0] == b"payments").and_then(|pair| pair.get(1));
                for payment in kept.map(|kept| text(kept)).unwrap_or_default().lines() {
                    let payment: Value = serde_json::from_str(payment).unwrap_or_default();
                    let reference = payment["reference"].as_str().unwrap_or_default().to_owned();
                    payments::kept(payments::Key { show: hold.0.clone(), token: hold.1.clone(), reference });
                    self.paid.insert(key.clone(), hold.clone());
                }
            }
            // Once all of them are on record, the field goes.
            "HDEL" if args.get(1).is_some_and(|field| field == b"payments") => drop(self.paid.remove(&args[0])),
            "DEL" | "UNLINK" => self.lose_payments(|key| args.contains(key)),
            "FLUSHALL" | "FLUSHDB" => self.lose_payments(|_| true),
            _ => {}
        }
    }

    fn lose_payments(&mut self, is_lost: impl Fn(&Vec<u8>) -> bool) {
        self.paid.retain(|key, (show, token)| {
            let is_lost = is_lost(key);
            if is_lost {
                payments::lost(show, token);
            }
            !is_lost
        });
    }

    /// A command that the running script called.
    fn called(&mut self, name: &str, args: &[Vec<u8>]) {
        let Some(mut running) = self.running.take() else { return };
        match commands::known(name) {
            Some(known) => {
                running.called = true;
                running.wrote |= known.writes;
                for key in known.keys.of(args).iter().filter(|key| !running.keys.contains(*key)) {
                    self.fault(format!(
                        "{}: {name} touches a key that KEYS does not declare: {}",
                        running.label,
                        text(key)
                    ));
                }
            }
            None => self.fault(format!("{}: {name} is a command that the monitor does not know", running.label)),
        }
        self.running = Some(running);
    }

    /// A command of a client. It ends the script that ran before.
    fn sent(&mut self, client: String, name: String, args: &[Vec<u8>]) {
        self.script_ended();
        if name == "ECHO" {
            self.echoes.extend(args.first().cloned());
        }
        if commands::is_connection(&name) {
            return;
        }
        let Some(known) = commands::known(&name) else {
            self.fault(format!("{name} is a command that the monitor does not know"));
            return;
        };
        let script = if commands::is_script(&name) { self.script_started(&name, args, known) } else { None };
        let label = script.unwrap_or(&name).to_owned();
        let keys = known.keys.of(args);
        self.judge_tags(&label, keys);
        if args.len() > MOST_ARGUMENTS {
            self.fault(format!("{label}: more than {MOST_ARGUMENTS} arguments"));
        }
        let show = keys.first().and_then(|key| show_of(key));
        self.seen.push(Seen { client, name, script, show });
    }

    fn script_started(&mut self, name: &str, args: &[Vec<u8>], known: Known) -> Option<&'static str> {
        let subject = args.first().map(|arg| text(arg)).unwrap_or_default();
        let sha1 = if name.starts_with("EVALSHA") {
            subject.to_ascii_lowercase()
        } else {
            redis::Script::new(&subject).get_hash().to_owned()
        };
        let script = self.names.iter().find(|(_, known)| *known == sha1).map(|(name, _)| *name);
        let keys: HashSet<Vec<u8>> = known.keys.of(args).iter().cloned().collect();
        let label = script.map_or_else(|| format!("script {sha1}"), |name| format!("{name}.lua"));
        // A script of the harness' own that names no key can touch none, and is nobody's business.
        if script.is_none() && !keys.is_empty() {
            self.fault(format!("{label} is none of the project's scripts"));
        }
        self.running = Some(Running { label, script, keys, called: false, wrote: false });
        script
    }

    /// Notes how the script ended. One that called nothing did not run: `EVALSHA` was answered `NOSCRIPT`.
    fn script_ended(&mut self) {
        if let Some(Running { script: Some(name), called: true, wrote, .. }) = self.running.take() {
            self.record.note(name, if wrote { Ending::Granted } else { Ending::Refused });
        }
    }

    fn judge_tags(&mut self, label: &str, keys: &[Vec<u8>]) {
        let mut shows = BTreeSet::new();
        for key in keys {
            match show_of(key) {
                Some(show) => drop(shows.insert(show)),
                None => self.fault(format!("{label}: a key without the tag of a show: {}", text(key))),
            }
        }
        if shows.len() > 1 {
            self.fault(format!("{label}: keys of several shows in one command: {shows:?}"));
        }
    }

    fn fault(&mut self, fault: String) {
        if !exceptions::is_excepted(&fault) {
            self.violations.insert(fault);
        }
    }
}

/// The show in a key's hash tag, by Redis' rule: between the first `{` and the first `}` after it.
pub fn show_of(key: &[u8]) -> Option<String> {
    let open = key.iter().position(|byte| *byte == b'{')?;
    let close = open + key[open..].iter().position(|byte| *byte == b'}')?;
    let id = key[open + 1..close].strip_prefix(b"show:")?;
    (!id.is_empty()).then(|| text(id))
}

/// The show and the token of the record of a hold.
fn hold_of(key: &[u8]) -> Option<(String, String)> {
    let token = text(key).strip_prefix("hold:{")?.split_once("}:")?.1.to_owned();
    Some((show_of(key)?, token))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
