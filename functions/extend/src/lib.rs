//! `PATCH .../holds/{holdToken}`: see [`holdfast::ops::extend`].

use std::sync::Arc;

use holdfast::App;
use holdfast::domain::HoldState;
use holdfast::http::answer::Reply;
use holdfast::http::call::BUYERS_BODY;
use holdfast::http::input::fields::Faults;
use holdfast::http::input::hold::ExtendBody;
use holdfast::http::{Answer, Call, view};
use holdfast::lambda::Function;
use holdfast::ops::extend::extend;

/// The function, for its own process and for the local system.
#[must_use]
pub fn function(app: Arc<App>) -> Function {
    Function::new("extend", app, handle).with_tokens()
}

/// Answers a request.
///
/// # Errors
/// A problem of the contract.
pub async fn handle(call: Call) -> Reply {
    if call.method().as_str() != "PATCH" {
        return Err(call.no_route());
    }
    let mut faults = Faults::default();
    let json = call.json(BUYERS_BODY, &mut faults)?;
    let (show, token) = (call.show_id(&mut faults), call.hold_token(&mut faults));
    let body = ExtendBody::read(json.as_ref(), &mut faults);
    let ((show, token), body) = faults.finish(show.zip(token).zip(body))?;
    let token = call.issued(&show, token)?;

    let (places, lease) = extend(&call.stores, &show, token, body.ttl_ms).await??;
    Answer::ok(&view::hold(&show, token, &places, HoldState::Active, &lease, None, None))
}
