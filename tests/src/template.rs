//! template.yaml, as far as the tests ask about it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use serde_yaml_ng::Value;
use serde_yaml_ng::value::TaggedValue;

/// A function of the template.
#[derive(Debug)]
pub struct Function {
    /// `Metadata`, for the build.
    pub metadata: Value,
    /// `Properties`.
    pub properties: Value,
}

/// The whole template, read once. Tags like `!Ref` are gone, but for what `variables` says.
fn whole() -> &'static Value {
    static WHOLE: LazyLock<Value> = LazyLock::new(read);
    &WHOLE
}

fn read() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../template.yaml");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_yaml_ng::from_str(&text).expect("template.yaml is YAML")
}

/// The logical id of a function: `stock-decrement` is `StockDecrementFunction`.
pub fn logical_id(function: &str) -> String {
    let words = function.split('-').map(|word| word[..1].to_uppercase() + &word[1..]);
    words.collect::<String>() + "Function"
}

/// Every function, by its logical id.
///
/// # Panics
/// When the template cannot be read, here as in all of these.
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

impl Function {
    /// The binary that it is built from.
    ///
    /// # Panics
    /// When the template does not say.
    pub fn binary(&self) -> &str {
        self.metadata["BuildProperties"]["Binary"].as_str().expect("a function has a binary")
    }

    /// What its role may do to the table: `GetItem`.
    ///
    /// # Panics
    /// When a policy is not written as it is in the others.
    pub fn actions_on_the_table(&self) -> BTreeSet<String> {
        let policies = self.properties["Policies"].as_sequence().cloned().unwrap_or_default();
        // The others are references to policies beside it, which are about no table.
        policies.iter().filter(|policy| policy.is_mapping()).flat_map(actions_on_the_table).collect()
    }

    /// What it finds in its environment: what all functions share, and its own.
    pub fn environment(&self) -> Environment {
        variables(&whole()["Globals"]["Function"]).into_iter().chain(variables(&self.properties)).collect()
    }

    /// Its memory in MB, if it is not that of all.
    pub fn memory_mb(&self) -> Option<u64> {
        self.properties["MemorySize"].as_u64()
    }
}

/// What leads from the functions' subnets to the table lets through.
///
/// # Panics
/// When its policy is not written as the others are.
pub fn actions_of_the_endpoint() -> BTreeSet<String> {
    actions_on_the_table(&whole()["Resources"]["DynamoDbEndpoint"]["Properties"]["PolicyDocument"])
}

fn actions_on_the_table(policy: &Value) -> BTreeSet<String> {
    let mut actions = BTreeSet::new();
    for statement in policy["Statement"].as_sequence().expect("a list of statements") {
        assert_eq!(statement["Effect"], "Allow", "{statement:?}");
        for action in statement["Action"].as_sequence().expect("a list of actions") {
            let action = action.as_str().expect("an action is a text");
            actions.extend(action.strip_prefix("dynamodb:").map(str::to_owned));
        }
    }
    actions
}

/// The logical ids of all alarms.
///
/// # Panics
/// When the template has no resources.
pub fn alarms() -> BTreeSet<String> {
    let resources = whole()["Resources"].as_mapping().expect("Resources").clone();
    let alarms = resources.into_iter().filter(|(_, resource)| resource["Type"] == "AWS::CloudWatch::Alarm");
    alarms.map(|(name, _)| name.as_str().unwrap().to_owned()).collect()
}

/// The metrics of a namespace that alarms or the dashboard name.
pub fn metrics_watched(namespace: &str) -> BTreeSet<String> {
    fn gather(value: &Value, namespace: &str, found: &mut BTreeSet<String>) {
        match value {
            Value::Mapping(entries) => {
                if value.get("Namespace").is_some_and(|own| own == namespace) {
                    found.extend(value.get("MetricName").and_then(Value::as_str).map(str::to_owned));
                }
                entries.values().for_each(|value| gather(value, namespace, found));
            }
            Value::Sequence(values) => values.iter().for_each(|value| gather(value, namespace, found)),
            Value::Tagged(tagged) => gather(&tagged.value, namespace, found),
            Value::String(text) => {
                let before = format!("[\"{namespace}\", \"");
                found.extend(text.split(&before).skip(1).filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    let mut found = BTreeSet::new();
    gather(whole(), namespace, &mut found);
    found
}

/// Variables to values: `None` for a value that is known only when the stack is.
pub type Environment = BTreeMap<String, Option<String>>;

/// Every variable that the template gives to any function.
pub fn environment() -> Environment {
    functions().values().flat_map(Function::environment).collect()
}

/// The variables under `Properties` of a function, or under what all functions share. A reference to a parameter has the
/// parameter's default.
fn variables(properties: &Value) -> Environment {
    let defaults = &whole()["Parameters"];
    let plain = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Tagged(tagged) if tagged.tag == "Ref" => {
            tagged.value.as_str().and_then(|name| defaults[name]["Default"].as_str()).map(str::to_owned)
        }
        Value::Tagged(tagged) if is_reference(tagged) => None,
        other => panic!("{other:?} is no text, which SAM would make of it"),
    };
    let variables = properties["Environment"]["Variables"].as_mapping().into_iter().flatten();
    variables.map(|(name, value)| (name.as_str().unwrap().to_owned(), plain(value))).collect()
}

fn is_reference(tagged: &TaggedValue) -> bool {
    ["GetAtt", "Sub", "If"].iter().any(|tag| tagged.tag == *tag)
}
