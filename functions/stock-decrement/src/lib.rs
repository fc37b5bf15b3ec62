//! `POST .../stock/{zoneId}/decrement` and `GET .../stock/{zoneId}`: see [`holdfast::ops::stock_decrement`] and
//! [`holdfast::ops::stock_status`].

use std::sync::Arc;

use holdfast::App;
use holdfast::http::answer::Reply;
use holdfast::http::call::BUYERS_BODY;
use holdfast::http::input::fields::Faults;
use holdfast::http::input::hold::DecrementBody;
use holdfast::http::{Answer, Call, view};
use holdfast::lambda::Function;
use holdfast::ops::stock_decrement::{UnitsWish, stock_decrement};
use holdfast::ops::stock_status::stock_status;

/// The function, for its own process and for the local system.
#[must_use]
pub fn function(app: Arc<App>) -> Function {
    Function::new("stock-decrement", app, handle).with_tokens()
}

/// Answers a request.
///
/// # Errors
/// A problem of the contract.
pub async fn handle(call: Call) -> Reply {
    match call.method().as_str() {
        "POST" => post(call).await,
        "GET" => get(call).await,
        _ => Err(call.no_route()),
    }
}

async fn post(call: Call) -> Reply {
    let mut faults = Faults::default();
    let json = call.json(BUYERS_BODY, &mut faults)?;
    let (show, zone) = (call.show_id(&mut faults), call.zone_id(&mut faults));
    let buyer = call.buyer(&mut faults);
    let body = DecrementBody::read(json.as_ref(), &mut faults);
    let asked = show.zip(zone).zip(buyer).zip(body);
    let request = match &asked {
        Some((((show, zone), buyer), body)) => {
            let (route, quantity) = (format!("stock/{zone}"), body.quantity.to_string());
            let ttl_ms = body.ttl_ms.unwrap_or(0).to_string();
            call.request_for_hold((show, &route, buyer), [quantity.as_str(), &ttl_ms], &mut faults)?
        }
        None => None,
    };
    let ((((show, zone), buyer), body), request) = faults.finish(asked.zip(request))?;

    let wish = UnitsWish { show, zone, quantity: body.quantity, ttl_ms: body.ttl_ms, buyer, request };
    let taken = stock_decrement(&call.stores, &wish).await??;
    let (held, remaining) = (taken.held, Some(taken.remaining));
    Answer::created(&view::hold(&wish.show, held.token, &held.places, held.state, &held.lease, remaining, None))
}

async fn get(call: Call) -> Reply {
    let mut faults = Faults::default();
    let (show, zone) = (call.show_id(&mut faults), call.zone_id(&mut faults));
    let (show, zone) = faults.finish(show.zip(zone))?;

    let count = stock_status(&call.stores, &show, &zone).await??;
    Answer::ok(&view::zone(&zone, count))
}
