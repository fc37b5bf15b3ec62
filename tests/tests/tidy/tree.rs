//! The files of the house.

use std::fs;
use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// A file, by its path from the root.
///
/// # Panics
/// When there is none.
pub fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The names in a folder, in order: of its folders, or of its files.
pub fn names_in(path: &str, folders: bool) -> Vec<String> {
    let entries = fs::read_dir(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    let entries = entries.map(Result::unwrap).filter(|entry| entry.path().is_dir() == folders);
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The paths, from the root, of all files below these folders that end so.
pub fn files_below(folders: &[&str], ending: &str) -> Vec<String> {
    let mut found = Vec::new();
    for folder in folders {
        let files = names_in(folder, false).into_iter().filter(|name| name.ends_with(ending));
        found.extend(files.map(|name| format!("{folder}/{name}")));
        let below: Vec<String> = names_in(folder, true).into_iter().map(|name| format!("{folder}/{name}")).collect();
        found.extend(files_below(&below.iter().map(String::as_str).collect::<Vec<_>>(), ending));
    }
    found
}

/// The lines of a source that are no comments, each with its number. `comment` is what a comment begins with.
pub fn code_lines<'a>(source: &'a str, comment: &'a str) -> impl Iterator<Item = (usize, &'a str)> {
    (1..).zip(source.lines()).filter(move |(_, line)| !line.trim_start().starts_with(comment))
}
