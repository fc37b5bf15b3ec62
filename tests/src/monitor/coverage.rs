//! Which script was seen to grant and to refuse, by this server and, through a file, by all of a test run.
//!
//! The test binaries are processes of their own, and none of them knows that it is the last. So each server's monitor
//! appends what it sees for the first time to a file of its own in [`folder`], and whoever wants to judge the whole run
//! reads them with [`gathered`].

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

/// How a script ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ending {
    /// It wrote something.
    Granted,
    /// It ran to its end and wrote nothing.
    Refused,
}

impl Ending {
    /// Both of them.
    pub const BOTH: [Ending; 2] = [Ending::Granted, Ending::Refused];

    fn word(self) -> &'static str {
        match self {
            Ending::Granted => "granted",
            Ending::Refused => "refused",
        }
    }
}

/// What one monitor has seen.
#[derive(Debug, Default)]
pub struct Record {
    seen: BTreeSet<(&'static str, Ending)>,
    file: Option<File>,
}

impl Record {
    /// A record that also goes into a file of the folder, named after this process and the server's port.
    ///
    /// # Panics
    /// When the file cannot be made.
    pub fn kept(port: u16) -> Record {
        let folder = folder();
        fs::create_dir_all(&folder).expect("the monitor's folder can be made");
        let path = folder.join(format!("{}-{port}", std::process::id()));
        let file = OpenOptions::new().create(true).append(true).open(path).expect("the monitor's file can be made");
        Record { seen: BTreeSet::new(), file: Some(file) }
    }

    /// Notes an ending; the file gets what is new.
    pub(super) fn note(&mut self, script: &'static str, ending: Ending) {
        if self.seen.insert((script, ending))
            && let Some(file) = &mut self.file
        {
            writeln!(file, "{script} {}", ending.word()).expect("the monitor's file can be written");
        }
    }

    /// Which endings of which scripts were seen.
    pub fn seen(&self) -> &BTreeSet<(&'static str, Ending)> {
        &self.seen
    }
}

/// Where the files lie: `HOLDFAST_MONITOR_DIR`, or `target/monitor` of the workspace.
pub fn folder() -> PathBuf {
    let workspace = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/monitor");
    std::env::var_os("HOLDFAST_MONITOR_DIR").map_or_else(workspace, PathBuf::from)
}

/// What all files of the folder say: script and ending.
pub fn gathered() -> BTreeSet<(String, Ending)> {
    let files = fs::read_dir(folder()).into_iter().flatten().flatten();
    let texts = files.filter_map(|file| fs::read_to_string(file.path()).ok());
    let lines: Vec<String> = texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
    let parsed = lines.iter().filter_map(|line| {
        let (script, word) = line.split_once(' ')?;
        let ending = Ending::BOTH.into_iter().find(|ending| ending.word() == word)?;
        Some((script.to_owned(), ending))
    });
    parsed.collect()
}
