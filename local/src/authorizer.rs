//! What the authorizers of API Gateway say of a caller, from the `Authorization` header. Nothing is verified here: a JWT is
//! taken for what it claims, and any other value for a signature of IAM, which may use every route. So a client that is meant
//! for AWS runs here as it is. A caller without the header has the roles of `LOCAL_ROLES`, which the functions know.

use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
use http::header::{self, HeaderMap};
use serde_json::{Map, Value, json};

use crate::event::ACCOUNT;

/// `requestContext.authorizer` of an event; `None`: the caller sent no `Authorization`.
pub fn context(headers: &HeaderMap) -> Option<Value> {
    let credentials = headers.get(header::AUTHORIZATION)?.to_str().unwrap_or_default();
    Some(match claims(credentials) {
        Some(claims) => json!({ "jwt": { "claims": claims, "scopes": null } }),
        None => json!({ "iam": {
            "accessKey": "LOCAL",
            "accountId": ACCOUNT,
            "callerId": "LOCAL",
            "userArn": format!("arn:aws:iam::{ACCOUNT}:user/local"),
            "userId": "LOCAL",
        } }),
    })
}

/// The claims of a JWT as API Gateway passes them on: as texts.
fn claims(credentials: &str) -> Option<Map<String, Value>> {
    let (scheme, token) = credentials.split_once(' ')?;
    let payload = token.trim().split('.').nth(1).filter(|_| scheme.eq_ignore_ascii_case("bearer"))?;
    let payload = BASE64_URL_SAFE_NO_PAD.decode(payload).ok()?;
    let claims: Map<String, Value> = serde_json::from_slice(&payload).ok()?;
    Some(claims.into_iter().map(|(name, value)| (name, Value::String(as_text(&value)))).collect())
}

fn as_text(claim: &Value) -> String {
    match claim {
        Value::String(text) => text.clone(),
        Value::Array(entries) => format!("[{}]", entries.iter().map(as_text).collect::<Vec<_>>().join(" ")),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(credentials: &str) -> Option<Value> {
        let value = http::HeaderValue::from_str(credentials).expect("a header");
        context(&HeaderMap::from_iter([(header::AUTHORIZATION, value)]))
    }

    #[test]
    fn a_jwt_is_what_it_claims() {
        let claims = BASE64_URL_SAFE_NO_PAD.encode(r#"{"sub": "ann", "scp": ["a", "b"], "exp": 1}"#);
        let jwt = of(&format!("Bearer e30.{claims}.sig")).expect("an authorizer")["jwt"].clone();
        assert_eq!(jwt["claims"], json!({ "sub": "ann", "scp": "[a b]", "exp": "1" }));
    }

    #[test]
    fn anything_else_is_a_signature() {
        for credentials in ["AWS4-HMAC-SHA256 Credential=a", "Bearer opaque", "Bearer a.b.c", "Basic YTpi", "x"] {
            assert!(of(credentials).expect("an authorizer")["iam"]["userArn"].is_string(), "{credentials}");
        }
        assert_eq!(context(&HeaderMap::new()), None);
    }
}
