//! A directory that the stores keep their data in, and its locks: two servers on one file would destroy it.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;

/// Why a data directory cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum DataDirError {
    /// Another process works in it.
    #[error("in use by another process")]
    InUse,
    /// The operating system refuses it.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Makes the directory if need be, and takes one of its locks. It is held until the file is closed, also by a crash.
///
/// # Errors
///
/// When somebody else has the lock, or the directory is not writable.
pub fn lock(dir: &Path, name: &str) -> Result<File, DataDirError> {
    fs::create_dir_all(dir)?;
    let file = File::options().create(true).truncate(false).write(true).open(dir.join(name))?;
    file.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => DataDirError::InUse,
        TryLockError::Error(error) => DataDirError::Io(error),
    })?;
    Ok(file)
}
