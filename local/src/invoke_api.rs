//! Lambda's own HTTP interface, `POST /2015-03-31/functions/{FunctionName}/invocations`: it reaches every function
//! with a raw event, so that `aws lambda invoke --endpoint-url ...` works here.

use axum::body::Body;
use axum::extract::{Path, State};
use axum::response::Response;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use lambda_runtime::Diagnostic;
use serde_json::json;
use serde_json::value::RawValue;
use uuid::Uuid;

use crate::body;
use crate::event::ACCOUNT;
use crate::lambda::Lambda;

/// Where the HTTP server finds [`invoke`].
pub const PATH: &str = "/2015-03-31/functions/{function_name}/invocations";

/// Lambda's own limit on an event.
const EVENT_LIMIT: usize = 6 * 1024 * 1024;

const INVOCATION_TYPE: &str = "x-amz-invocation-type";
const ERROR_TYPE: HeaderName = HeaderName::from_static("x-amzn-errortype");
const FUNCTION_ERROR: HeaderName = HeaderName::from_static("x-amz-function-error");
const EXECUTED_VERSION: HeaderName = HeaderName::from_static("x-amz-executed-version");
const REQUEST_ID: HeaderName = HeaderName::from_static("x-amzn-requestid");

/// Invokes a function, and answers as Lambda does.
pub async fn invoke(
    State(lambda): State<Lambda>,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let request_id = Uuid::new_v4().to_string();
    let mut response = match lambda.function(&name) {
        None => {
            let message = format!("Function not found: arn:aws:lambda:us-east-1:{ACCOUNT}:function:{name}");
            refusal(StatusCode::NOT_FOUND, "ResourceNotFoundException", &message)
        }
        Some(function) => match read_event(body).await {
            Err(refusal) => refusal,
            Ok(event) => {
                match headers.get(INVOCATION_TYPE).map_or(b"RequestResponse".as_slice(), HeaderValue::as_bytes) {
                    b"RequestResponse" => answer(function.invoke(&request_id, event).await),
                    b"Event" => {
                        let (function, request_id) = (function.clone(), request_id.clone());
                        // Nobody asks how it ends: that is what this kind of invocation is.
                        tokio::spawn(async move { function.invoke(&request_id, event).await.is_ok() });
                        with_status(StatusCode::ACCEPTED, Body::empty())
                    }
                    b"DryRun" => with_status(StatusCode::NO_CONTENT, Body::empty()),
                    _ => refusal(
                        StatusCode::BAD_REQUEST,
                        "InvalidParameterValueException",
                        "X-Amz-Invocation-Type is RequestResponse, Event or DryRun",
                    ),
                }
            }
        },
    };
    if let Ok(request_id) = HeaderValue::from_str(&request_id) {
        response.headers_mut().insert(REQUEST_ID, request_id);
    }
    response
}

/// The event, or the answer to what is none. No body at all stands for an empty event, as on AWS.
async fn read_event(body: Body) -> Result<Box<RawValue>, Response> {
    let body = body::read(body, EVENT_LIMIT).await.ok_or_else(|| {
        let message = format!("Request must be smaller than {EVENT_LIMIT} bytes for the InvokeFunction operation");
        refusal(StatusCode::PAYLOAD_TOO_LARGE, "RequestTooLargeException", &message)
    })?;
    let json = if body.is_empty() { b"{}" } else { body.as_slice() };
    serde_json::from_slice(json).map_err(|error| {
        let message = format!("Could not parse request body into json: {error}");
        refusal(StatusCode::BAD_REQUEST, "InvalidRequestContentException", &message)
    })
}

fn answer(result: Result<Box<RawValue>, Diagnostic>) -> Response {
    let mut response = match result {
        Ok(json) => with_status(StatusCode::OK, Body::from(String::from(Box::<str>::from(json)))),
        Err(error) => {
            let body = json!({ "errorType": error.error_type, "errorMessage": error.error_message });
            let mut response = with_status(StatusCode::OK, Body::from(body.to_string()));
            response.headers_mut().insert(FUNCTION_ERROR, HeaderValue::from_static("Unhandled"));
            response
        }
    };
    response.headers_mut().insert(EXECUTED_VERSION, HeaderValue::from_static("$LATEST"));
    response
}

fn refusal(status: StatusCode, error_type: &'static str, message: &str) -> Response {
    let body = json!({ "Type": "User", "Message": message, "message": message });
    let mut response = with_status(status, Body::from(body.to_string()));
    response.headers_mut().insert(ERROR_TYPE, HeaderValue::from_static(error_type));
    response
}

fn with_status(status: StatusCode, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
