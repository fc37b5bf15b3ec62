//! Problems (RFC 9457): the status, code and words of every refusal and failure. Codes and meanings are the contract's.

use jiff::Timestamp;
use lambda_http::http::StatusCode;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::input::fields::Fault;
use super::view;
use crate::Failure;
use crate::domain::{BookingId, NotRestorable, Refusal};
use crate::failure::RETRY_AFTER;

/// An answer that is not a success.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The HTTP status.
    pub status: StatusCode,
    /// The code of the contract.
    pub code: &'static str,
    /// What happened, for people.
    pub detail: String,
    /// What the code carries.
    pub extra: Map<String, Value>,
    /// `Retry-After`, in seconds.
    pub retry_after_s: Option<u64>,
    /// `Allow`.
    pub allow: Option<String>,
    /// What really happened, for the log and never for the caller.
    pub log: Option<String>,
}

impl Problem {
    /// A problem that carries nothing.
    pub fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Problem {
        Problem { status, code, detail: detail.into(), extra: Map::new(), retry_after_s: None, allow: None, log: None }
    }

    fn with(mut self, name: &str, value: impl Into<Value>) -> Problem {
        self.extra.insert(name.to_owned(), value.into());
        self
    }

    fn with_booking(self, booking: Option<BookingId>) -> Problem {
        match booking {
            Some(booking) => self.with("bookingId", booking.to_string()),
            None => self,
        }
    }

    fn retry(mut self) -> Problem {
        self.retry_after_s = Some(RETRY_AFTER.as_secs());
        self
    }

    /// 400 with every fault.
    #[must_use]
    pub fn invalid(faults: Vec<Fault>) -> Problem {
        let detail =
            faults.iter().map(|fault| format!("{} {}", fault.field, fault.problem)).collect::<Vec<_>>().join("; ");
        Problem::new(StatusCode::BAD_REQUEST, "invalid_request", detail).with("errors", json!(faults))
    }

    /// 400 with one fault.
    pub fn invalid_field(field: &str, problem: impl Into<String>) -> Problem {
        Problem::invalid(vec![Fault { field: field.to_owned(), problem: problem.into() }])
    }

    /// 500: a fixed text; `log` is what happened.
    pub fn internal(log: impl Into<String>) -> Problem {
        let text = "Something went wrong on our side. Tell us the request id.";
        let mut problem = Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", text);
        problem.log = Some(log.into());
        problem
    }

    /// 403 for a caller who lacks a role.
    #[must_use]
    pub fn forbidden(detail: &str) -> Problem {
        Problem::new(StatusCode::FORBIDDEN, "forbidden", detail)
    }

    /// The title of a code: the code in words.
    #[must_use]
    pub fn title(&self) -> String {
        let mut title = self.code.replace('_', " ");
        if let Some(first) = title.get_mut(0..1) {
            first.make_ascii_uppercase();
        }
        title
    }

