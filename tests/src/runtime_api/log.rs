//! What a process writes, in a file that is gone with it.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::process::Stdio;

/// The output of a process.
#[derive(Debug)]
pub(super) struct Log(File);

impl Log {
    /// An empty one.
    pub fn new() -> Log {
        Log(tempfile::tempfile().unwrap())
    }

    /// An end to write to.
    pub fn end(&self) -> Stdio {
        self.0.try_clone().unwrap().into()
    }

    /// What was written so far.
    pub fn text(&self) -> String {
        // Where the process writes on must not move.
        let mut bytes = vec![0; usize::try_from(self.0.metadata().unwrap().len()).unwrap()];
        self.0.read_exact_at(&mut bytes, 0).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}
