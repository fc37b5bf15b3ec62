//! What each call may be answered. Anything else, and every 500, fails the test.

use holdfast_tests::sys::Answer;
use serde_json::{Value, json};

use crate::goals::Goals;

/// The answers of each call, besides 503.
const ANSWERS: &[(&str, &[(u16, &str)])] = &[
    ("hold", &[(201, ""), (404, "unknown_seat"), (409, "seat_unavailable")]),
    ("decrement", &[(201, ""), (409, "sold_out")]),
    ("status", &[(200, ""), (404, "hold_not_found")]),
    ("stock", &[(200, "")]),
    ("extend", &[(200, ""), (409, "hold_lost"), (409, "in_progress"), (409, "extend_limit")]),
    ("release", &[(204, ""), (409, "hold_lost"), (409, "in_progress")]),
    (
        "confirm",
        &[
            (200, ""),
            (201, ""),
            (409, "hold_lost"),
            (409, "seat_already_sold"),
            (409, "in_progress"),
            (409, "already_cancelled"),
            (422, "hold_mismatch"),
            (422, "idempotency_mismatch"),
        ],
    ),
    ("cancel", &[(200, ""), (404, "booking_not_found"), (409, "not_restorable")]),
    ("restore", &[(200, ""), (404, "booking_not_found"), (409, "not_restorable")]),
    ("booking", &[(200, ""), (404, "booking_not_found")]),
    ("replace", &[(200, ""), (409, "in_use")]),
];

/// Counts an answer, and fails the test unless the contract has it.
#[track_caller]
pub fn judge(goals: &Goals, call: &str, answer: &Answer) {
    let (status, code) = (answer.status, answer.code());
    goals.met(format!("{call} {status} {code}").trim_end());
    let allowed = ANSWERS.iter().find(|(name, _)| *name == call).unwrap().1;
    let is_allowed = (status, code) == (503, "unavailable") || allowed.contains(&(status, code));
    assert!(is_allowed, "{call} was answered {status} {}", answer.body);
    if status >= 400 {
        assert_eq!(answer.header("content-type"), "application/problem+json");
    }
    assert!(!answer.header("x-request-id").is_empty());
    let waits = answer.header("retry-after").parse::<u64>().is_ok_and(|seconds| seconds > 0);
    assert_eq!(waits, status == 503 || code == "in_progress", "{call} {status} {code}: {:?}", answer.headers);
}

/// Whether a refusal says which of the places that were asked for are in the way.
#[track_caller]
pub fn names_some_of(answer: &Answer, asked: &[String]) {
    let seats = answer.body["seats"].as_array().unwrap_or_else(|| panic!("no seats: {}", answer.body));
    let named = seats.iter().map(|seat| if seat.is_string() { seat } else { &seat["seat"] });
    let all_asked = named.clone().all(|seat| asked.iter().any(|asked| *seat == json!(asked)));
    assert!(!seats.is_empty() && all_asked, "of {asked:?}: {}", answer.body);
}

/// Whether what a zone is told to have adds up.
#[track_caller]
pub fn adds_up(stock: &Value) {
    let of = |name: &str| stock[name].as_i64().unwrap();
    let (left, held, sold, capacity) = (of("remaining"), of("held"), of("sold"), of("capacity"));
    assert!(left >= 0 && held >= 0 && sold >= 0 && left + held + sold == capacity, "{stock}");
}
