//! Hold tokens. Only this deployment can make one: a token is a UUID of version 8 that carries a MAC over itself and its show,
//! so a token that a caller made up is refused before any store is asked (INV-17).
//!
//! Bytes 0 to 8 are the body of the token, 66 bits of which are free: random, or derived from an idempotency key. Bytes 9 to 15
//! are the first 56 bits of an HMAC-SHA256 over show and body.

use std::fmt;

use hmac::digest::InvalidLength;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use uuid::{Uuid, Variant};

use super::ids::parse_uuid;
use super::{BookingId, Buyer, IdempotencyKey, ShowId};

/// Where the MAC begins.
const BODY: usize = 9;

/// The name of a hold: whoever presents it owns the hold. It was issued by this deployment for its show, or read from a store.
/// Its `Debug` hides it, so that it cannot be logged by accident.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct HoldToken(Uuid);

impl HoldToken {
    /// Parses a token that a store has. One that a caller sent is a [`PresentedToken`].
    ///
    /// # Errors
    /// The problem, in words.
    pub fn from_stored(text: &str) -> Result<Self, &'static str> {
        parse_uuid(text).map(Self)
    }

    /// The token under which a restore holds the places of its booking: the same one for each cancelled version. It is no
    /// secret, because it has another UUID version than the tokens that callers may present.
    #[must_use]
    pub fn of_restore(booking: BookingId, cancelled_version: u64) -> Self {
        Self(Uuid::new_v5(booking.as_uuid(), format!("restore {cancelled_version}").as_bytes()))
    }

    /// The bytes of the UUID.
    pub(super) fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl fmt::Display for HoldToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_hyphenated().fmt(f)
    }
}

impl fmt::Debug for HoldToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HoldToken(..)")
    }
}

/// A UUID that a caller sent as a hold token. [`TokenSecrets::verify`] makes a [`HoldToken`] of it.
#[derive(Clone, Copy)]
pub struct PresentedToken(Uuid);

impl PresentedToken {
    /// Parses a canonical UUID: lower case, with hyphens, any version.
    ///
    /// # Errors
    /// The problem, in words.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        parse_uuid(text).map(Self)
    }
}

/// The secrets of the deployment that tokens are made and verified with.
#[derive(Clone, Debug)]
pub struct TokenSecrets {
    current: TokenSecret,
    /// Another one whose tokens are accepted: the next secret before a rotation, the previous one after it.
    accepted: Option<TokenSecret>,
}

impl TokenSecrets {
    /// Takes the secret that new tokens are made with, and the other one that is accepted while it rotates.
    ///
    /// # Errors
    /// None that could happen: HMAC takes keys of any length.
    pub fn of(current: &str, accepted: Option<&str>) -> Result<Self, InvalidLength> {
        let accepted = accepted.map(TokenSecret::of).transpose()?;
        Ok(Self { current: TokenSecret::of(current)?, accepted })
    }

    /// A new random token of a show.
    #[must_use]
    pub fn issue(&self, show: &ShowId) -> HoldToken {
        self.current.seal(show, *Uuid::new_v4().as_bytes())
    }

    /// The tokens of a request, one for each secret and day, the current secret's of the first day first.
    pub(super) fn of_request(&self, request: &KeyedRequest, epoch: &str, days: &[i64]) -> Vec<HoldToken> {
        let secrets = std::iter::once(&self.current).chain(&self.accepted);
        secrets.flat_map(|secret| days.iter().map(|day| secret.of_request(request, epoch, *day))).collect()
    }

    /// The token, if this deployment issued it for this show. It takes as long for every token.
    #[must_use]
    pub fn verify(&self, show: &ShowId, presented: PresentedToken) -> Option<HoldToken> {
        let token = HoldToken(presented.0);
        let is_of_accepted = self.accepted.as_ref().is_some_and(|secret| secret.made(show, token));
        let is_ours = self.current.made(show, token) | is_of_accepted;
        (is_ours && presented.0.get_version_num() == 8 && presented.0.get_variant() == Variant::RFC4122)
            .then_some(token)
    }
}

/// A request that has an `Idempotency-Key`: what its token is derived from, besides the epoch and the day.
#[derive(Clone, Debug)]
pub(super) struct KeyedRequest {
    pub show: ShowId,
    /// `holds`, or `stock/<zoneId>`.
    pub route: String,
    pub buyer: Buyer,
    pub key: IdempotencyKey,
}

#[derive(Clone)]
struct TokenSecret(Hmac<Sha256>);

impl TokenSecret {
    fn of(secret: &str) -> Result<Self, InvalidLength> {
        Hmac::new_from_slice(secret.as_bytes()).map(Self)
    }

