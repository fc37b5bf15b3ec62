//! CloudWatch's embedded metric format: numbers of a log line that become metrics, without a call to anybody.

use serde_json::{Map, Value, json};

/// The namespace of all metrics.
pub const NAMESPACE: &str = "Holdfast";

/// The unit of a metric, as CloudWatch spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Milliseconds
    Milliseconds,
    /// Count
    Count,
    /// Percent
    Percent,
}

impl Unit {
    fn name(self) -> &'static str {
        match self {
            Unit::Milliseconds => "Milliseconds",
            Unit::Count => "Count",
            Unit::Percent => "Percent",
        }
    }
}

/// Metrics of one line that have the same dimensions.
pub struct Metrics<'a> {
    /// Name and value.
    pub dimensions: &'a [(&'a str, &'a str)],
    /// Name, unit and value.
    pub values: &'a [(&'a str, Unit, f64)],
}

/// Adds metrics to a line.
pub fn embed(line: &mut Map<String, Value>, groups: &[Metrics<'_>]) {
    let directives = groups.iter().map(|Metrics { dimensions, values }| {
        let names: Vec<&str> = dimensions.iter().map(|(name, _)| *name).collect();
        let metrics = values.iter().map(|(name, unit, _)| json!({"Name": name, "Unit": unit.name()}));
        json!({"Namespace": NAMESPACE, "Dimensions": [names], "Metrics": metrics.collect::<Vec<_>>()})
    });
    let directives: Vec<Value> = directives.collect();
    let now_ms = jiff::Timestamp::now().as_millisecond();
    line.insert("_aws".to_owned(), json!({"Timestamp": now_ms, "CloudWatchMetrics": directives}));
    for Metrics { dimensions, values } in groups {
        line.extend(dimensions.iter().map(|(name, value)| ((*name).to_owned(), Value::from(*value))));
        line.extend(values.iter().map(|(name, _, value)| ((*name).to_owned(), Value::from(*value))));
    }
}