    /// The JSON body.
    #[must_use]
    pub fn body(&self, request_id: &str) -> String {
        let body = Body {
            r#type: format!("urn:holdfast:problem:{}", self.code),
            title: self.title(),
            status: self.status.as_u16(),
            code: self.code,
            detail: &self.detail,
            request_id,
            extra: &self.extra,
        };
        // Strings, numbers and lists of them: nothing here can fail to be JSON.
        serde_json::to_string(&body).unwrap_or_default()
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    r#type: String,
    title: String,
    status: u16,
    code: &'a str,
    detail: &'a str,
    request_id: &'a str,
    #[serde(flatten)]
    extra: &'a Map<String, Value>,
}

impl From<Failure> for Problem {
    fn from(failure: Failure) -> Problem {
        match &failure {
            Failure::Unavailable { .. } | Failure::OtherLayout { .. } => {
                let text =
                    "A store did not answer in time, or the show is being loaded. What happened is not known: repeat.";
                let mut problem = Problem::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", text).retry();
                problem.log = Some(failure.chain());
                problem
            }
            Failure::Undecided => Problem::from(Refusal::InProgress),
            Failure::Internal { .. } => Problem::internal(failure.chain()),
        }
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Problem {
        let not_found = |code, detail| Problem::new(StatusCode::NOT_FOUND, code, detail);
        let conflict = |code, detail: &str| Problem::new(StatusCode::CONFLICT, code, detail);
        let mismatch = |code, detail| Problem::new(StatusCode::UNPROCESSABLE_ENTITY, code, detail);
        match refusal {
            Refusal::TtlTooLong { max_ttl_ms } => {
                Problem::invalid_field("ttlSeconds", format!("must be at most {} for this show", max_ttl_ms / 1000))
            }
            Refusal::ShowNotFound => not_found("show_not_found", "There is no such show."),
            Refusal::ZoneNotFound => not_found("zone_not_found", "The show has no such zone."),
            Refusal::HoldNotFound => not_found("hold_not_found", "There is no such hold."),
            Refusal::BookingNotFound => not_found("booking_not_found", "There is no such booking."),
            Refusal::RefundNotFound => not_found("refund_not_found", "There is no such refund."),
            Refusal::RefundInUse { standing } => {
                let standing: Vec<String> = standing.iter().map(ToString::to_string).collect();
                not_found("refund_not_found", "The refund is not due: its payment still pays for a booking.")
                    .with("standingBookings", standing)
            }
            Refusal::UnknownSeat { seats } => {
                not_found("unknown_seat", "The show does not have all of these seats.").with("seats", seats)
            }
            Refusal::NotOnSale { opens_at_ms, closes_at_ms } => {
                let mut problem = Problem::new(StatusCode::FORBIDDEN, "not_on_sale", "The show is not on sale now.");
                for (name, instant) in [("opensAt", opens_at_ms), ("closesAt", closes_at_ms)] {
                    if let Some(instant) = instant.and_then(|ms| Timestamp::from_millisecond(ms).ok()) {
                        problem = problem.with(name, instant.to_string());
                    }
                }
                problem
            }
            Refusal::SeatUnavailable { seats } => {
                let seats = seats.into_iter().map(|taken| match taken.frees_in_ms {
                    Some(ms) => json!({"seat": taken.seat, "reason": "held", "freesInMs": ms}),
                    None => json!({"seat": taken.seat, "reason": "sold"}),
                });
                let seats: Vec<Value> = seats.collect();
                conflict("seat_unavailable", "Some of these seats are held or sold. None was taken.")
                    .with("seats", seats)
            }
            Refusal::SoldOut { remaining } => {
                conflict("sold_out", "The zone has fewer places left. None was taken.").with("remaining", remaining)
            }
            Refusal::LimitExceeded { limit, current } => {
                conflict("limit_exceeded", "These are more places than one hold may have.")
                    .with("limit", limit)
                    .with("current", current)
            }
            Refusal::ExtendLimit { max_lifetime_s } => {
                conflict("extend_limit", "The hold would live longer than the show allows. Nothing was changed.")
                    .with("maxLifetimeSeconds", max_lifetime_s)
            }
            Refusal::InProgress => conflict("in_progress", "The hold is being confirmed.").retry(),
            Refusal::InUse { places } => {
                conflict("in_use", "Places that would go are held or sold.").with("places", places)
            }
            Refusal::HoldLost { booking } => {
                conflict("hold_lost", "The token holds nothing any more.").with_booking(booking)
            }
            Refusal::NeverIssued => {
                conflict("hold_lost", "The token was never issued for this show.").with("reason", "never_issued")
            }
            Refusal::HoldEnded { token, state, booking } => {
                conflict("hold_lost", "The hold of this Idempotency-Key has ended. Nothing was taken.")
                    .with("holdToken", token.to_string())
                    .with("state", state.as_str())
                    .with_booking(booking)
            }
            Refusal::Forbidden => {
                Problem::forbidden("The booking was paid: only the shop's own backend may cancel it.")
            }
            Refusal::VersionConflict { version } => {
                conflict("version_conflict", "Another version is current.").with("version", version)
            }
            Refusal::SeatAlreadySold { places, units } => {
                conflict("seat_already_sold", "Places of this hold were sold to somebody else.")
                    .with(if units { "units" } else { "seats" }, places)
            }
            Refusal::HoldMismatch { booking } => {
                mismatch("hold_mismatch", "The places sent are not those of the hold.").with_booking(booking)
            }
            Refusal::PaymentMismatch => {
                mismatch("idempotency_mismatch", "The token was confirmed with another payment.")
            }
            Refusal::KeyMismatch => {
                mismatch("idempotency_mismatch", "This Idempotency-Key came before, with another body.")
            }
            Refusal::AlreadyCancelled { booking } => {
                conflict("already_cancelled", "The booking of this token was cancelled.").with_booking(Some(booking))
            }
            Refusal::NotRestorable { booking, because } => {
                let (reason, detail, gone) = match because {
                    NotRestorable::Refused => ("refused", "The booking was refused: it never had a place.", None),
                    NotRestorable::Refunded => ("refunded", "The money of the booking went back already.", None),
                    NotRestorable::Gone(places) => ("places", "Places of the booking are not free.", Some(places)),
                };
                let problem = conflict("not_restorable", detail).with_booking(Some(booking)).with("reason", reason);
                match gone {
                    Some(places) => problem.with("places", places),
                    None => problem,
                }
            }
            Refusal::Refunded { refusal, refund } => Problem::from(*refusal).with("refund", view::refund(&refund)),
        }
    }
}
