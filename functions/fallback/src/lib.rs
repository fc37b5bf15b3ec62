//! Everything that no route has: 404, or 405 with what the path allows.

use std::sync::Arc;

use holdfast::App;
use holdfast::http::Call;
use holdfast::http::answer::Reply;
use holdfast::lambda::Function;

/// The function, for its own process and for the local system.
#[must_use]
pub fn function(app: Arc<App>) -> Function {
    Function::new("fallback", app, handle)
}

/// Answers a request.
///
/// # Errors
/// Always: 404 or 405.
pub async fn handle(call: Call) -> Reply {
    Err(call.no_route())
}
