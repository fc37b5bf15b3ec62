//! What template.yaml lets each function do to the table is what its binary does, no less and no more.
//!
//! The name puts it last: by then the test binaries that run the built functions have noted what they saw.

use std::collections::BTreeSet;

use holdfast_tests::runtime_api::actions::gathered;
use holdfast_tests::template::{actions_of_the_endpoint, functions};

#[test]
fn each_policy_has_exactly_the_actions_that_the_binary_called() {
    let mut faults = Vec::new();
    for (id, function) in functions() {
        let binary = function.binary();
        let (allowed, called) = (function.actions_on_the_table(), gathered(binary));
        let names = |actions: BTreeSet<&String>| actions.into_iter().cloned().collect::<Vec<_>>().join(", ");
        let (more, less) = (names(allowed.difference(&called).collect()), names(called.difference(&allowed).collect()));
        if !more.is_empty() {
            faults.push(format!("{id} may {more}, and was never seen to"));
        }
        if !less.is_empty() {
            faults.push(format!("{id} does {less}, and may not"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_way_to_the_table_is_open_for_what_they_do_together() {
    let called = functions().values().flat_map(|function| gathered(function.binary())).collect();
    assert_eq!(actions_of_the_endpoint(), called);
}
