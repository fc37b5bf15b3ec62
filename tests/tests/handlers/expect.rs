//! What an answer has to be, whole: status, headers and body.

use holdfast_tests::sys::Answer;
use serde_json::{Value, json};

use crate::like::{assert_like, is_uuid};

/// Status and words of each problem. Where the words depend on the case, the test says them.
const PROBLEMS: &[(&str, u16, &str)] = &[
    ("invalid_request", 400, ""),
    ("forbidden", 403, "This is for operators."),
    ("not_on_sale", 403, "The show is not on sale now."),
    ("show_not_found", 404, "There is no such show."),
    ("zone_not_found", 404, "The show has no such zone."),
    ("hold_not_found", 404, "There is no such hold."),
    ("booking_not_found", 404, "There is no such booking."),
    ("refund_not_found", 404, "There is no such refund."),
    ("not_found", 404, "There is no such path."),
    ("unknown_seat", 404, "The show does not have all of these seats."),
    ("method_not_allowed", 405, ""),
    ("seat_unavailable", 409, "Some of these seats are held or sold. None was taken."),
    ("sold_out", 409, "The zone has fewer places left. None was taken."),
    ("hold_lost", 409, "The token holds nothing any more."),
    ("seat_already_sold", 409, "Places of this hold were sold to somebody else."),
    ("limit_exceeded", 409, "These are more places than one hold may have."),
    ("extend_limit", 409, "The hold would live longer than the show allows. Nothing was changed."),
    ("in_progress", 409, "The hold is being confirmed."),
    ("version_conflict", 409, "Another version is current."),
    ("in_use", 409, "Places that would go are held or sold."),
    ("already_cancelled", 409, "The booking of this token was cancelled."),
    ("not_restorable", 409, ""),
    ("payload_too_large", 413, ""),
    ("unsupported_media_type", 415, "The body must be application/json."),
    ("idempotency_mismatch", 422, "The token was confirmed with another payment."),
    ("hold_mismatch", 422, "The places sent are not those of the hold."),
    (
        "unavailable",
        503,
        "A store did not answer in time, or the show is being loaded. What happened is not known: repeat.",
    ),
    ("internal", 500, "Something went wrong on our side. Tell us the request id."),
];

/// A success with this body; `Null`: none.
#[track_caller]
pub fn assert_success(answer: &Answer, status: u16, body: Value) {
    assert_eq!(answer.status, status, "{}", answer.body);
    let content_type = if body.is_null() { "" } else { "application/json" };
    assert_eq!(answer.header("content-type"), content_type);
    assert_head(answer);
    assert_like(&answer.body, &body);
}

/// A problem of this code that carries this; a `detail` in it replaces the usual words.
#[track_caller]
pub fn assert_problem(answer: &Answer, code: &str, carries: Value) {
    let (_, status, detail) = PROBLEMS.iter().find(|(other, ..)| *other == code).expect(code);
    assert_eq!((answer.status, answer.code()), (*status, code), "{}", answer.body);
    assert_eq!(answer.header("content-type"), "application/problem+json");
    assert_head(answer);
    assert_like(&answer.body, &problem(code, *status, detail, answer.header("x-request-id"), carries));
}

/// The body of a problem.
pub fn problem(code: &str, status: u16, detail: &str, request_id: &str, carries: Value) -> Value {
    let words = code.replace('_', " ");
    let mut body = json!({
        "type": format!("urn:holdfast:problem:{code}"), "title": words[..1].to_uppercase() + &words[1..],
        "status": status, "code": code, "detail": detail, "requestId": request_id,
    });
    for (name, value) in carries.as_object().into_iter().flatten() {
        body[name] = value.clone();
    }
    body
}

/// A 400 with exactly these faults, in their order: field, and problem.
#[track_caller]
pub fn assert_invalid(answer: &Answer, faults: &[(&str, &str)]) {
    let errors = faults.iter().map(|(field, problem)| json!({"field": field, "problem": problem}));
    let detail = faults.iter().map(|(field, problem)| format!("{field} {problem}")).collect::<Vec<_>>().join("; ");
    assert_problem(answer, "invalid_request", json!({"detail": detail, "errors": errors.collect::<Vec<_>>()}));
}

/// A 400 whose faults are in these fields, whatever their words.
#[track_caller]
pub fn assert_invalid_fields(answer: &Answer, fields: &[&str]) {
    let errors = answer.body["errors"].as_array().cloned().unwrap_or_default();
    let text = |error: &Value, name: &str| error[name].as_str().unwrap_or_default().to_owned();
    let faults: Vec<_> = errors.iter().map(|error| (text(error, "field"), text(error, "problem"))).collect();
    let found: Vec<_> = faults.iter().map(|(field, problem)| (field.as_str(), problem.as_str())).collect();
    assert_eq!(found.iter().map(|(field, _)| *field).collect::<Vec<_>>(), fields, "{}", answer.body);
    assert_invalid(answer, &found);
}

/// The headers that every answer has, and those that go with a status.
#[track_caller]
fn assert_head(answer: &Answer) {
    assert!(is_uuid(answer.header("x-request-id")), "{:?}", answer.headers);
    assert_eq!(answer.header("cache-control"), "no-store");
    let retry = answer.status == 503 || answer.code() == "in_progress";
    assert_eq!(answer.header("retry-after"), if retry { "1" } else { "" });
    assert_eq!(answer.header("allow").is_empty(), answer.status != 405, "{:?}", answer.headers);
}

/// The booking of an answer, in another version.
pub fn in_version(booking: &Value, version: u64) -> Value {
    let mut booking = booking.clone();
    booking["version"] = version.into();
    booking
}
