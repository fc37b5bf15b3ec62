//! `make reconcile`: asks a running system to reconcile, and prints its report as a table.

mod arguments;
mod invoke;
mod table;

use std::process::ExitCode;

use arguments::Arguments;
use serde::Deserialize;
use serde_json::Value;

use crate::system::StartError;

/// A report, as the function answers it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    dry_run: bool,
    complete: bool,
    duration_ms: u64,
    errors: Vec<ReportError>,
    /// One entry a show: see [`table`] for what is taken from it.
    shows: Vec<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReportError {
    show_id: Option<String>,
    code: String,
    detail: String,
}

/// Runs the command. It succeeds if every show was checked to its end and nothing went wrong.
///
/// # Errors
///
/// A line for a person to read: the arguments are none, or no system answers.
pub async fn run(arguments: impl Iterator<Item = String>) -> Result<ExitCode, StartError> {
    let arguments = Arguments::parse(arguments)?;
    let report = invoke::invoke(&arguments.url, &arguments.event()).await?;
    println!("{}", table::table(&report));
    let clean = report.complete && report.errors.is_empty();
    Ok(if clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
