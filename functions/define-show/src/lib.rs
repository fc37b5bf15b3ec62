//! `PUT` and `GET /shows/{showId}`, and `GET /shows`: see [`holdfast::ops::define_show`], [`holdfast::ops::show_status`] and
//! [`holdfast::ops::list_shows`].

use std::sync::Arc;

use holdfast::App;
use holdfast::domain::page::List;
use holdfast::http::answer::Reply;
use holdfast::http::call::SHOW_BODY;
use holdfast::http::input::fields::Faults;
use holdfast::http::input::show::ShowBody;
use holdfast::http::{Answer, Call, page, view};
use holdfast::lambda::Function;
use holdfast::ops::define_show::define_show;
use holdfast::ops::list_shows::list_shows;
use holdfast::ops::show_status::show_status;

/// The function, for its own process and for the local system.
#[must_use]
pub fn function(app: Arc<App>) -> Function {
    Function::new("define-show", app, handle).with_record()
}

/// Answers a request.
///
/// # Errors
/// A problem of the contract.
pub async fn handle(call: Call) -> Reply {
    match (call.method().as_str(), call.route()) {
        ("PUT", "/shows/{showId}") => put(call).await,
        ("GET", "/shows/{showId}") => get(call).await,
        ("GET", "/shows") => get_list(call).await,
        _ => Err(call.no_route()),
    }
}

async fn put(call: Call) -> Reply {
    let mut faults = Faults::default();
    let json = call.json(SHOW_BODY, &mut faults)?;
    let show = call.show_id(&mut faults);
    let body = ShowBody::read(show, json.as_ref(), &mut faults);
    let body = faults.finish(body)?;
    call.operator()?;

    let defined = define_show(&call.stores, &body.show, body.version).await??;
    let view = view::show(&defined.show);
    if defined.created { Answer::created(&view) } else { Answer::ok(&view) }
}

async fn get_list(call: Call) -> Reply {
    let list = List::Shows;
    let mut faults = Faults::default();
    let wish = call.page(Some(&list), &mut faults);
    let wish = faults.finish(wish)?;
    call.operator()?;

    let shows = list_shows(&call.stores, &wish).await?;
    Answer::ok(&page::view(&list, &shows, view::show_entry))
}

async fn get(call: Call) -> Reply {
    let mut faults = Faults::default();
    let show = call.show_id(&mut faults);
    let show = faults.finish(show)?;

    let show = show_status(&call.stores, &show).await??;
    Answer::ok(&view::show(&show))
}
