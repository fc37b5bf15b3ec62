//! Every file of `events/` through its function, and the whole answer compared with `<case>.expected.json` beside it.
//!
//! The events are about one show, one hold and one booking that never were. Each event gets its own: the show that
//! `events/define-show/put.json` defines, under a fresh id, a hold of E7 and E8, and, where it asks for a booking, that
//! hold confirmed; and cancelled, where it asks for a refund or a restore. In the answer they have their first names again.
//!
//! Lists of everything there is run on stores of their own. So do the events of the schedule, whose answer is a report.

use std::fs;
use std::path::{Path, PathBuf};

use holdfast_local::handlers::handlers;
use holdfast_tests::servers::fresh_show_id;
use holdfast_tests::sys::Sys;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::{like, raw};

const SHOW: &str = "demo";
const TOKEN: &str = "6f9c0f6e-5b0a-4c7e-9d52-0c1a7d3f2b11";
/// What that token's booking is called in that show.
const BOOKING: &str = "81fbe478-faae-8a8a-84b7-6b10983f8485";
const EXPECTED: &str = ".expected.json";
/// The function that has no route.
const SCHEDULED: &str = "reconcile";
/// Routes that list everything there is.
const EVERYTHING: [&str; 2] = ["GET /shows", "GET /refunds"];
/// Routes that ask for a booking without naming it, or for one that was cancelled.
const BOOKED: &str = "GET /shows/{showId}/bookings";
const CANCELLED: [&str; 3] =
    ["GET /refunds", "POST /refunds/{reference}/{bookingId}/settle", "POST /bookings/{bookingId}/restore"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../events")
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn text(path: &str) -> String {
    fs::read_to_string(folder().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn value(path: &str) -> Value {
    serde_json::from_str(&text(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// `stock-decrement` is `StockDecrementFunction` in the template.
fn logical_id(function: &str) -> String {
    let words = function.split('-').map(|word| word[..1].to_uppercase() + &word[1..]);
    words.collect::<String>() + "Function"
}

/// What the events call something, and what it is really called.
type Names = Vec<(&'static str, String)>;

/// The route that an event came by.
fn route(event: &str) -> String {
    let event: Value = serde_json::from_str(event).unwrap();
    event["routeKey"].as_str().unwrap_or_default().to_owned()
}

/// Makes what an event is about.
async fn set_up(sys: &Sys, event: &str) -> Names {
    let (show, route) = (fresh_show_id(), route(event));
    let mut names = vec![(SHOW, show.clone())];
    if route == "PUT /shows/{showId}" {
        return names;
    }
    let cancelled = CANCELLED.contains(&&*route);
    let booked = cancelled || route == BOOKED || event.contains(BOOKING);
    let body = |path: &str| serde_json::from_str(value(path)["body"].as_str().unwrap()).unwrap();
    sys.call("PUT", &format!("/shows/{show}"), body("define-show/put.json")).await.expect(201);
    if booked || event.contains(TOKEN) {
        let token = sys.hold(&show, &["E7", "E8"]).await.text("holdToken").to_owned();
        if booked {
            let booking = sys.confirm(&show, &token, body("confirm/ok.json")).await.text("bookingId").to_owned();
            if cancelled {
                sys.call("POST", &format!("/bookings/{booking}/cancel"), Value::Null).await.expect(200);
            }
            names.push((BOOKING, booking));
        }
        names.push((TOKEN, token));
    }
    names
}

/// Runs a case, and answers what is not as expected.
async fn run(sys: &Sys, function: &str, case: &str) -> Vec<String> {
    let event = text(&format!("{function}/{case}.json"));
    let names = set_up(sys, &event).await;
    let real = names.iter().fold(event, |event, (name, real)| match *name {
        SHOW => event.replace("\"demo\"", &format!("\"{real}\"")).replace("/shows/demo", &format!("/shows/{real}")),
        name => event.replace(name, real),
    });
    let answer = invoke(sys, function, &real).await.to_string();
    let answer = names.iter().fold(answer, |answer, (name, real)| answer.replace(real.as_str(), name));
    let answer: Value = serde_json::from_str(&answer).unwrap();

    let seen = json!({
        "statusCode": answer["statusCode"], "headers": answer["headers"], "body": raw::body(&answer),
    });
    like::faults(&seen, &value(&format!("{function}/{case}{EXPECTED}")))
}

/// Runs a case of the schedule, on stores that have no show.
async fn run_scheduled(case: &str) -> Vec<String> {
    let report = invoke(&Sys::own(&[], &[]).await, SCHEDULED, &text(&format!("{SCHEDULED}/{case}.json"))).await;
    like::faults(&report, &value(&format!("{SCHEDULED}/{case}{EXPECTED}")))
}

async fn invoke(sys: &Sys, function: &str, event: &str) -> Value {
    let functions = handlers(sys.app());
    let event: Box<RawValue> = serde_json::from_str(event).unwrap();
    raw::invoke(&functions[logical_id(function).as_str()], &event).await
}

#[tokio::test]
async fn every_event_is_answered_as_expected() {
    let sys = Sys::shared().await;
    let mut faults = Vec::new();
    for function in names_in(&folder()) {
        let files = names_in(&folder().join(&function));
        for case in files.iter().filter(|file| !file.ends_with(EXPECTED)).filter_map(|file| file.strip_suffix(".json"))
        {
            let found = if function == SCHEDULED {
                run_scheduled(case).await
            } else if EVERYTHING.contains(&&*route(&text(&format!("{function}/{case}.json")))) {
                run(&Sys::own(&[], &[]).await, &function, case).await
            } else {
                run(&sys, &function, case).await
            };
            faults.extend(found.into_iter().map(|fault| format!("events/{function}/{case}: {fault}")));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_expectation_has_its_event() {
    for function in names_in(&folder()) {
        let files = names_in(&folder().join(&function));
        for case in files.iter().filter_map(|file| file.strip_suffix(EXPECTED)) {
            assert!(files.contains(&format!("{case}.json")), "events/{function}/{case}{EXPECTED} is of no event");
        }
    }
}
