//! `POST .../holds/{holdToken}/confirm`: see [`holdfast::ops::confirm`].

use std::sync::Arc;

use holdfast::App;
use holdfast::http::answer::Reply;
use holdfast::http::call::BUYERS_BODY;
use holdfast::http::input::confirm::ConfirmBody;
use holdfast::http::input::fields::Faults;
use holdfast::http::{Answer, Call, view};
use holdfast::lambda::Function;
use holdfast::ops::confirm::{ConfirmWish, confirm};
use holdfast::telemetry::Metric;

/// The function, for its own process and for the local system.
#[must_use]
pub fn function(app: Arc<App>) -> Function {
    Function::new("confirm", app, handle).with_record().with_tokens()
}

/// Answers a request.
///
/// # Errors
/// A problem of the contract.
pub async fn handle(call: Call) -> Reply {
    if call.method().as_str() != "POST" {
        return Err(call.no_route());
    }
    let mut faults = Faults::default();
    let json = call.json_or_empty(BUYERS_BODY, &mut faults)?;
    let (show, token) = (call.show_id(&mut faults), call.hold_token(&mut faults));
    let buyer = call.confirmed_for(&mut faults);
    let body = ConfirmBody::read(json.as_ref(), &mut faults);
    let (((show, token), buyer), body) = faults.finish(show.zip(token).zip(buyer).zip(body))?;
    call.seller(body.payment.is_some())?;
    let token = call.issued(&show, token)?;

    let ConfirmBody { payment, order, places } = body;
    let wish = ConfirmWish { show, token, payment, order, places, buyer };
    let confirmed = confirm(&call.stores, &wish).await??;
    let view = view::booking(&confirmed.booking, None);
    let answer = if confirmed.repeated { Answer::ok(&view) } else { Answer::created(&view) };
    let counted = confirmed.rescued.then_some(Metric::RescuedConfirms);
    answer.map(|answer| Answer { counted, ..answer })
}
