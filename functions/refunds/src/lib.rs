//! `GET /refunds` and `POST /refunds/{refundId}/settle`: see [`holdfast::ops::list_refunds`] and
//! [`holdfast::ops::settle_refund`].

use std::sync::Arc;

use holdfast::App;
use holdfast::domain::page::List;
use holdfast::http::answer::Reply;
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
    let id = call.refund_id(&mut faults);
    let id = faults.finish(id)?;
    call.operator()?;

    let settled = settle_refund(&call.stores, id).await??;
    Answer::ok(&view::refund_record(&settled))
}
