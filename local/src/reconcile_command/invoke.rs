//! Calling the function of a running system, by Lambda's own interface.

use http::header::{CONTENT_TYPE, HOST};
use http::{Request, Uri};
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use serde_json::Value;
use tokio::net::TcpStream;

use super::Report;
use crate::system::StartError;

const PATH: &str = "/2015-03-31/functions/ReconcileFunction/invocations";

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum InvokeError {
    /// The address is none.
    #[error("{0:?} is no address like http://127.0.0.1:3000")]
    Address(String),
    /// Nobody is there.
    #[error("nothing answers at {0}: start the system with `make run` first")]
    NotRunning(String),
    /// Somebody else is there, or it ended meanwhile.
    #[error("what answers at {0} is no system of `make run`")]
    Foreign(String),
    /// The function failed.
    #[error("the function failed: {0}")]
    Failed(String),
}

/// What Lambda answers for a function.
#[derive(Deserialize)]
#[serde(untagged)]
enum Answer {
    Report(Report),
    #[serde(rename_all = "camelCase")]
    Failure {
        error_message: String,
    },
}

/// Sends an event, and waits for the report.
///
/// # Errors
///
/// Why there is none.
pub async fn invoke(url: &str, event: &Value) -> Result<Report, InvokeError> {
    let address: Uri = url.parse().map_err(|_| InvokeError::Address(url.to_owned()))?;
    let host = address.authority().filter(|_| address.scheme_str() == Some("http"));
    let host = host.ok_or_else(|| InvokeError::Address(url.to_owned()))?;
    let stream = TcpStream::connect((host.host(), host.port_u16().unwrap_or(80)))
        .await
        .map_err(|_| InvokeError::NotRunning(url.to_owned()))?;
    let answer = post(stream, host.as_str(), event).await.map_err(|_| InvokeError::Foreign(url.to_owned()))?;
    match serde_json::from_slice(&answer) {
        Ok(Answer::Report(report)) => Ok(report),
        Ok(Answer::Failure { error_message }) => Err(InvokeError::Failed(error_message)),
        Err(_) => Err(InvokeError::Foreign(url.to_owned())),
    }
}

async fn post(stream: TcpStream, host: &str, event: &Value) -> Result<Bytes, StartError> {
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    let connection = tokio::spawn(connection);
    let request = Request::post(PATH).header(HOST, host).header(CONTENT_TYPE, "application/json");
    let answer = sender.send_request(request.body(Full::new(Bytes::from(event.to_string())))?).await?;
    let body = answer.into_body().collect().await?.to_bytes();
    connection.abort();
    Ok(body)
}
