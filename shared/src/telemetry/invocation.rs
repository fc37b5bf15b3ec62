//! Which invocation a line is about.

use serde_json::Value;

use super::fields;

/// What every line of one invocation has.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// The function.
    pub function: &'static str,
    /// What it is called where it is deployed: the dimension of its metrics, as of AWS' own.
    pub deployed_as: String,
    /// The request's id, or the invocation's where there is no request.
    pub request_id: String,
    /// The id of its trace, `1-6929a6b0-3f1d5c2a7b8e9d0416253a4f`, if it has one. It comes with the invocation: the process has
    /// several at once, so its environment cannot say.
    pub trace_id: Option<String>,
}

impl Invocation {
    /// `trace` is the header of the invocation: `Root=1-6929a6b0-3f1d5c2a7b8e9d0416253a4f;Parent=53995c3f42cd8ad8;Sampled=1`.
    #[must_use]
    pub fn new(function: &'static str, deployed_as: &str, request_id: &str, trace: Option<&str>) -> Self {
        let mut parts = trace.into_iter().flat_map(|trace| trace.split(';'));
        let trace_id = parts.find_map(|part| part.trim().strip_prefix("Root=")).map(str::to_owned);
        // Where nobody has deployed it.
        let deployed_as = if deployed_as.is_empty() { function } else { deployed_as }.to_owned();
        Self { function, deployed_as, request_id: request_id.to_owned(), trace_id }
    }

    pub(super) fn fields(&self) -> impl Iterator<Item = (String, Value)> {
        let ids = fields([("function.name", self.function.into()), ("request.id", self.request_id.as_str().into())]);
        ids.chain(self.trace_id.iter().map(|id| ("trace.id".to_owned(), id.as_str().into())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_is_known_by_its_root() {
        let of = |trace| Invocation::new("hold", "", "r", trace).trace_id;
        assert_eq!(of(None), None);
        assert_eq!(of(Some("Self=1-a;Root=1-b-c;Parent=d;Sampled=0")).as_deref(), Some("1-b-c"));
        assert_eq!(of(Some("Parent=d")), None);
    }
}
