//! A request, on its way to an operation: what a handler is given.

use std::sync::Arc;

use lambda_http::http::{Method, StatusCode, header};
use lambda_http::{Body, Request, RequestExt};

use super::gateway::{self, Jwt};
use super::input;
use super::input::fields::Faults;
use super::json::Json;
use super::problem::Problem;
use crate::domain::page::{BookedBy, List, PageWish};
use crate::domain::{self, BookingId, Buyer, HoldToken, IdempotencyKey, ShowId, TokenSecret, ZoneId};
use crate::{App, Stores};

/// Body limit of buyers' routes, in bytes.
pub const BUYERS_BODY: usize = 64 * 1024;
/// Body limit of a show, in bytes.
pub const SHOW_BODY: usize = 256 * 1024;

/// One request.
pub struct Call {
    app: Arc<App>,
    request: Request,
    /// The stores, for as long as this request may take.
    pub stores: Stores,
}

impl Call {
    pub(crate) fn new(app: Arc<App>, request: Request, stores: Stores) -> Self {
        Self { app, request, stores }
    }

    /// The HTTP method.
    #[must_use]
    pub fn method(&self) -> &Method {
        self.request.method()
    }

    /// The path of the route that API Gateway chose, `/shows/{showId}`; empty: there is no such route.
    #[must_use]
    pub fn route(&self) -> &'static str {
        gateway::route(&self.request)
    }

    fn parameter(&self, name: &str) -> Option<&str> {
        self.request.path_parameters_ref().and_then(|parameters| parameters.first(name))
    }

    /// `{showId}`
    pub fn show_id(&self, faults: &mut Faults) -> Option<ShowId> {
        input::show_id(self.parameter("showId"), faults)
    }

    /// `{zoneId}`
    pub fn zone_id(&self, faults: &mut Faults) -> Option<ZoneId> {
        input::zone_id(self.parameter("zoneId"), faults)
    }

    /// `{holdToken}`
    pub fn hold_token(&self, faults: &mut Faults) -> Option<HoldToken> {
        input::hold_token(self.parameter("holdToken"), faults)
    }

    /// `{bookingId}`
    pub fn booking_id(&self, faults: &mut Faults) -> Option<BookingId> {
        input::booking_id(self.parameter("bookingId"), faults)
    }

    /// `{reference}`, of a payment
    pub fn reference(&self, faults: &mut Faults) -> Option<String> {
        input::page::reference(self.parameter("reference"), faults)
    }

    /// A query parameter, decoded. One that comes twice is a fault: nobody knows which is meant.
    fn query(&self, name: &str, faults: &mut Faults) -> Option<&str> {
        let values = self.request.query_string_parameters_ref()?.all(name)?;
        if values.len() > 1 {
            faults.add(name, "is there twice");
        }
        values.first().copied()
    }

    /// `?limit=` and `?cursor=`, of a page of this list; `None`: the request does not say of which.
    pub fn page(&self, list: Option<&List>, faults: &mut Faults) -> Option<PageWish> {
        let (limit, cursor) = (self.query("limit", faults), self.query("cursor", faults));
        input::page::wish(list, limit, cursor, faults)
    }

    /// `?reference=` or `?orderId=`
    pub fn booked_by(&self, faults: &mut Faults) -> Option<BookedBy> {
        let (reference, order) = (self.query("reference", faults), self.query("orderId", faults));
        input::page::booked_by(reference, order, faults)
    }

    /// The body as JSON. What is no JSON is a fault; `None` then.
    ///
    /// # Errors
    /// 413 above `limit`; 415 for another content type.
    pub fn json(&self, limit: usize, faults: &mut Faults) -> Result<Option<Json>, Problem> {
        let bytes: &[u8] = match self.request.body() {
            Body::Text(text) => text.as_bytes(),
            Body::Binary(bytes) => bytes,
            _ => &[],
        };
        if bytes.len() > limit {
            let detail = format!("The body has {} bytes, more than {limit}.", bytes.len());
            return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "payload_too_large", detail));
        }
        if !self.is_json() {
            let detail = "The body must be application/json.";
            return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", detail));
        }
        if bytes.iter().all(u8::is_ascii_whitespace) {
            faults.add("body", "is required");
            return Ok(None);
        }
        match serde_json::from_slice(bytes) {
            Ok(json) => Ok(Some(json)),
            Err(error) => {
                faults.add("body", format!("is not JSON: {error}"));
                Ok(None)
            }
        }
    }

    /// The same for a body that may be absent: it is then `{}`.
    ///
    /// # Errors
    /// See [`Call::json`].
    pub fn json_or_empty(&self, limit: usize, faults: &mut Faults) -> Result<Option<Json>, Problem> {
        if self.request.body().is_empty() { Ok(Some(Json::Object(Vec::new()))) } else { self.json(limit, faults) }
    }

    /// A missing Content-Type counts as JSON.
    fn is_json(&self) -> bool {
        let Some(value) = self.request.headers().get(header::CONTENT_TYPE) else { return true };
        let essence = value.to_str().unwrap_or("").split(';').next().unwrap_or("").trim().to_ascii_lowercase();
        essence == "application/json" || essence.starts_with("application/") && essence.ends_with("+json")
    }

    /// Who the buyer is: the `sub` of a JWT, else `X-User-Id` where that is trusted; else nobody.
    pub fn buyer(&self, faults: &mut Faults) -> Option<Buyer> {
        if let Some(subject) = Jwt::of(&self.request).and_then(|jwt| jwt.subject) {
            return Some(Buyer::of(subject));
        }
        let header = self.request.headers().get("x-user-id");
        let Some(header) = header.filter(|_| self.app.caller.trust_user_header) else { return Some(Buyer::default()) };
        if !(1..=255).contains(&header.len()) {
            faults.add("X-User-Id", "must be 1 to 255 bytes");
            return None;
        }
        Some(Buyer::of(header.as_bytes()))
    }

    /// What makes this request the same when it is sent again: its `Idempotency-Key`, in the eyes of this buyer, show and
    /// route. `parts` are what its body asks for. Without the header nobody can repeat it.
    pub fn keyed<'a>(
        &self,
        (show, route, buyer): (&ShowId, &str, &Buyer),
        parts: impl IntoIterator<Item = &'a str>,
        faults: &mut Faults,
    ) -> Option<domain::Request> {
        const HEADER: &str = "Idempotency-Key";
        let Some(header) = self.request.headers().get(HEADER) else { return Some(domain::Request::once()) };
        // What is not ASCII is no key either.
        match IdempotencyKey::parse(header.to_str().unwrap_or_default()) {
            Ok(key) if buyer.is_anybody() && key.chars() < IdempotencyKey::MIN_OF_ANYBODY => {
                let least = IdempotencyKey::MIN_OF_ANYBODY;
                faults.add(HEADER, format!("must have at least {least} characters of a caller without identity"));
                None
            }
            Ok(key) => {
                let token = |secret: &TokenSecret, day| secret.token(show, route, buyer, &key, day);
                let today = jiff::Timestamp::now().as_second().div_euclid(86_400);
                Some(domain::Request::keyed(&self.app.token_secrets, token, today, parts))
            }
            Err(problem) => {
                faults.add(HEADER, problem);
                None
            }
        }
    }

    /// Refuses a caller whose JWT has no operator's scope. Without a JWT the gateway has decided already (AWS_IAM), or this
    /// is a machine of one's own.
    ///
    /// # Errors
    /// 403 `forbidden`.
    pub fn operator(&self) -> Result<(), Problem> {
        let is_operator = |jwt: Jwt<'_>| jwt.has_scope(&self.app.caller.operator_scope);
        if Jwt::of(&self.request).is_none_or(is_operator) { Ok(()) } else { Err(Problem::forbidden()) }
    }

    /// 405 with what the path allows, or 404 if there is no such path.
    #[must_use]
    pub fn no_route(&self) -> Problem {
        let methods = gateway::methods(&self.request);
        if methods.is_empty() {
            return Problem::new(StatusCode::NOT_FOUND, "not_found", "There is no such path.");
        }
        let allow = methods.join(", ");
        let detail = format!("This path allows {allow}.");
        let mut problem = Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", detail);
        problem.allow = Some(allow);
        problem
    }
}
