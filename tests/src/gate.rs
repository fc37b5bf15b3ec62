//! A gate that holds a request on its way until a test lets it pass.
//!
//! It makes an interleaving certain that would otherwise be a matter of luck: the test waits until the request stands
//! before the gate, does what it wants to be done meanwhile, and opens.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

/// How long a test waits for a request to reach a gate before it fails.
const REACHED_WITHIN: Duration = Duration::from_secs(10);

/// One gate. It stays open once it was opened.
#[derive(Debug)]
pub struct Gate {
    waiting: watch::Sender<usize>,
    open: watch::Sender<bool>,
}

impl Gate {
    /// A closed gate.
    pub fn new() -> Arc<Gate> {
        Arc::new(Gate { waiting: watch::Sender::new(0), open: watch::Sender::new(false) })
    }

    /// Waits until a request stands before the gate.
    ///
    /// # Panics
    /// When none came within ten seconds.
    pub async fn reached(&self) {
        let mut waiting = self.waiting.subscribe();
        let came = tokio::time::timeout(REACHED_WITHIN, waiting.wait_for(|count| *count > 0)).await;
        assert!(came.is_ok(), "no request reached the gate within {REACHED_WITHIN:?}");
    }

    /// Lets pass what waits, and all that comes later.
    pub fn open(&self) {
        self.open.send_replace(true);
    }

    /// The side of the proxies: stands before the gate until it is open.
    pub(crate) async fn pass(&self) {
        let mut open = self.open.subscribe();
        self.waiting.send_modify(|count| *count += 1);
        // An error would mean that the gate is gone, and nobody is left who could open it.
        let _ = open.wait_for(|is_open| *is_open).await;
    }
}
