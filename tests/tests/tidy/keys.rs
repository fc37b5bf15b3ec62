//! Keys are spelt in one place a store: `adapters/redis/keys.rs` and `adapters/dynamo/keys.rs`.

use crate::tree::{code_lines, files_below, read};

const REDIS: &str = "shared/src/adapters/redis/keys.rs";
const DYNAMO: &str = "shared/src/adapters/dynamo/keys.rs";

/// What the keys of a file begin with: what stands in its `format!`s before this.
fn prefixes(path: &str, before: &str) -> Vec<String> {
    let source = read(path);
    let texts = source.split("format!(\"").skip(1).filter_map(|rest| rest.split_once('"'));
    let prefixes = texts.filter_map(|(text, _)| text.split_once(before)).map(|(prefix, _)| prefix.to_owned());
    prefixes.filter(|prefix| !prefix.is_empty() && !prefix.contains('{')).collect()
}

/// Fails for each line of Rust outside of `keys.rs`, or of Lua, that has one of these.
fn assert_spelt_nowhere_else(keys: &str, spellings: &[String]) {
    let rust = files_below(&["shared", "functions", "local", "tests"], ".rs").into_iter().map(|path| (path, "//"));
    let lua = files_below(&["lua"], ".lua").into_iter().map(|path| (path, "--"));
    for (path, comment) in rust.chain(lua).filter(|(path, _)| path != keys) {
        for (number, line) in code_lines(&read(&path), comment) {
            let spelt = spellings.iter().find(|spelling| line.contains(*spelling));
            assert_eq!(spelt, None, "{path}:{number} spells a key, which {keys} does");
        }
    }
}

#[test]
fn keys_of_redis_are_spelt_in_one_place() {
    let prefixes = prefixes(REDIS, ":{{show:");
    assert!(prefixes.len() > 10, "the keys of Redis: {prefixes:?}");
    // In a text as it is, and in one that is formatted.
    let spellings = prefixes.iter().flat_map(|prefix| ["{", "{{"].map(|brace| format!("\"{prefix}:{brace}show:")));
    assert_spelt_nowhere_else(REDIS, &spellings.collect::<Vec<_>>());
}

#[test]
fn keys_of_dynamodb_are_spelt_in_one_place() {
    let prefixes = prefixes(DYNAMO, "#");
    assert!(prefixes.len() > 4, "the keys of DynamoDB: {prefixes:?}");
    let spellings: Vec<String> = prefixes.iter().map(|prefix| format!("\"{prefix}#")).collect();
    assert_spelt_nowhere_else(DYNAMO, &spellings);
}

#[test]
fn every_key_of_redis_carries_the_tag_of_its_show() {
    let source = read(REDIS);
    let formats: Vec<&str> = source.lines().filter(|line| line.contains("format!(")).collect();
    assert!(formats.iter().all(|line| line.contains(":{{show:{show}}}")), "{formats:#?}");
}
