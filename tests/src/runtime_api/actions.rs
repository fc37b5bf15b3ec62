//! What the binaries asked of DynamoDB, in the words of IAM. Every [`Deployment`](super::Deployment) notes it, in a folder
//! that outlives the test process: the test of the policies, which runs last, knows what all of them saw.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

use serde_json::Value;

use crate::dynamo_front::Front;

/// Where the files lie, one a function and test process: `HOLDFAST_ACTIONS_DIR`, or `target/actions` of the workspace.
fn folder() -> PathBuf {
    let workspace = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/actions");
    std::env::var_os("HOLDFAST_ACTIONS_DIR").map_or_else(workspace, PathBuf::from)
}

/// What came through a front. IAM has no action for a transaction: it takes what its members take.
pub fn of(front: &Front) -> BTreeSet<String> {
    let mut actions: BTreeSet<String> = front.operations().into_iter().collect();
    if actions.remove("TransactWriteItems") {
        let transactions = front.requests("TransactWriteItems");
        let members = transactions.iter().flat_map(|body| body["TransactItems"].as_array().unwrap());
        actions.extend(members.map(|member| action_of_member(member).to_owned()));
    }
    assert!(!actions.contains("TransactGetItems"), "its members would have to be looked at");
    actions
}

fn action_of_member(member: &Value) -> &'static str {
    let kinds = [
        ("Put", "PutItem"),
        ("Update", "UpdateItem"),
        ("Delete", "DeleteItem"),
        ("ConditionCheck", "ConditionCheckItem"),
    ];
    let found = kinds.into_iter().find(|(kind, _)| member.get(kind).is_some());
    found.unwrap_or_else(|| panic!("what is {member}?")).1
}

/// Notes what a function's binary asked for.
pub(super) fn note(function: &str, front: &Front) {
    let lines: String = of(front).into_iter().map(|action| action + "\n").collect();
    fs::create_dir_all(folder()).expect("the folder of actions can be made");
    let path = folder().join(format!("{function}.{}", std::process::id()));
    let file = OpenOptions::new().create(true).append(true).open(path);
    file.and_then(|mut file| file.write_all(lines.as_bytes())).expect("actions can be noted");
}

/// What all processes so far saw this function's binary ask for.
pub fn gathered(function: &str) -> BTreeSet<String> {
    let files = fs::read_dir(folder()).into_iter().flatten().flatten();
    let own = files
        .filter(|file| file.file_name().to_string_lossy().rsplit_once('.').is_some_and(|(name, _)| name == function));
    let texts = own.filter_map(|file| fs::read_to_string(file.path()).ok());
    texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect()
}
