//! `DELETE .../holds/{holdToken}`: see [`holdfast::ops::release`].

use std::sync::Arc;

use holdfast::App;
use holdfast::http::answer::Reply;
use holdfast::http::input::fields::Faults;
use holdfast::http::{Answer, Call};
use holdfast::lambda::Function;
use holdfast::ops::release::release;

/// The function, for its own process and for the local system.
#[must_use]
pub fn function(app: Arc<App>) -> Function {
    Function::new("release", app, handle).with_tokens()
}

/// Answers a request.
///
/// # Errors
/// A problem of the contract.
pub async fn handle(call: Call) -> Reply {
    if call.method().as_str() != "DELETE" {
        return Err(call.no_route());
    }
    let mut faults = Faults::default();
    let (show, token) = (call.show_id(&mut faults), call.hold_token(&mut faults));
    let (show, token) = faults.finish(show.zip(token))?;
    let token = call.issued(&show, token)?;

    release(&call.stores, &show, token).await??;
    Ok(Answer::no_content())
}
