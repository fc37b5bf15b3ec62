//! What a newcomer's patience bears: short files, and nothing left for later.

use crate::tree::{code_lines, files_below, names_in, read};

const RUST: [&str; 4] = ["functions", "local", "shared", "tests"];

#[test]
fn no_file_is_longer_than_a_sitting() {
    let files = files_below(&RUST, ".rs").into_iter().chain(files_below(&["lua"], ".lua"));
    let too_long: Vec<_> = files.map(|path| (read(&path).lines().count(), path)).filter(|(n, _)| *n > 400).collect();
    assert!(too_long.is_empty(), "more than 400 lines: {too_long:?}");
}

#[test]
fn a_main_only_wires() {
    for function in names_in("functions", true) {
        let main = format!("functions/{function}/src/main.rs");
        assert!(read(&main).lines().count() <= 40, "{main} has more than 40 lines");
    }
}

#[test]
fn nothing_is_left_for_later() {
    for path in files_below(&RUST, ".rs") {
        for (number, line) in code_lines(&read(&path), "//") {
            for word in ["todo!", "unimplemented!", "dbg!"] {
                // This test names them as texts.
                let named = line.contains(&format!("\"{word}\""));
                assert!(named || !line.contains(word), "{path}:{number} has {word}");
            }
            let silenced = line.trim() == format!("#[{}]", "ignore");
            assert!(!silenced, "{path}:{number} ignores a test without a reason");
        }
    }
}
