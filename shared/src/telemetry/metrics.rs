//! CloudWatch's embedded metric format: numbers of a log line that become metrics, without a call to anybody.

use serde_json::{Map, Value, json};

/// The namespace of all metrics.
pub const NAMESPACE: &str = "Holdfast";

/// A metric of ours. `docs/OPERATIONS.md` has a line for each, which a test compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// From the event to the answer.
    Duration,
    /// What a request waited for Redis, in all.
    RedisDuration,
    /// What a request waited for DynamoDB, in all.
    DynamoDbDuration,
    /// Answers, by their outcome: a problem code, or `ok`.
    Answers,
    /// Confirms of holds that had lapsed, and were taken again.
    RescuedConfirms,
    /// How far a reconcile found the stores apart.
    Drift,
    /// What a reconcile put right.
    Repairs,
    /// What a reconcile could not do. It has a report all the same, so that this is none of Lambda's errors.
    ReconcileErrors,
    /// Refunds that are due.
    RefundsDue,
    /// Holds that live.
    HoldsAlive,
    /// The fullest primary of the cache.
    CacheMemoryPercent,
    /// Keys that the cache evicted since it started.
    CacheEvictedKeys,
}

impl Metric {
    /// All of them.
    pub const ALL: [Metric; 12] = [
        Metric::Duration,
        Metric::RedisDuration,
        Metric::DynamoDbDuration,
        Metric::Answers,
        Metric::RescuedConfirms,
        Metric::Drift,
        Metric::Repairs,
        Metric::ReconcileErrors,
        Metric::RefundsDue,
        Metric::HoldsAlive,
        Metric::CacheMemoryPercent,
        Metric::CacheEvictedKeys,
    ];

    /// Its name in CloudWatch.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Metric::Duration => "Duration",
            Metric::RedisDuration => "RedisDuration",
            Metric::DynamoDbDuration => "DynamoDbDuration",
            Metric::Answers => "Answers",
            Metric::RescuedConfirms => "RescuedConfirms",
            Metric::Drift => "Drift",
            Metric::Repairs => "Repairs",
            Metric::ReconcileErrors => "ReconcileErrors",
            Metric::RefundsDue => "RefundsDue",
            Metric::HoldsAlive => "HoldsAlive",
            Metric::CacheMemoryPercent => "CacheMemoryPercent",
            Metric::CacheEvictedKeys => "CacheEvictedKeys",
        }
    }

    /// Its unit, as CloudWatch spells it.
    #[must_use]
    pub fn unit(self) -> &'static str {
        match self {
            Metric::Duration | Metric::RedisDuration | Metric::DynamoDbDuration => "Milliseconds",
            Metric::Answers
            | Metric::RescuedConfirms
            | Metric::Drift
            | Metric::Repairs
            | Metric::ReconcileErrors
            | Metric::RefundsDue
            | Metric::HoldsAlive
            | Metric::CacheEvictedKeys => "Count",
            Metric::CacheMemoryPercent => "Percent",
        }
    }
}

/// Metrics of one line that have the same dimensions.
pub struct Metrics<'a> {
    /// Name and value.
    pub dimensions: &'a [(&'a str, &'a str)],
    /// What was measured.
    pub values: &'a [(Metric, f64)],
}

/// Adds metrics to a line.
pub fn embed(line: &mut Map<String, Value>, groups: &[Metrics<'_>]) {
    let directives = groups.iter().map(|Metrics { dimensions, values }| {
        let names: Vec<&str> = dimensions.iter().map(|(name, _)| *name).collect();
        let metrics = values.iter().map(|(metric, _)| json!({"Name": metric.name(), "Unit": metric.unit()}));
        json!({"Namespace": NAMESPACE, "Dimensions": [names], "Metrics": metrics.collect::<Vec<_>>()})
    });
    let directives: Vec<Value> = directives.collect();
    let now_ms = jiff::Timestamp::now().as_millisecond();
    line.insert("_aws".to_owned(), json!({"Timestamp": now_ms, "CloudWatchMetrics": directives}));
    for Metrics { dimensions, values } in groups {
        line.extend(dimensions.iter().map(|(name, value)| ((*name).to_owned(), Value::from(*value))));
        line.extend(values.iter().map(|(metric, value)| (metric.name().to_owned(), Value::from(*value))));
    }
}
