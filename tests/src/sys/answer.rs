//! What a route answered.

use axum::response::Response;
use http_body_util::BodyExt;
use hyper::HeaderMap;
use serde_json::Value;

/// An answer, read to its end.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body; `Null` if there is none.
    pub body: Value,
}

impl Answer {
    pub(crate) async fn read(response: Response) -> Answer {
        let (head, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        let body = if bytes.is_empty() {
            Value::Null
        } else {
            serde_json::from_slice(&bytes).unwrap_or_else(|_| panic!("no JSON: {}", String::from_utf8_lossy(&bytes)))
        };
        Answer { status: head.status.as_u16(), headers: head.headers, body }
    }

    /// The body of an answer that has to have this status.
    ///
    /// # Panics
    /// When it has another.
    #[track_caller]
    pub fn expect(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.body);
        self.body
    }

    /// The body of a problem that has to have this status and code.
    ///
    /// # Panics
    /// When it has others.
    #[track_caller]
    pub fn expect_problem(self, status: u16, code: &str) -> Value {
        assert_eq!((self.status, self.code()), (status, code), "{}", self.body);
        self.body
    }

    /// The code of a problem; empty for a success.
    pub fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or_default()
    }

    /// A text of the body: `answer.text("holdToken")`.
    ///
    /// # Panics
    /// When it has none of that name.
    #[track_caller]
    pub fn text(&self, name: &str) -> &str {
        self.body[name].as_str().unwrap_or_else(|| panic!("no {name} in {}", self.body))
    }

    /// A header; empty if it is not there.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}
