//! The windows of `docs/ARCHITECTURE.md`: each names tests that make it happen, and they are there.

use std::collections::BTreeSet;

use crate::tree::{files_below, read};

/// The rows of the table under `## Windows`: the window, what closes it, and the names of its tests.
fn table() -> Vec<[String; 3]> {
    let page = read("docs/ARCHITECTURE.md");
    let (_, section) = page.split_once("\n## Windows\n").expect("docs/ARCHITECTURE.md has a part Windows");
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |")).skip(2);
    let cells = rows.map(|row| row.split(" | ").map(str::to_owned).collect::<Vec<_>>());
    cells.map(|cells| cells.try_into().unwrap_or_else(|cells| panic!("three cells: {cells:?}"))).collect()
}

/// The names of all tests: of functions under `#[test]` or `#[tokio::test]`, and of those that a macro makes (`name Operation;`).
fn tests() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for path in files_below(&["tests/tests"], ".rs") {
        let source = read(&path);
        let mut is_test = false;
        for line in source.lines().map(str::trim) {
            let name = line.strip_prefix("async fn ").or_else(|| line.strip_prefix("fn "));
            match name.and_then(|rest| rest.split_once('(')) {
                Some((name, _)) if is_test => drop(names.insert(name.to_owned())),
                _ => {}
            }
            is_test = line == "#[test]" || line.starts_with("#[tokio::test");
        }
        let made =
            source.split_once("\nevery_step_of! {\n").and_then(|(_, rest)| rest.split_once("\n}")).map(|made| made.0);
        names.extend(
            made.into_iter()
                .flat_map(str::lines)
                .filter_map(|line| line.trim().split_once(' '))
                .map(|made| made.0.to_owned()),
        );
    }
    names
}

#[test]
fn every_window_names_tests_that_exist() {
    let (rows, tests) = (table(), tests());
    assert!(rows.len() >= 17, "{} windows", rows.len());
    for [window, closed_by, named] in rows {
        assert!(!closed_by.is_empty(), "{window}: nothing closes it");
        let named: Vec<&str> = named.split(", ").map(|name| name.trim_matches('`')).collect();
        for name in named {
            assert!(tests.contains(name), "{window}: there is no test {name:?}");
        }
    }
}
