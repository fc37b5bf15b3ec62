//! `GET /refunds` and `POST /refunds/{reference}/{bookingId}/settle`: see [`holdfast::ops::list_refunds`] and
//! [`holdfast::ops::settle_refund`].

use std::sync::Arc;

use holdfast::App;
use holdfast::domain::page::List;
use holdfast::http::answer::Reply;
use holdfast::http::call::BUYERS_BODY;
use holdfast::http::input::empty::EmptyBody;
use holdfast::http::input::fields::Faults;
use holdfast::http::{Answer, Call, page, view};
use holdfast::lambda::Function;
use holdfast::ops::list_refunds::list_refunds;
use holdfast::ops::settle_refund::settle_refund;

/// The function, for its own process and for the local system.
#[must_use]
pub fn function(app: Arc<App>) -> Function {
    Function::new("refunds", app, handle).with_record()
}

/// Answers a request.
///
/// # Errors
/// A problem of the contract.
pub async fn handle(call: Call) -> Reply {
    match call.method().as_str() {
        "GET" => get_list(call).await,
        "POST" => post_settle(call).await,
        _ => Err(call.no_route()),
    }
}

async fn get_list(call: Call) -> Reply {
    let list = List::Refunds;
    let mut faults = Faults::default();
    let wish = call.page(Some(&list), &mut faults);
    let wish = faults.finish(wish)?;
    call.operator()?;

    let refunds = list_refunds(&call.stores, &wish).await?;
    Answer::ok(&page::view(&list, &refunds, view::refund_record))
}

async fn post_settle(call: Call) -> Reply {
    let mut faults = Faults::default();
    let json = call.json_or_empty(BUYERS_BODY, &mut faults)?;
    let reference = call.reference(&mut faults);
    let booking = call.booking_id(&mut faults);
    let body = EmptyBody::read(json.as_ref(), &mut faults);
    let ((reference, booking), EmptyBody) = faults.finish(reference.zip(booking).zip(body))?;
    call.operator()?;

    let settled = settle_refund(&call.stores, &reference, booking).await??;
    Answer::ok(&view::refund_record(&settled))
}
