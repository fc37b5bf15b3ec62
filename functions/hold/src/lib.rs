//! `POST .../holds` and `GET .../holds/{holdToken}`: see [`holdfast::ops::hold`] and [`holdfast::ops::hold_status`].

use std::sync::Arc;

use holdfast::App;
use holdfast::domain::{Refusal, SeatId};
use holdfast::http::answer::Reply;
use holdfast::http::call::BUYERS_BODY;
use holdfast::http::input::fields::Faults;
use holdfast::http::input::hold::HoldBody;
use holdfast::http::{Answer, Call, view};
use holdfast::lambda::Function;
use holdfast::ops::hold::{HoldWish, hold};
use holdfast::ops::hold_status::{HoldStatus, hold_status};

/// The function, for its own process and for the local system.
#[must_use]
pub fn function(app: Arc<App>) -> Function {
    Function::new("hold", app, handle).with_tokens()
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
    let (show, buyer) = (call.show_id(&mut faults), call.buyer(&mut faults));
    let body = HoldBody::read(json.as_ref(), &mut faults);
    let asked = show.zip(buyer).zip(body);
    let request = match &asked {
        Some(((show, buyer), body)) => {
            let ttl_ms = body.ttl_ms.unwrap_or(0).to_string();
            let parts = body.seats.iter().map(SeatId::as_str).chain([ttl_ms.as_str()]);
            call.request_for_hold((show, "holds", buyer), parts, &mut faults)?
        }
        None => None,
    };
    let (((show, buyer), body), request) = faults.finish(asked.zip(request))?;

    let wish = HoldWish { show, seats: body.seats, ttl_ms: body.ttl_ms, buyer, request };
    let held = hold(&call.stores, &wish).await??;
    Answer::created(&view::hold(&wish.show, held.token, &held.places, held.state, &held.lease, None, None))
}

async fn get(call: Call) -> Reply {
    let mut faults = Faults::default();
    let (show, token) = (call.show_id(&mut faults), call.hold_token(&mut faults));
    let (show, token) = faults.finish(show.zip(token))?;
    let token = call.issued(&show, token).map_err(|_| Refusal::HoldNotFound)?;

    match hold_status(&call.stores, &show, token).await?? {
        HoldStatus::Hold(hold) => {
            Answer::ok(&view::hold(&show, token, &hold.places, hold.state, &hold.lease, None, hold.confirmed_booking()))
        }
        HoldStatus::Decided(booking) => Answer::ok(&view::decided_hold(token, &booking)),
    }
}
