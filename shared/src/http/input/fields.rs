//! Reading the fields of a JSON object: each is asked for by name, what nobody asked for is unknown, and every fault is
//! kept with its dotted path (`seats[1]`, `payment.amount`).

use serde::Serialize;

use crate::http::json::Json;
use crate::http::problem::Problem;

/// One thing that is wrong with a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// Where: dotted, with indices; headers by their name.
    pub field: String,
    /// What, in words that go on from the field.
    pub problem: String,
}

/// Everything that is wrong with a request.
#[derive(Debug, Default)]
pub struct Faults(Vec<Fault>);

/// Faults that one answer names at most.
const MAX_FAULTS: usize = 50;

impl Faults {
    /// Adds one.
    pub fn add(&mut self, field: impl Into<String>, problem: impl Into<String>) {
        if self.0.len() < MAX_FAULTS {
            // A field's name may come from the caller, who need not get 64 KB of it back.
            let field: String = field.into().chars().take(200).collect();
            self.0.push(Fault { field, problem: problem.into() });
        }
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What was read, if nothing is wrong.
    ///
    /// # Errors
    /// The 400 with every fault.
    pub fn finish<T>(self, value: Option<T>) -> Result<T, Problem> {
        match value {
            Some(value) if self.is_empty() => Ok(value),
            _ => Err(Problem::invalid(self.0)),
        }
    }
}

/// The fields of one object.
pub struct Fields<'a, 'f> {
    path: String,
    entries: &'a [(String, Json)],
    asked: Vec<&'static str>,
    faults: &'f mut Faults,
}

impl<'a, 'f> Fields<'a, 'f> {
    /// The fields of an object at `path` (empty: the body).
    pub fn new(path: &str, entries: &'a [(String, Json)], faults: &'f mut Faults) -> Self {
        Self { path: path.to_owned(), entries, asked: Vec::new(), faults }
    }

    /// The path of a field.
    #[must_use]
    pub fn at(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    /// Adds a fault of a field.
    pub fn fault(&mut self, name: &str, problem: impl Into<String>) {
        let at = self.at(name);
        self.faults.add(at, problem);
    }

    /// Whether a field was sent.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.entries.iter().any(|(key, _)| key == name)
    }

    /// A field that may be absent, read with `parse`, which adds its own faults.
    pub fn optional<T>(
        &mut self,
        name: &'static str,
        parse: impl FnOnce(&Json, &str, &mut Faults) -> Option<T>,
    ) -> Option<T> {
        self.asked.push(name);
        let (_, json) = self.entries.iter().find(|(key, _)| key == name)?;
        parse(json, &self.at(name), self.faults)
    }

    /// A field that must be there.
    pub fn required<T>(
        &mut self,
        name: &'static str,
        parse: impl FnOnce(&Json, &str, &mut Faults) -> Option<T>,
    ) -> Option<T> {
        if !self.has(name) {
            self.fault(name, "is required");
        }
        self.optional(name, parse)
    }

    /// Ends the reading: what nobody asked for, and what came twice, is a fault.
    pub fn finish(self) {
        for (index, (name, _)) in self.entries.iter().enumerate() {
            let at = self.at(name);
            if !self.asked.contains(&name.as_str()) {
                self.faults.add(at, "is not a field of this request");
            } else if self.entries.iter().take(index).any(|(earlier, _)| earlier == name) {
                self.faults.add(at, "is there twice");
            }
        }
    }
}

/// A JSON integer from `min` to `max`.
pub fn integer(min: u64, max: u64) -> impl Fn(&Json, &str, &mut Faults) -> Option<u64> {
    move |json, path, faults| {
        let value = match json {
            Json::Integer(value) => u64::try_from(*value).ok().filter(|value| (min..=max).contains(value)),
            _ => None,
        };
        if value.is_none() {
            faults.add(path, format!("must be an integer from {min} to {max}"));
        }
        value
    }
}

/// `true` or `false`.
pub fn boolean(json: &Json, path: &str, faults: &mut Faults) -> Option<bool> {
    match json {
        Json::Bool(value) => Some(*value),
        _ => {
            faults.add(path, "must be true or false");
            None
        }
    }
}

/// A text that `parse` takes.
pub fn text<T, E: Into<String>>(
    parse: impl Fn(&str) -> Result<T, E>,
) -> impl Fn(&Json, &str, &mut Faults) -> Option<T> {
    move |json, path, faults| {
        let Json::Text(text) = json else {
            faults.add(path, "must be a text");
            return None;
        };
        match parse(text) {
            Ok(value) => Some(value),
            Err(problem) => {
                faults.add(path, problem);
                None
            }
        }
    }
}

/// An object, read with `read`.
pub fn object<T>(
    read: impl FnOnce(&mut Fields<'_, '_>) -> Option<T>,
) -> impl FnOnce(&Json, &str, &mut Faults) -> Option<T> {
    move |json, path, faults| {
        let Json::Object(entries) = json else {
            faults.add(path, "must be an object");
            return None;
        };
        let mut fields = Fields::new(path, entries, faults);
        let value = read(&mut fields);
        fields.finish();
        value
    }
}

/// A list of objects, each read with `read`.
pub fn objects<T>(
    min: usize,
    max: usize,
    read: impl Fn(&mut Fields<'_, '_>) -> Option<T>,
) -> impl FnOnce(&Json, &str, &mut Faults) -> Option<Vec<T>> {
    move |json, path, faults| {
        let Json::List(entries) = json else {
            faults.add(path, "must be a list");
            return None;
        };
        if !(min..=max).contains(&entries.len()) {
            faults.add(path, format!("must have {min} to {max} entries"));
            return None;
        }
        let one = |(index, entry): (usize, &Json)| object(&read)(entry, &format!("{path}[{index}]"), faults);
        let read: Vec<Option<T>> = entries.iter().enumerate().map(one).collect();
        read.into_iter().collect()
    }
}
