//! `GET /bookings/{bookingId}`, `POST .../cancel` and `.../restore`, and `GET /shows/{showId}/bookings`: see
//! [`holdfast::ops::booking`], [`holdfast::ops::cancel`], [`holdfast::ops::restore`] and [`holdfast::ops::list_bookings`].

use std::sync::Arc;

use holdfast::App;
use holdfast::domain::page::List;
use holdfast::http::answer::Reply;
use holdfast::http::call::BUYERS_BODY;
use holdfast::http::input::cancel::CancelBody;
use holdfast::http::input::fields::Faults;
use holdfast::http::input::restore::RestoreBody;
use holdfast::http::{Answer, Call, page, view};
use holdfast::lambda::Function;
use holdfast::ops::booking::booking;
use holdfast::ops::cancel::{CancelWish, cancel};
use holdfast::ops::list_bookings::list_bookings;
use holdfast::ops::restore::restore;

/// The function, for its own process and for the local system.
#[must_use]
pub fn function(app: Arc<App>) -> Function {
    Function::new("bookings", app, handle).with_record()
}

/// Answers a request.
///
/// # Errors
/// A problem of the contract.
pub async fn handle(call: Call) -> Reply {
    match (call.method().as_str(), call.route()) {
        ("GET", "/bookings/{bookingId}") => get(call).await,
        ("POST", "/bookings/{bookingId}/cancel") => post_cancel(call).await,
        ("POST", "/bookings/{bookingId}/restore") => post_restore(call).await,
        ("GET", "/shows/{showId}/bookings") => get_list(call).await,
        _ => Err(call.no_route()),
    }
}

async fn get(call: Call) -> Reply {
    let mut faults = Faults::default();
    let id = call.booking_id(&mut faults);
    let id = faults.finish(id)?;

    let (booking, refund) = booking(&call.stores, id).await??;
    Answer::ok(&view::booking(&booking, refund.as_ref()))
}

async fn get_list(call: Call) -> Reply {
    let mut faults = Faults::default();
    let show = call.show_id(&mut faults);
    let by = call.booked_by(&mut faults);
    let list = show.clone().zip(by.clone()).map(|(show, by)| List::Bookings(show, by));
    let wish = call.page(list.as_ref(), &mut faults);
    let (((show, by), list), wish) = faults.finish(show.zip(by).zip(list).zip(wish))?;
    call.operator()?;

    let bookings = list_bookings(&call.stores, &show, &by, &wish).await??;
    Answer::ok(&page::view(&list, &bookings, |(booking, refund)| view::booking(booking, refund.as_ref())))
}

async fn post_cancel(call: Call) -> Reply {
    let mut faults = Faults::default();
    let json = call.json_or_empty(BUYERS_BODY, &mut faults)?;
    let id = call.booking_id(&mut faults);
    let body = CancelBody::read(json.as_ref(), &mut faults);
    let (id, CancelBody { reason, refunded, version }) = faults.finish(id.zip(body))?;
    let is_seller = call.seller(refunded.is_some())?;

    let refunded = refunded.unwrap_or_default();
    let wish = CancelWish { reason, refunded, version, only_unpaid: !is_seller };
    let (cancelled, refund) = cancel(&call.stores, id, &wish).await??;
    Answer::ok(&view::booking(&cancelled, refund.as_ref()))
}

async fn post_restore(call: Call) -> Reply {
    let mut faults = Faults::default();
    let json = call.json_or_empty(BUYERS_BODY, &mut faults)?;
    let id = call.booking_id(&mut faults);
    let body = RestoreBody::read(json.as_ref(), &mut faults);
    let (id, RestoreBody { version }) = faults.finish(id.zip(body))?;
    call.operator()?;

    let restored = restore(&call.stores, id, version).await??;
    Answer::ok(&view::booking(&restored, None))
}
