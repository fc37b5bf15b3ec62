//! openapi.yaml, as far as the tests ask about it.

use std::collections::BTreeSet;

use serde_yaml_ng::Value;

use crate::tree::{read, root};

const METHODS: [&str; 7] = ["get", "put", "post", "patch", "delete", "head", "options"];

fn whole() -> Value {
    let path = ["openapi.yaml", "docs/openapi.yaml"].into_iter().find(|path| root().join(path).exists());
    serde_yaml_ng::from_str(&read(path.expect("openapi.yaml is there"))).expect("openapi.yaml is YAML")
}

/// The routes: `PUT /shows/{showId}`.
pub fn routes() -> BTreeSet<String> {
    let document = whole();
    let paths = document["paths"].as_mapping().expect("openapi.yaml has paths");
    let methods = paths.iter().flat_map(|(path, item)| {
        METHODS.into_iter().filter(|method| item.get(*method).is_some()).map(move |method| (method, path))
    });
    methods.map(|(method, path)| format!("{} {}", method.to_uppercase(), path.as_str().unwrap())).collect()
}

/// The problem codes: every value that a property `code` may have.
pub fn problems() -> BTreeSet<String> {
    let mut codes = BTreeSet::new();
    gather(&whole(), &mut codes);
    codes
}

fn gather(value: &Value, codes: &mut BTreeSet<String>) {
    match value {
        Value::Mapping(entries) => {
            for (name, value) in entries {
                if name == "code" {
                    let one = value.get("const").into_iter();
                    let many = value.get("enum").and_then(Value::as_sequence).into_iter().flatten();
                    codes.extend(one.chain(many).filter_map(Value::as_str).map(str::to_owned));
                }
                gather(value, codes);
            }
        }
        Value::Sequence(values) => values.iter().for_each(|value| gather(value, codes)),
        Value::Tagged(tagged) => gather(&tagged.value, codes),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