    /// A MAC over parts that are told apart: only the last one may have a line feed in it.
    fn mac(&self, parts: &[&[u8]]) -> Hmac<Sha256> {
        let mut mac = self.0.clone();
        for part in parts {
            mac.update(part);
            mac.update(b"\n");
        }
        mac
    }

    fn of_request(&self, request: &KeyedRequest, epoch: &str, day: i64) -> HoldToken {
        let KeyedRequest { show, route, buyer, key } = request;
        let day = day.to_string();
        let parts = ["request", show.as_str(), route, buyer.as_str(), key.as_str(), epoch, &day];
        let derived = self.mac(&parts.map(str::as_bytes)).finalize().into_bytes();
        let mut bytes = [0; 16];
        bytes.iter_mut().zip(derived).for_each(|(byte, derived)| *byte = derived);
        self.seal(show, bytes)
    }

    /// The token of a body: its first bytes, with the MAC in place of the others.
    fn seal(&self, show: &ShowId, body: [u8; 16]) -> HoldToken {
        let mut bytes = Uuid::new_v8(body).into_bytes();
        let (body, mac) = bytes.split_at_mut(BODY);
        let sealed = self.mac(&[b"token", show.as_str().as_bytes(), body]).finalize().into_bytes();
        mac.iter_mut().zip(sealed).for_each(|(byte, sealed)| *byte = sealed);
        HoldToken(Uuid::from_bytes(bytes))
    }

    /// Whether the token carries the MAC of this secret and this show, compared in constant time.
    fn made(&self, show: &ShowId, token: HoldToken) -> bool {
        let (body, mac) = token.as_bytes().split_at(BODY);
        self.mac(&[b"token", show.as_str().as_bytes(), body]).verify_truncated_left(mac).is_ok()
    }
}

impl fmt::Debug for TokenSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenSecret(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Tested = Result<(), Box<dyn std::error::Error>>;

    fn verified(secrets: &TokenSecrets, show: &ShowId, text: &str) -> bool {
        PresentedToken::parse(text).is_ok_and(|token| secrets.verify(show, token).is_some())
    }

    #[test]
    fn a_token_is_of_one_deployment_and_one_show() -> Tested {
        let (ours, theirs) = (TokenSecrets::of("a", None)?, TokenSecrets::of("b", None)?);
        let (show, other) = (ShowId::parse("42")?, ShowId::parse("43")?);
        let token = ours.issue(&show).to_string();
        assert!(verified(&ours, &show, &token));
        assert!(!verified(&ours, &other, &token));
        assert!(!verified(&theirs, &show, &token));
        assert_ne!(token, ours.issue(&show).to_string());
        Ok(())
    }

    #[test]
    fn a_token_with_any_bit_changed_is_not_ours() -> Tested {
        let (secrets, show) = (TokenSecrets::of("a", None)?, ShowId::parse("42")?);
        let token = secrets.issue(&show);
        for bit in 0..128 {
            let mut bytes = token.0.into_bytes();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(!verified(&secrets, &show, &Uuid::from_bytes(bytes).to_string()), "bit {bit}");
        }
        assert!(!verified(&secrets, &show, &token.to_string().to_uppercase()));
        Ok(())
    }

    #[test]
    fn while_a_secret_rotates_tokens_of_both_are_accepted() -> Tested {
        let show = ShowId::parse("42")?;
        let before = TokenSecrets::of("a", None)?;
        let prepared = TokenSecrets::of("a", Some("b"))?;
        let rotated = TokenSecrets::of("b", Some("a"))?;
        let after = TokenSecrets::of("b", None)?;
        let old = [&before, &prepared].map(|secrets| secrets.issue(&show).to_string());
        let new = [&rotated, &after].map(|secrets| secrets.issue(&show).to_string());
        for token in old.iter().chain(&new) {
            assert!(verified(&prepared, &show, token) && verified(&rotated, &show, token));
        }
        assert!(old.iter().all(|token| !verified(&after, &show, token)));
        assert!(new.iter().all(|token| !verified(&before, &show, token)));
        Ok(())
    }

    #[test]
    fn a_restores_token_is_none_that_a_caller_can_present() -> Tested {
        let (secrets, show) = (TokenSecrets::of("a", None)?, ShowId::parse("42")?);
        let booking = BookingId::of(&show, secrets.issue(&show));
        let token = HoldToken::of_restore(booking, 2);
        assert_eq!(token, HoldToken::of_restore(booking, 2));
        assert_ne!(token, HoldToken::of_restore(booking, 4));
        assert!(!verified(&secrets, &show, &token.to_string()));
        Ok(())
    }
}
