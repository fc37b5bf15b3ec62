//! The schedule, or somebody by hand: see [`holdfast::ops::reconcile`].

mod event;

use std::sync::Arc;

use holdfast::domain::Report;
use holdfast::http::Problem;
use holdfast::lambda::Function;
use holdfast::ops::reconcile::reconcile;
use holdfast::{App, Stores};
use serde_json::value::RawValue;

/// The function, for its own process and for the local system.
#[must_use]
pub fn function(app: Arc<App>) -> Function {
    Function::of_events("reconcile", app, handle).with_record()
}

/// Reconciles as an event wishes.
///
/// # Errors
/// A problem of the contract: the event is none of ours, and nothing was done.
pub async fn handle(event: Box<RawValue>, stores: Stores) -> Result<Report, Problem> {
    let wish = event::wish(event.get())?;
    Ok(reconcile(&stores, &wish).await)
}
