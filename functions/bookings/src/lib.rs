//! `GET /bookings/{bookingId}`: see [`holdfast::ops::booking`].

use std::sync::Arc;

use holdfast::App;
use holdfast::http::answer::Reply;
use holdfast::http::input::fields::Faults;
use holdfast::http::{Answer, Call, view};
use holdfast::lambda::Function;
use holdfast::ops::booking::booking;

/// The function, for its own process and for the local system.
#[must_use]
pub fn function(app: Arc<App>) -> Function {
    Function::new("bookings", app, handle)
}

/// Answers a request.
///
/// # Errors
/// A problem of the contract.
pub async fn handle(call: Call) -> Reply {
    if call.method().as_str() != "GET" {
        return Err(call.no_route());
    }
    let mut faults = Faults::default();
    let id = call.booking_id(&mut faults);
    let id = faults.finish(id)?;

    let booking = booking(&call.stores, id).await??;
    Answer::ok(&view::booking(&booking))
}
