//! The routes of the template, of the code and of openapi.yaml are the same, and so are the problems.

use std::collections::BTreeSet;

use holdfast::http::routes::ROUTES;

use crate::openapi;
use crate::tree::{code_lines, files_below, read};

/// The routes of the code, as API Gateway writes them.
fn of_the_code() -> BTreeSet<String> {
    ROUTES.iter().map(|(method, path)| format!("{method} {path}")).collect()
}

#[test]
fn the_template_leads_to_every_route_and_to_no_other() {
    let functions = holdfast_local::template::functions().unwrap();
    let keys = functions.iter().flat_map(|function| &function.route_keys);
    let (rest, routes): (BTreeSet<String>, BTreeSet<String>) = keys.cloned().partition(|key| key == "$default");
    assert_eq!(routes, of_the_code());
    assert_eq!(rest.len(), 1, "a $default route");
    let fallback = functions.iter().find(|function| function.name == "FallbackFunction").unwrap();
    assert_eq!(fallback.route_keys, ["$default"]);
}

#[test]
fn the_schedule_leads_to_the_one_function_without_a_route() {
    let functions = holdfast_local::template::functions().unwrap();
    let without: Vec<&str> =
        functions.iter().filter(|function| function.route_keys.is_empty()).map(|function| &*function.name).collect();
    let scheduled: Vec<&str> =
        functions.iter().filter(|function| !function.schedules.is_empty()).map(|function| &*function.name).collect();
    assert_eq!((without, scheduled), (vec!["ReconcileFunction"], vec!["ReconcileFunction"]));
}

#[test]
fn openapi_has_every_route_and_no_other() {
    assert_eq!(openapi::routes(), of_the_code());
}

/// Each problem that the code can answer, with its status as the `http` crate spells it.
fn problems_of_the_code() -> BTreeSet<String> {
    // How problems are made: the words before the code.
    let starts = ["not_found(\"", "conflict(\"", "mismatch(\"", "StatusCode::"];
    let mut codes = BTreeSet::new();
    for path in files_below(&["shared/src/http"], ".rs") {
        let source = read(&path);
        let code: String = code_lines(&source, "//").map(|(_, line)| line).collect::<Vec<_>>().join(" ");
        let code = code.split("#[cfg(test)]").next().unwrap();
        for start in starts {
            for (at, _) in code.match_indices(start) {
                let rest = &code[at + start.len() - usize::from(start.ends_with('"'))..];
                let Some((before, rest)) = rest.split_once('"') else { continue };
                // After a status comes a comma, then the code.
                let is_code =
                    before.is_empty() || before.trim_end().ends_with(',') && !before.contains(['(', ')', ';']);
                let word = rest.split('"').next().unwrap_or_default();
                if is_code && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_') {
                    codes.insert(word.to_owned());
                }
            }
        }
    }
    codes
}

#[test]
fn openapi_has_every_problem_and_no_other() {
    let problems = problems_of_the_code();
    assert!(problems.len() > 20, "the problems of the code: {problems:?}");
    assert_eq!(openapi::problems(), problems);
}
