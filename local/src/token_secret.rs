//! The secret that hold tokens are made with on this machine: made at the first start, and kept in the data directory, so that
//! tokens outlive the process as holds do.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use uuid::Uuid;

/// The file in the data directory.
const FILE: &str = "token-secret";

/// A secret of 64 hexadecimal digits.
pub struct TokenSecret(String);

impl TokenSecret {
    /// A new one.
    #[must_use]
    pub fn random() -> Self {
        Self([Uuid::new_v4(), Uuid::new_v4()].map(|uuid| uuid.simple().to_string()).concat())
    }

    /// The one of a data directory, which is made if there is none.
    ///
    /// # Errors
    ///
    /// When the directory cannot be read or written, or the file has been cut short.
    pub fn of(data_dir: &Path) -> io::Result<Self> {
        let file = data_dir.join(FILE);
        match fs::read_to_string(&file) {
            Ok(secret) if secret.trim().len() >= 32 => Ok(Self(secret.trim().to_owned())),
            Ok(_) => Err(io::Error::other(format!("{} is too short for a secret", file.display()))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let secret = Self::random();
                // Whole or not at all: a start that dies here must not leave half of one.
                let half = data_dir.join(format!("{FILE}.new"));
                let mut open = OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(&half)?;
                open.write_all(secret.0.as_bytes())?;
                open.sync_all()?;
                fs::rename(&half, &file)?;
                Ok(secret)
            }
            Err(error) => Err(error),
        }
    }

    /// The secret as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_data_directory_keeps_its_secret() {
        let (one, other) = (tempfile::tempdir().expect("a directory"), tempfile::tempdir().expect("a directory"));
        let read = |dir: &tempfile::TempDir| TokenSecret::of(dir.path()).expect("a secret").0;
        let first = read(&one);
        assert_eq!(first.len(), 64);
        assert_eq!(first, read(&one));
        assert_ne!(first, read(&other));
        fs::write(one.path().join(FILE), "short").expect("a file");
        assert!(TokenSecret::of(one.path()).is_err());
    }
}
