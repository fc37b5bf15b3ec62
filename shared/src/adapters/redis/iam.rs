//! The login to ElastiCache by IAM: the password is a presigned URL of the cache, signed with the credentials of the function.
//! Each connection gets a token of its own when it is made, and logs in with a new one before the old one ends.

use std::time::{Duration, SystemTime};

use aws_credential_types::Credentials;
use aws_sigv4::http_request::{
    PayloadChecksumKind, SignableBody, SignableRequest, SignatureLocation, SigningSettings, sign,
};
use aws_sigv4::sign::v4;
use redis::{Cmd, ErrorKind, RedisError, RedisResult};

use crate::config::IamLogin;

/// How long a token is good for: as long as ElastiCache takes one.
const TOKEN_LASTS: Duration = Duration::from_secs(900);

/// Tokens for one user of one cache.
#[derive(Clone)]
pub struct IamTokens(IamLogin);

impl IamTokens {
    /// Tokens by this configuration.
    #[must_use]
    pub fn new(login: IamLogin) -> Self {
        Self(login)
    }

    /// The token of an instant, which is good for a quarter of an hour from then.
    ///
    /// # Errors
    /// When the user or the cache cannot be part of a URL.
    pub fn token(&self, at: SystemTime) -> RedisResult<String> {
        self.sign(at)
            .map_err(|error| RedisError::from((ErrorKind::AuthenticationFailed, "IAM token", error.to_string())))
    }

    /// The command that logs a connection in anew.
    ///
    /// # Errors
    /// As [`IamTokens::token`].
    pub fn login(&self, at: SystemTime) -> RedisResult<Cmd> {
        let mut command = Cmd::new();
        command.arg("AUTH").arg(&self.0.user).arg(self.token(at)?);
        Ok(command)
    }

    fn sign(&self, at: SystemTime) -> Result<String, Box<dyn std::error::Error + Send + Sync>> {
        let IamLogin { user, cache, serverless, region, credentials, .. } = &self.0;
        let kind = if *serverless { "&ResourceType=ServerlessCache" } else { "" };
        let url = format!("http://{cache}/?Action=connect{kind}&User={user}");

        let mut settings = SigningSettings::default();
        settings.signature_location = SignatureLocation::QueryParams;
        settings.payload_checksum_kind = PayloadChecksumKind::NoHeader;
        settings.expires_in = Some(TOKEN_LASTS);
        let (id, secret) = (&credentials.access_key_id, &credentials.secret_access_key);
        let identity = Credentials::new(id, secret, credentials.session_token.clone(), None, "environment").into();
        let params = v4::SigningParams::builder()
            .identity(&identity)
            .region(region)
            .name("elasticache")
            .time(at)
            .settings(settings)
            .build()?
            .into();
        let request =
            SignableRequest::new("GET", &url, [("host", cache.as_str())].into_iter(), SignableBody::Bytes(&[]))?;
        let (instructions, _) = sign(request, &params)?.into_parts();
        let signed = instructions.params().iter().map(|(name, value)| format!("&{name}={}", encoded(value)));
        Ok(url.trim_start_matches("http://").to_owned() + &signed.collect::<String>())
    }
}

/// A value of a query, as SigV4 wants it: all but the unreserved characters are encoded.
fn encoded(value: &str) -> String {
    use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
    const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
    utf8_percent_encode(value, RESERVED).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What botocore 1.43.11 makes of the same at 2026-11-30T12:00:00Z.
    const BOTOCORE: [(Option<&str>, bool, &str); 4] = [
        (
            None,
            false,
            "Action=connect&User=holdfast&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIDEXAMPLE%2F20261130%2Feu-west-1%2Felasticache%2Faws4_request&X-Amz-Date=20261130T120000Z&X-Amz-Expires=900&X-Amz-SignedHeaders=host&X-Amz-Signature=154644ccf2b65ecb841337e83c15fb91a4337b196941264991095ebb3130d56f",
        ),
        (
            None,
            true,
            "Action=connect&ResourceType=ServerlessCache&User=holdfast&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIDEXAMPLE%2F20261130%2Feu-west-1%2Felasticache%2Faws4_request&X-Amz-Date=20261130T120000Z&X-Amz-Expires=900&X-Amz-SignedHeaders=host&X-Amz-Signature=110c03ad4df71b81f7bf5bf91a8abbe94a15d53fa07691582475275ea36f0bdf",
        ),
        (
            Some("FwoGZXIvYXdzEXAMPLE/TOKEN+=="),
            false,
            "Action=connect&User=holdfast&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIDEXAMPLE%2F20261130%2Feu-west-1%2Felasticache%2Faws4_request&X-Amz-Date=20261130T120000Z&X-Amz-Expires=900&X-Amz-SignedHeaders=host&X-Amz-Security-Token=FwoGZXIvYXdzEXAMPLE%2FTOKEN%2B%3D%3D&X-Amz-Signature=570ca824feec8079cd2854d86e208b19b6a1529fbceadf44d2a811b282746303",
        ),
        (
            Some("FwoGZXIvYXdzEXAMPLE/TOKEN+=="),
            true,
            "Action=connect&ResourceType=ServerlessCache&User=holdfast&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIDEXAMPLE%2F20261130%2Feu-west-1%2Felasticache%2Faws4_request&X-Amz-Date=20261130T120000Z&X-Amz-Expires=900&X-Amz-SignedHeaders=host&X-Amz-Security-Token=FwoGZXIvYXdzEXAMPLE%2FTOKEN%2B%3D%3D&X-Amz-Signature=01427f84e83fd9a161bc854f7a670af68232238e33c63d4e8ce1fe675b026ad5",
        ),
    ];

    #[test]
    fn a_token_is_what_botocore_presigns() -> Result<(), Box<dyn std::error::Error>> {
        for (session_token, serverless, query) in BOTOCORE {
            let tokens = IamTokens::new(IamLogin {
                user: "holdfast".to_owned(),
                cache: "holdfast-cache".to_owned(),
                serverless,
                renew_after: Duration::from_secs(600),
                region: "eu-west-1".to_owned(),
                credentials: crate::config::Credentials {
                    access_key_id: "AKIDEXAMPLE".to_owned(),
                    secret_access_key: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY".to_owned(),
                    session_token: session_token.map(ToOwned::to_owned),
                },
            });
            let noon = SystemTime::UNIX_EPOCH + Duration::from_secs(1_796_040_000);
            let token = tokens.token(noon)?;
            // The order of a query's parameters does not matter to whoever checks the signature.
            let sorted = |query: &str| {
                let mut parameters: Vec<String> = query.split('&').map(ToOwned::to_owned).collect();
                parameters.sort();
                parameters
            };
            let (host, signed) = token.split_once("/?").ok_or("a URL")?;
            assert_eq!((host, sorted(signed)), ("holdfast-cache", sorted(query)));
        }
        Ok(())
    }
}
