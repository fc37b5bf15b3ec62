//! The answer of a script: an array of fixed length, integers and texts, of which the first is a code.

use ::redis::Value;
use serde_json::{Map, Value as Json};

use super::codes::Code;
use super::scripts::Script;
use crate::Failure;

/// What a script answered. Reading a field that is not there, or of the other type, is an internal error.
#[derive(Debug)]
pub struct Reply {
    script: &'static str,
    fields: Vec<Value>,
}

impl Reply {
    pub(super) fn of(script: &Script, value: Value) -> Result<Reply, Failure> {
        match value {
            Value::Array(fields) => Ok(Reply { script: script.name, fields }),
            _ => Err(Failure::internal(format!("script {} answered no array", script.name))),
        }
    }

    /// The code. `stock_decrement` answers what is left (`>= 0`) in its place: that is [`Code::Ok`] here.
    pub fn code(&self) -> Result<Code, Failure> {
        let value = self.integer(0)?;
        let left = self.counts() && value >= 0;
        let code = if left { Some(Code::Ok) } else { Code::of(value) };
        code.ok_or_else(|| self.unexpected(&format!("code {value}")))
    }

    /// What the log is told of it: the code, what is left where that stands in its place, and the numbers. Never a text.
    pub(super) fn told(&self, script: &Script) -> Map<String, Json> {
        let named = script.reply.iter().zip(&self.fields).skip(1);
        let numbers = named.filter_map(|(name, field)| match field {
            Value::Int(number) => Some(((*name).to_owned(), (*number).into())),
            _ => None,
        });
        let code = self.code().map_or("UNKNOWN", Code::name);
        let left = self.integer(0).ok().filter(|_| self.counts()).filter(|left| *left >= 0);
        let left = left.map(|left| ("left".to_owned(), left.into()));
        [("code".to_owned(), code.into())].into_iter().chain(left).chain(numbers).collect()
    }

    /// Whether it answers what is left in place of [`Code::Ok`].
    fn counts(&self) -> bool {
        self.script == "stock_decrement"
    }

    /// The failure for a code that this script never gives.
    pub fn unexpected(&self, what: &str) -> Failure {
        Failure::internal(format!("script {} answered {what}", self.script))
    }

    /// The integer at `index`.
    pub fn integer(&self, index: usize) -> Result<i64, Failure> {
        match self.fields.get(index) {
            Some(Value::Int(value)) => Ok(*value),
            _ => Err(self.unexpected(&format!("no integer at {index}"))),
        }
    }

    /// The integer at `index`, which is never negative.
    pub fn count(&self, index: usize) -> Result<u64, Failure> {
        let value = self.integer(index)?;
        u64::try_from(value).map_err(|_| self.unexpected(&format!("{value} at {index}")))
    }

    /// The text at `index`.
    pub fn text(&self, index: usize) -> Result<&str, Failure> {
        let text = match self.fields.get(index) {
            Some(Value::BulkString(bytes)) => std::str::from_utf8(bytes).ok(),
            Some(Value::SimpleString(text)) => Some(text.as_str()),
            _ => None,
        };
        text.ok_or_else(|| self.unexpected(&format!("no text at {index}")))
    }

    /// The integers in the text at `index`, which has spaces between them.
    pub fn numbers(&self, index: usize) -> Result<Vec<i64>, Failure> {
        let text = self.text(index)?;
        let numbers: Result<Vec<i64>, _> = text.split_ascii_whitespace().map(str::parse).collect();
        numbers.map_err(|_| self.unexpected("no numbers"))
    }

    /// The integers in the text at `index`, which are exactly `N`.
    pub fn exactly<const N: usize>(&self, index: usize) -> Result<[i64; N], Failure> {
        self.numbers(index)?.try_into().map_err(|_| self.unexpected("too few numbers"))
    }
}
