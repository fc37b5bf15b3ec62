//! The environment: what the code reads, what the docs list, and what the template sets.

use std::collections::{BTreeMap, BTreeSet};

use holdfast::config::VARIABLES;

use crate::template;
use crate::tree::read;

/// What Lambda itself sets.
const LAMBDAS_OWN: [&str; 4] = ["AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"];

/// The rows of the table under `## Environment`: the cells of each.
fn table() -> Vec<Vec<String>> {
    let page = read("docs/OPERATIONS.md");
    let (_, section) = page.split_once("\n## Environment\n").expect("docs/OPERATIONS.md has a part Environment");
    // What `make run` honours besides is a table of its own.
    let section = section.split("\n##").next().unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `")).map(|row| format!("`{row}"));
    rows.map(|row| row.split('|').map(|cell| cell.trim().to_owned()).collect()).collect()
}

fn plain(cell: &str) -> &str {
    cell.trim_matches('`')
}

/// The defaults that the comments of `Config` name: `` `REQUEST_BUDGET_MS` (2000): ``.
fn documented_defaults() -> BTreeMap<String, String> {
    let source = read("shared/src/config.rs");
    let comments = source.lines().filter_map(|line| line.trim().strip_prefix("/// `")).filter_map(|line| {
        let (name, rest) = line.split_once('`')?;
        let (default, _) = rest.strip_prefix(" (")?.split_once([')', ';'])?;
        Some((name.to_owned(), plain(default).to_owned()))
    });
    comments.filter(|(name, _)| VARIABLES.contains(&name.as_str())).collect()
}

#[test]
fn the_docs_list_every_variable_and_no_other() {
    let listed: Vec<String> = table().iter().map(|row| plain(&row[0]).to_owned()).collect();
    let unique: BTreeSet<&str> = listed.iter().map(String::as_str).collect();
    assert_eq!(unique.len(), listed.len(), "a variable is listed twice: {listed:?}");
    assert_eq!(unique, BTreeSet::from(VARIABLES));
}

#[test]
fn the_docs_name_the_defaults_of_the_code() {
    let defaults = documented_defaults();
    assert!(defaults.len() > 8, "defaults in the comments: {defaults:?}");
    for row in table() {
        if let Some(default) = defaults.get(plain(&row[0])) {
            assert!(row[1..].iter().any(|cell| plain(cell) == default), "{row:?} does not say {default}");
        }
    }
}

#[test]
fn the_code_has_the_defaults_that_its_comments_name() {
    let secret = "0123456789abcdef0123456789abcdef";
    let minimum = [
        ("REDIS_URL", "redis://127.0.0.1:1"),
        ("AWS_ENDPOINT_URL_DYNAMODB", "http://127.0.0.1:2"),
        ("TOKEN_SECRET", secret),
    ];
    let minimum = minimum.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let as_it_is = format!("{:?}", holdfast::Config::from_vars(&minimum.clone().into()).unwrap());
    for (name, default) in documented_defaults() {
        let said = minimum.iter().cloned().chain([(name.clone(), default.clone())]).collect();
        let config = holdfast::Config::from_vars(&said).unwrap_or_else(|error| panic!("{name}={default}: {error}"));
        assert_eq!(format!("{config:?}"), as_it_is, "{name} is not {default} by default");
    }
}

#[test]
fn the_template_sets_what_the_code_reads_and_nothing_else() {
    let set: BTreeSet<String> = template::environment().into_keys().collect();
    let own = |name: &&str| !LAMBDAS_OWN.contains(name);
    assert_eq!(set, VARIABLES.iter().filter(|name| own(name)).map(|name| (*name).to_owned()).collect());
}

#[test]
fn the_template_sets_the_defaults() {
    let defaults = documented_defaults();
    for (name, value) in template::environment() {
        // What is empty is not set.
        if let (Some(default), Some(value)) = (defaults.get(&name), value.filter(|value| !value.is_empty())) {
            assert_eq!(value, *default, "{name} in template.yaml, and by default");
        }
    }
}
