//! A success, on its way to the caller.

use lambda_http::http::StatusCode;
use serde::Serialize;

use super::Problem;
use crate::telemetry::Metric;

/// What a handler answers when it did what was asked.
#[derive(Debug)]
pub struct Answer {
    /// 200, 201 or 204.
    pub status: StatusCode,
    /// JSON, or nothing.
    pub body: Option<String>,
    /// A metric that this answer counts for, besides what is counted of all.
    pub counted: Option<Metric>,
}

/// What a handler answers.
pub type Reply = Result<Answer, Problem>;

impl Answer {
    /// A body with a status.
    ///
    /// # Errors
    /// A 500 when the body cannot be written as JSON, which none of ours does.
    pub fn json(status: StatusCode, body: &impl Serialize) -> Reply {
        match serde_json::to_string(body) {
            Ok(body) => Ok(Answer { status, body: Some(body), counted: None }),
            Err(error) => Err(Problem::internal(error.to_string())),
        }
    }

    /// 200.
    ///
    /// # Errors
    /// See [`Answer::json`].
    pub fn ok(body: &impl Serialize) -> Reply {
        Answer::json(StatusCode::OK, body)
    }

    /// 201.
    ///
    /// # Errors
    /// See [`Answer::json`].
    pub fn created(body: &impl Serialize) -> Reply {
        Answer::json(StatusCode::CREATED, body)
    }

    /// 204, without a body.
    #[must_use]
    pub fn no_content() -> Answer {
        Answer { status: StatusCode::NO_CONTENT, body: None, counted: None }
    }
}
