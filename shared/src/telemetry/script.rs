//! What is told of each script that an invocation runs, at the level `debug`.

use std::time::Duration;

use serde_json::{Map, Value};

use super::{Invocation, fields, write};
use crate::Failure;

/// What is told of one call of a script, its repeats among it.
pub struct ScriptLine<'a> {
    /// Who called it.
    pub invocation: &'a Invocation,
    /// The script.
    pub script: &'a str,
    /// The show whose keys it had.
    pub show: Option<&'a str>,
    /// How many keys it had.
    pub keys: usize,
    /// How many places it was asked about, if it was asked about places.
    pub places: Option<usize>,
    /// What it answered: its code, and the numbers. Hold tokens, booking ids, payments and buyers are texts, so no text of
    /// an answer is told.
    pub answer: Result<Map<String, Value>, &'a Failure>,
    /// From the call to the answer.
    pub took: Duration,
}

impl ScriptLine<'_> {
    /// Writes the line.
    pub fn write(self) {
        write(self.line());
    }

    fn line(self) -> Map<String, Value> {
        let (answer, cause) = match self.answer {
            Ok(answer) => (answer, None),
            Err(failure) => (Map::new(), Some(failure.chain())),
        };
        let code = answer.get("code").and_then(Value::as_str).unwrap_or("nothing");
        let mut line: Map<String, Value> = fields([
            ("level", "debug".into()),
            ("message", format!("script {} answered {code}", self.script).into()),
            ("show.id", self.show.into()),
            ("script.name", self.script.into()),
            ("script.keys", self.keys.into()),
            ("script.places", self.places.into()),
            ("script.duration_ms", (self.took.as_secs_f64() * 1000.0).into()),
            ("script.answer", answer.into()),
            ("error.cause", cause.into()),
        ])
        .collect();
        line.extend(self.invocation.fields());
        line
    }
}
