//! One HTTP request as the event that API Gateway hands to a function: HTTP API, payload 2.0.

use std::borrow::Cow;
use std::collections::BTreeMap;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::request::Parts;
use jiff::Timestamp;
use serde::ser::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::authorizer;
use crate::router::Match;

/// The gateway is bound to this address, so nobody else can be calling.
const CALLER: &str = "127.0.0.1";
/// Stands for the account in whatever looks like AWS.
pub(crate) const ACCOUNT: &str = "000000000000";
const STAGE: &str = "$default";
const DOMAIN: &str = "localhost";

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const X_FORWARDED_PORT: HeaderName = HeaderName::from_static("x-forwarded-port");
const X_FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// Headers that are between the caller and the gateway only.
const NOT_PASSED_ON: [HeaderName; 6] =
    [header::CONNECTION, header::EXPECT, header::TE, header::TRAILER, header::TRANSFER_ENCODING, header::UPGRADE];

#[derive(serde::Serialize)]
#[serde(rename_all = "camelCase")]
struct Event<'a> {
    version: &'static str,
    route_key: &'a str,
    raw_path: &'a str,
    raw_query_string: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cookies: Vec<String>,
    headers: Headers<'a>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    query_string_parameters: BTreeMap<Cow<'a, str>, Cow<'a, str>>,
    request_context: RequestContext<'a>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    path_parameters: BTreeMap<&'a str, &'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<Cow<'a, str>>,
    is_base64_encoded: bool,
}

#[derive(serde::Serialize)]
#[serde(rename_all = "camelCase")]
struct RequestContext<'a> {
    account_id: &'static str,
    api_id: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    authorizer: Option<serde_json::Value>,
    domain_name: &'static str,
    domain_prefix: &'static str,
    http: Http<'a>,
    request_id: &'a str,
    route_key: &'a str,
    stage: &'static str,
    time: String,
    time_epoch: i64,
}

#[derive(serde::Serialize)]
#[serde(rename_all = "camelCase")]
struct Http<'a> {
    method: &'a str,
    path: &'a str,
    protocol: &'static str,
    source_ip: &'static str,
    user_agent: Cow<'a, str>,
}

/// The event for a request that came to `port` and takes the route `found`.
///
/// # Errors
///
/// None that is known: every part of an event can be written as JSON.
pub fn build<T>(
    mut request: Parts,
    body: &[u8],
    found: &Match<'_, T>,
    port: u16,
    request_id: &str,
    now: Timestamp,
) -> serde_json::Result<Box<RawValue>> {
    let cookies = take_cookies(&mut request.headers);
    set_gateway_headers(&mut request.headers, body.len(), port);
    let (method, path) = (request.method.as_str(), request.uri.path());
    let (body, is_base64_encoded) = body_text(body);
    serde_json::value::to_raw_value(&Event {
        version: "2.0",
        route_key: found.route_key,
        raw_path: path,
        raw_query_string: request.uri.query().unwrap_or_default(),
        cookies,
        query_string_parameters: query_parameters(request.uri.query().unwrap_or_default()),
        request_context: RequestContext {
            account_id: ACCOUNT,
            api_id: DOMAIN,
            authorizer: authorizer::context(&request.headers),
            domain_name: DOMAIN,
            domain_prefix: DOMAIN,
            http: Http {
                method,
                path,
                protocol: "HTTP/1.1",
                source_ip: CALLER,
                user_agent: request.headers.get(header::USER_AGENT).map(text).unwrap_or_default(),
            },
            request_id,
            route_key: found.route_key,
            stage: STAGE,
            time: now.strftime("%d/%b/%Y:%H:%M:%S +0000").to_string(),
            time_epoch: now.as_millisecond(),
        },
        headers: Headers(&request.headers),
        path_parameters: found.parameters.iter().map(|(name, value)| (*name, value.as_str())).collect(),
        body,
        is_base64_encoded,
    })
}

/// Cookies have a field of their own, and leave the headers.
fn take_cookies(headers: &mut HeaderMap) -> Vec<String> {
    let cookies = headers.get_all(header::COOKIE).iter().map(text);
    let cookies = cookies.flat_map(|all| all.split("; ").map(str::to_owned).collect::<Vec<_>>()).collect();
    headers.remove(header::COOKIE);
    cookies
}

/// What only the gateway knows, it alone says: functions build addresses from these, so a caller's are not passed on.
fn set_gateway_headers(headers: &mut HeaderMap, body_length: usize, port: u16) {
    for name in NOT_PASSED_ON {
        headers.remove(name);
    }
    let host = HeaderValue::from_str(&format!("{DOMAIN}:{port}"));
    headers.insert(header::HOST, host.unwrap_or(HeaderValue::from_static(DOMAIN)));
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(body_length));
    headers.insert(X_FORWARDED_FOR, HeaderValue::from_static(CALLER));
    headers.insert(X_FORWARDED_PORT, HeaderValue::from(port));
    headers.insert(X_FORWARDED_PROTO, HeaderValue::from_static("http"));
}

/// The body as a string, and whether that had to be base64.
fn body_text(body: &[u8]) -> (Option<Cow<'_, str>>, bool) {
    match str::from_utf8(body) {
        Ok("") => (None, false),
        Ok(text) => (Some(Cow::Borrowed(text)), false),
        Err(_) => (Some(Cow::Owned(BASE64_STANDARD.encode(body))), true),
    }
}

/// Decoded; the values of a name that comes again are joined by commas.
fn query_parameters(query: &str) -> BTreeMap<Cow<'_, str>, Cow<'_, str>> {
    let mut parameters = BTreeMap::new();
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        parameters
            .entry(name)
            .and_modify(|values: &mut Cow<'_, str>| *values = format!("{values},{value}").into())
            .or_insert(value);
    }
    parameters
}

fn text(value: &HeaderValue) -> Cow<'_, str> {
    String::from_utf8_lossy(value.as_bytes())
}

/// Lower-cased names; the values of a name that comes again are joined by commas.
struct Headers<'a>(&'a HeaderMap);

impl Serialize for Headers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.keys().map(|name| {
            let mut values = self.0.get_all(name).iter().map(text);
            let first = values.next().unwrap_or_default();
            (name.as_str(), values.fold(first, |joined, value| format!("{joined},{value}").into()))
        }))
    }
}
