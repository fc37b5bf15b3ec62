//! The judge of every Redis that the harness hands out: MONITOR, read to its end.
//!
//! What the rules for scripts forbid is seen here, at the server, and not in the code that promises to keep them: a key
//! that a script touches without having declared it, a key without the tag of its show, two shows in one command.
//! It also counts what a call costs, and remembers which script was seen to grant and which to refuse.
//!
//! `line` reads MONITOR's format, `commands` knows where keys stand, `judge` decides, `wire` holds the connection.

pub mod coverage;
pub mod exceptions;

mod commands;
mod judge;
mod line;
mod wire;

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

pub use coverage::{Ending, Record};
pub use judge::{Names, Seen};

use judge::Judge;
use wire::Shared;

const ATTACHED_WITHIN: Duration = Duration::from_secs(5);
const ECHO_SEEN_WITHIN: Duration = Duration::from_secs(1);
const ECHOES: usize = 10;

/// A place in the stream of commands: what comes after it can be counted.
#[derive(Debug, Clone, Copy)]
pub struct Mark(usize);

/// MONITOR on one server.
#[derive(Debug)]
pub struct Monitor {
    shared: Arc<Shared>,
}

impl Monitor {
    /// Attaches to a server, and returns once MONITOR runs.
    ///
    /// # Panics
    /// When it does not within five seconds.
    pub fn attach(addr: SocketAddr, names: Names, record: Record) -> Monitor {
        let shared = Shared::start(addr, Judge::new(names, record));
        assert!(shared.wait_until(ATTACHED_WITHIN, Shared::is_attached), "MONITOR does not run at {addr}");
        Monitor { shared }
    }

    /// Waits until all that the server has done so far was seen. `false` if the server does not answer.
    ///
    /// # Panics
    /// When the server answers, and the stream still does not show it.
    pub fn sync(&self) -> bool {
        for _ in 0..ECHOES {
            let word = uuid::Uuid::new_v4().to_string();
            if self.shared.echo(&word).is_err() {
                return false;
            }
            // Not seen means that MONITOR was cut and comes back: what is echoed then, it sees.
            if self.shared.wait_until(ECHO_SEEN_WITHIN, |state| state.judge.echoes.contains(word.as_bytes())) {
                return true;
            }
        }
        panic!("MONITOR shows nothing of a server that answers");
    }

    /// The place in the stream that is reached now.
    pub fn mark(&self) -> Mark {
        self.sync();
        Mark(self.shared.lock().judge.seen.len())
    }

    /// The top-level commands since a mark, but those that open or check a connection: what was paid in round trips.
    /// On a server that other tests use too, see [`Monitor::seen_of_show`].
    pub fn seen_since(&self, mark: Mark) -> Vec<Seen> {
        self.sync();
        self.shared.lock().judge.seen[mark.0..].to_vec()
    }

    /// The top-level commands since a mark that have keys of this show.
    pub fn seen_of_show(&self, mark: Mark, show: &str) -> Vec<Seen> {
        let mut seen = self.seen_since(mark);
        seen.retain(|command| command.show.as_deref() == Some(show));
        seen
    }

    /// How many commands there were since a mark: see [`Monitor::seen_since`].
    pub fn count_since(&self, mark: Mark) -> usize {
        self.seen_since(mark).len()
    }

    /// Which scripts this server saw to grant and to refuse.
    pub fn coverage(&self) -> BTreeSet<(&'static str, Ending)> {
        self.sync();
        self.shared.lock().judge.record.seen().clone()
    }

    /// The faults that were seen; they are forgotten by that.
    pub fn take_violations(&self) -> Vec<String> {
        self.sync();
        std::mem::take(&mut self.shared.lock().judge.violations).into_iter().collect()
    }

    /// Fails the test if the server saw a fault, of this test or of another.
    ///
    /// # Panics
    /// With the faults.
    pub fn check_violations(&self) {
        self.sync();
        let violations = self.shared.lock().judge.violations.clone();
        assert!(violations.is_empty(), "MONITOR saw:\n  {}", Vec::from_iter(violations).join("\n  "));
    }
}

impl Drop for Monitor {
    fn drop(&mut self) {
        self.shared.stop();
    }
}
