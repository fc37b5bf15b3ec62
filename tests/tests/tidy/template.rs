//! template.yaml, as far as the tests ask about it.

use std::collections::BTreeMap;

use serde_yaml_ng::Value;
use serde_yaml_ng::value::TaggedValue;

use crate::tree::read;

/// A function of the template.
#[derive(Debug)]
pub struct Function {
    /// `Metadata`, for the build.
    pub metadata: Value,
    /// `Properties`.
    pub properties: Value,
}

/// The whole template. Tags like `!Ref` are gone, but for what [`environment`] says.
fn whole() -> Value {
    serde_yaml_ng::from_str(&read("template.yaml")).expect("template.yaml is YAML")
}

/// Every function, by its logical id.
pub fn functions() -> BTreeMap<String, Function> {
    let template = whole();
    let resources = template["Resources"].as_mapping().expect("Resources").clone();
    let functions = resources.into_iter().filter(|(_, resource)| resource["Type"] == "AWS::Serverless::Function");
    let named = functions.map(|(name, resource)| {
        let function = Function { metadata: resource["Metadata"].clone(), properties: resource["Properties"].clone() };
        (name.as_str().unwrap().to_owned(), function)
    });
    named.collect()
}

/// The environment that all functions share: `None` for a value that is known only when the stack is.
pub fn environment() -> BTreeMap<String, Option<String>> {
    let template = whole();
    let variables = template["Globals"]["Function"]["Environment"]["Variables"].as_mapping().unwrap().clone();
    let plain = |value: Value| match value {
        Value::String(text) => Some(text),
        Value::Tagged(tagged) if is_reference(&tagged) => None,
        other => panic!("{other:?} is no text, which SAM would make of it"),
    };
    variables.into_iter().map(|(name, value)| (name.as_str().unwrap().to_owned(), plain(value))).collect()
}

fn is_reference(tagged: &TaggedValue) -> bool {
    ["Ref", "GetAtt", "Sub", "If"].iter().any(|tag| tagged.tag == *tag)
}
