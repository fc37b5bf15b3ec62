//! The connection that reads MONITOR, on a thread of its own, and the one that asks for an echo.
//!
//! A thread, and not a task: a test that blocks its runtime must not make its own judge go deaf.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::judge::Judge;
use super::line;

/// Between two attempts to reach a server that closed the connection.
const RECONNECT_AFTER: Duration = Duration::from_millis(20);
/// How long a connection may take to open, or an echo to be answered.
const ANSWER_WITHIN: Duration = Duration::from_millis(500);

/// What the thread and the tests share.
#[derive(Debug)]
pub struct Shared {
    addr: SocketAddr,
    state: Mutex<State>,
    changed: Condvar,
}

/// The judge, and the state of the connection that feeds him.
#[derive(Debug)]
pub struct State {
    /// The judge.
    pub judge: Judge,
    /// The connection, while MONITOR runs on it.
    stream: Option<TcpStream>,
    stopped: bool,
}

impl Shared {
    /// Starts the thread.
    pub fn start(addr: SocketAddr, judge: Judge) -> Arc<Shared> {
        let state = Mutex::new(State { judge, stream: None, stopped: false });
        let shared = Arc::new(Shared { addr, state, changed: Condvar::new() });
        let thread = Arc::clone(&shared);
        std::thread::spawn(move || thread.run());
        shared
    }

    /// The state, also when a test panicked while it had it.
    pub fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the state is as wanted, or the time is over; says whether it is.
    pub fn wait_until(&self, within: Duration, wanted: impl Fn(&State) -> bool) -> bool {
        let guard = self.lock();
        let waited = self.changed.wait_timeout_while(guard, within, |state| !wanted(state));
        wanted(&waited.unwrap_or_else(PoisonError::into_inner).0)
    }

    /// Whether MONITOR runs.
    pub fn is_attached(state: &State) -> bool {
        state.stream.is_some()
    }

    /// Ends the thread.
    pub fn stop(&self) {
        let mut state = self.lock();
        state.stopped = true;
        if let Some(stream) = state.stream.take() {
            // It may be closed already.
            let _ = stream.shutdown(std::net::Shutdown::Both);
        }
    }

    /// Lets the server echo a word, on a connection of its own.
    pub fn echo(&self, word: &str) -> std::io::Result<()> {
        let mut stream = TcpStream::connect_timeout(&self.addr, ANSWER_WITHIN)?;
        stream.set_read_timeout(Some(ANSWER_WITHIN))?;
        write!(stream, "*2\r\n$4\r\nECHO\r\n${}\r\n{word}\r\n", word.len())?;
        stream.read_exact(&mut [0])
    }

    fn run(&self) {
        while !self.lock().stopped {
            // Closed, refused or reset: the server may be on its way back, and a test may have cut the line.
            let _ = self.watch();
            let mut state = self.lock();
            state.stream = None;
            state.judge.broke_off();
            let stopped = self.changed.wait_timeout_while(state, RECONNECT_AFTER, |state| !state.stopped);
            drop(stopped);
        }
    }

    /// Reads one connection to its end.
    fn watch(&self) -> std::io::Result<()> {
        let mut stream = TcpStream::connect_timeout(&self.addr, ANSWER_WITHIN)?;
        stream.write_all(b"MONITOR\r\n")?;
        let writer = stream.try_clone()?;
        let mut reader = BufReader::new(stream);
        let mut buffer = Vec::new();
        let begun = Instant::now();
        reader.read_until(b'\n', &mut buffer)?;
        if buffer != b"+OK\r\n" {
            let answer = String::from_utf8_lossy(&buffer);
            return Err(std::io::Error::other(format!("MONITOR was refused after {:?}: {answer}", begun.elapsed())));
        }
        self.lock().stream = Some(writer);
        self.changed.notify_all();
        loop {
            buffer.clear();
            if reader.read_until(b'\n', &mut buffer)? == 0 {
                return Ok(());
            }
            if let Some(line) = line::parse(&buffer) {
                self.lock().judge.take(line);
                self.changed.notify_all();
            }
        }
    }
}
