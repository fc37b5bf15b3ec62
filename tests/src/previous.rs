//! The release before this one, as far as Redis is concerned: what a function of this release sends is sent as that one did.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use holdfast::adapters::redis::scripts;

/// A script that both releases have.
struct Both {
    name: &'static str,
    /// As this release sends it, and its SHA-1.
    now: (&'static str, &'static str),
    /// As the one before did.
    before: (String, String),
}

static SCRIPTS: LazyLock<Vec<Both>> = LazyLock::new(|| {
    let kept = scripts_in(&folder()).len();
    let libraries = scripts_in(&folder().join("lib"));
    let both = scripts::all().into_iter().filter_map(|script| {
        // One that is new in this release has none before.
        let mut source = std::fs::read_to_string(path(script.name)).ok()?;
        for (name, text) in &libraries {
            source = source.replace(&mark(name), text);
        }
        let sha1 = redis::Script::new(&source).get_hash().to_owned();
        Some(Both { name: script.name, now: (&script.source, &script.sha1), before: (source, sha1) })
    });
    let both: Vec<Both> = both.collect();
    assert_eq!(both.len(), kept, "a script of the release before is one of this release no more");
    assert!(both.iter().any(|script| script.now.0 != script.before.0), "this is the release before");
    both
});

/// Where that release is kept.
#[must_use]
pub fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/previous"))
}

/// Where a script of it is kept.
#[must_use]
pub fn path(script: &str) -> PathBuf {
    folder().join(format!("{script}.lua"))
}

/// What stands in a script that is kept for a library, which is kept once.
#[must_use]
pub fn mark(library: &str) -> String {
    format!("--@ lib/{library}\n")
}

/// The files of Lua in a folder, each with its text.
///
/// # Panics
/// When they cannot be read.
#[must_use]
pub fn scripts_in(folder: &Path) -> Vec<(String, String)> {
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap());
    let scripts = files.filter(|file| file.path().extension().is_some_and(|ending| ending == "lua"));
    let named =
        scripts.map(|file| (file.file_name().into_string().unwrap(), std::fs::read_to_string(file.path()).unwrap()));
    named.collect()
}

/// The names of its scripts, each with its SHA-1.
pub fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
    SCRIPTS.iter().map(|script| (script.name, script.before.1.as_str()))
}

/// A request to Redis with a script of this release, with that of the one before in its place. Other requests stay as they are.
#[must_use]
pub fn as_before(request: Vec<u8>) -> Vec<u8> {
    // *N, $7, EVALSHA, $40, the SHA-1; or EVAL and the script itself.
    for Both { now, before, .. } in SCRIPTS.iter() {
        for (verb, now, before) in [("EVALSHA", now.1, &before.1), ("EVAL", now.0, &before.0)] {
            let sent = |script: &str| format!("\r\n${}\r\n{verb}\r\n${}\r\n{script}\r\n", verb.len(), script.len());
            let (from, to) = (sent(now), sent(before));
            let count = request.iter().position(|byte| *byte == b'\r').unwrap_or(request.len());
            if let Some(rest) = request[count..].strip_prefix(from.as_bytes()) {
                return [&request[..count], to.as_bytes(), rest].concat();
            }
        }
    }
    request
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_replaced_by_the_one_before_and_all_else_stays() {
        let script = &scripts::PIN;
        let (before, sha1) = &SCRIPTS.iter().find(|script| script.name == "pin").unwrap().before;
        assert!(before.starts_with("#!lua") && !before.contains("--@"), "{before}");
        let call = |verb: &str, script: &str| {
            let (verb_length, length) = (verb.len(), script.len());
            let args = "$1\r\n0\r\n";
            format!("*3\r\n${verb_length}\r\n{verb}\r\n${length}\r\n{script}\r\n{args}").into_bytes()
        };
        assert_eq!(as_before(call("EVALSHA", &script.sha1)), call("EVALSHA", sha1));
        assert_eq!(as_before(call("EVAL", &script.source)), call("EVAL", before));
        assert_eq!(as_before(call("EVAL", "return 1")), call("EVAL", "return 1"));
        let hello = b"*2\r\n$5\r\nHELLO\r\n$1\r\n3\r\n".to_vec();
        assert_eq!(as_before(hello.clone()), hello);
    }
}
