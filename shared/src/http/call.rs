//! A request, on its way to an operation: what a handler is given.

use std::sync::Arc;

use lambda_http::http::{Method, StatusCode, header};
use lambda_http::{Body, Request, RequestExt};

use super::gateway::{self, Jwt};
use super::input;
use super::input::fields::Faults;
use super::json::Json;
use super::problem::Problem;
use crate::config::ConfirmBy;
use crate::domain::page::{BookedBy, List, PageWish};
use crate::domain::{
    self, BookingId, Buyer, HoldToken, IdempotencyKey, PresentedToken, RefundId, Refusal, Roles, ShowId, TokenSecrets,
    ZoneId,
};
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

    /// `{holdToken}`, which [`Call::issued`] verifies.
    pub fn hold_token(&self, faults: &mut Faults) -> Option<PresentedToken> {
        input::hold_token(self.parameter("holdToken"), faults)
    }

    /// The token, if this deployment issued it for this show. No store is asked for any other.
    ///
    /// # Errors
    /// [`Refusal::NeverIssued`].
    pub fn issued(&self, show: &ShowId, presented: PresentedToken) -> Result<HoldToken, Problem> {
        self.token_secrets()?.verify(show, presented).ok_or_else(|| Refusal::NeverIssued.into())
    }

    /// `{bookingId}`
    pub fn booking_id(&self, faults: &mut Faults) -> Option<BookingId> {
        input::booking_id(self.parameter("bookingId"), faults)
    }

    /// `{refundId}`
    pub fn refund_id(&self, faults: &mut Faults) -> Option<RefundId> {
        input::refund_id(self.parameter("refundId"), faults)
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

    /// Who the buyer is: `X-User-Id` where it is believed, else the `sub` of a JWT; else the caller is anonymous. A seller or
    /// operator may act for a buyer, and anyone may say who they are where no JWT does and the deployment trusts the header.
    pub fn buyer(&self, faults: &mut Faults) -> Option<Buyer> {
        self.named_buyer(true, faults)
    }

    /// For whom a confirm is asked, if Redis has lost the hold and its buyer. A seller who does not say so confirms for an
    /// anonymous buyer, and not for itself.
    pub fn confirmed_for(&self, faults: &mut Faults) -> Option<Buyer> {
        self.named_buyer(!self.roles().may_sell(), faults)
    }

    fn named_buyer(&self, may_be_subject: bool, faults: &mut Faults) -> Option<Buyer> {
        let subject = Jwt::of(&self.request).and_then(|jwt| jwt.subject);
        let trusts_header = self.app.caller.trust_user_header && subject.is_none();
        let header = self.request.headers().get("x-user-id").filter(|_| trusts_header || self.vouched().may_sell());
        match header {
            Some(header) if !(1..=255).contains(&header.len()) => {
                faults.add("X-User-Id", "must be 1 to 255 bytes");
                None
            }
            Some(header) => Some(Buyer::of(header.as_bytes())),
            None => Some(subject.filter(|_| may_be_subject).map(Buyer::of).unwrap_or_default()),
        }
    }

    fn token_secrets(&self) -> Result<&TokenSecrets, Problem> {
        // A function that takes tokens does not start without a secret.
        self.app.token_secrets.as_ref().ok_or_else(|| Problem::internal("there is no TOKEN_SECRET"))
    }

    /// The request for a hold: with an `Idempotency-Key`, one that the same buyer may repeat for the same show and route.
    /// `parts` are what its body asks for.
    ///
    /// # Errors
    /// A 500 that does not happen.
    pub fn request_for_hold<'a>(
        &self,
        (show, route, buyer): (&ShowId, &str, &Buyer),
        parts: impl IntoIterator<Item = &'a str>,
        faults: &mut Faults,
    ) -> Result<Option<domain::Request>, Problem> {
        const HEADER: &str = "Idempotency-Key";
        let secrets = self.token_secrets()?;
        let Some(header) = self.request.headers().get(HEADER) else {
            return Ok(Some(domain::Request::once(secrets.issue(show))));
        };
        // What is not ASCII is no key either.
        Ok(match IdempotencyKey::parse(header.to_str().unwrap_or_default()) {
            Ok(key) if buyer.is_anonymous() && key.as_str().len() < IdempotencyKey::MIN_ANONYMOUS => {
                let least = IdempotencyKey::MIN_ANONYMOUS;
                faults.add(HEADER, format!("must have at least {least} characters of a caller without identity"));
                None
            }
            Ok(key) => {
                let today = jiff::Timestamp::now().as_second().div_euclid(86_400);
                Some(domain::Request::keyed(secrets, (show, route, buyer), key, today, parts))
            }
            Err(problem) => {
                faults.add(HEADER, problem);
                None
            }
        })
    }

    /// The roles that an authorizer vouches for. A signature with IAM is one of a caller whom a policy lets use this very route.
    fn vouched(&self) -> Roles {
        if gateway::is_signed(&self.request) {
            return Roles::ALL;
        }
        let caller = &self.app.caller;
        Jwt::of(&self.request).map_or(Roles::BUYER, |jwt| Roles {
            seller: jwt.has_scope(&caller.seller_scope),
            operator: jwt.has_scope(&caller.operator_scope),
        })
    }

    /// What the caller may do. On a machine of one's own that may be said of callers for whom no authorizer vouches.
    fn roles(&self) -> Roles {
        let is_vouched = gateway::is_signed(&self.request) || Jwt::of(&self.request).is_some();
        if is_vouched { self.vouched() } else { self.app.caller.local_roles }
    }

    /// Refuses a caller who is no operator. The routes of the template do so, too.
    ///
    /// # Errors
    /// 403 `forbidden`.
    pub fn operator(&self) -> Result<(), Problem> {
        if self.roles().operator { Ok(()) } else { Err(Problem::forbidden("This is for operators.")) }
    }

    /// Refuses a caller who may not confirm or cancel: who is no seller, but where the deployment lets buyers do it and no
    /// money is involved. Answers whether the caller is a seller.
    ///
    /// # Errors
    /// 403 `forbidden`.
    pub fn seller(&self, involves_money: bool) -> Result<bool, Problem> {
        let is_seller = self.roles().may_sell();
        match self.app.caller.confirm_by {
            _ if is_seller => Ok(true),
            ConfirmBy::Buyers if !involves_money => Ok(false),
            ConfirmBy::Buyers => Err(Problem::forbidden("Only the shop's own backend may say what was paid.")),
            ConfirmBy::Sellers => Err(Problem::forbidden("This is for the shop's own backend.")),
        }
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
