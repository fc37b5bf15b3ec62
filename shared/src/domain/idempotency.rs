//! `Idempotency-Key`: the same request gets the same hold token again, so that the hold record is the record of the request
//! (contract: "Headers"; design, section 3).

use std::fmt;

use hmac::digest::InvalidLength;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use super::ids::{PRINTABLE, is_printable};
use super::{BookingId, Buyer, HoldToken, ShowId};

/// What a caller names a request by, so that it can be sent again: 1 to 128 printable ASCII characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// The shortest key of a caller without identity: nothing else tells such callers apart.
    pub const MIN_OF_ANYBODY: usize = 32;

    /// Parses a key.
    ///
    /// # Errors
    /// The problem, in words.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        if is_printable(text) { Ok(Self(text.to_owned())) } else { Err(PRINTABLE) }
    }

    /// How many characters it has.
    #[must_use]
    pub fn chars(&self) -> usize {
        self.0.len()
    }
}

/// The secret that new tokens are derived with, and while it rotates the one before: requests that come again may have
/// tokens of that.
#[derive(Clone, Debug)]
pub struct TokenSecrets {
    /// The one in use.
    pub current: TokenSecret,
    /// The one before.
    pub previous: Option<TokenSecret>,
}

/// What tokens are derived with: a secret of the deployment, so that a key that is known, or guessed, is no token.
#[derive(Clone)]
pub struct TokenSecret(Hmac<Sha256>);

impl TokenSecret {
    /// Takes a secret.
    ///
    /// # Errors
    /// None that could happen: HMAC takes keys of any length.
    pub fn new(secret: &str) -> Result<Self, InvalidLength> {
        Hmac::new_from_slice(secret.as_bytes()).map(Self)
    }

    /// The token of a request on a day (a number; any calendar will do): of this show, route, buyer and key, and of no
    /// other. A booking is for ever, so a key that comes again after its day must stand for another token.
    #[must_use]
    pub fn token(&self, show: &ShowId, route: &str, buyer: &Buyer, key: &IdempotencyKey, day: i64) -> HoldToken {
        self.derive(&["request", show.as_str(), route, buyer.as_str(), &key.0, &day.to_string()])
    }

    /// The token of what a booking does to its own places at one version: a restore holds them under it.
    #[must_use]
    pub fn own_token(&self, booking: BookingId, version: u64) -> HoldToken {
        self.derive(&["restore", &booking.to_string(), &version.to_string()])
    }

    fn derive(&self, parts: &[&str]) -> HoldToken {
        let mut mac = self.0.clone();
        // None of them can hold the line feed that stands between.
        for part in parts {
            mac.update(part.as_bytes());
            mac.update(b"\n");
        }
        HoldToken::from_hash(&mac.finalize().into_bytes())
    }
}

impl fmt::Debug for TokenSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenSecret(..)")
    }
}

/// A request that can be sent again: the token that it holds under, and what it asks for.
#[derive(Clone, Debug)]
pub struct Request {
    /// The token: derived from the key, or random where there is none.
    pub token: HoldToken,
    /// Tokens that the same request may have had before.
    pub before: Vec<HoldToken>,
    /// A hash of what the body asks for; empty without a key.
    pub digest: String,
}

impl Request {
    /// A request that nobody can repeat.
    #[must_use]
    pub fn once() -> Self {
        Self { token: HoldToken::random(), before: Vec::new(), digest: String::new() }
    }

    /// A request that has a key, by the tokens of today, yesterday and tomorrow: a key is known for a day, and two clocks
    /// may differ at midnight; of each secret that is accepted. `parts` are what its body asks for.
    #[must_use]
    pub fn keyed<'a>(
        secrets: &TokenSecrets,
        token: impl Fn(&TokenSecret, i64) -> HoldToken,
        today: i64,
        parts: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let digest =
            parts.into_iter().fold(Sha256::new(), |digest, part| digest.chain_update(part).chain_update(b"\n"));
        let TokenSecrets { current, previous } = secrets;
        let days = [today, today - 1, today + 1];
        let of_previous = previous.iter().flat_map(|previous| days.map(|day| token(previous, day)));
        Self {
            token: token(current, today),
            before: [today - 1, today + 1].map(|day| token(current, day)).into_iter().chain(of_previous).collect(),
            digest: digest.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect(),
        }
    }

    /// All tokens that it may be known under, its own first.
    #[must_use]
    pub fn tokens(&self) -> Vec<HoldToken> {
        std::iter::once(self.token).chain(self.before.iter().copied()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_of_one_secret_show_route_buyer_and_key() -> Result<(), Box<dyn std::error::Error>> {
        let (secret, other) = (TokenSecret::new("a")?, TokenSecret::new("b")?);
        let (show, key) = (ShowId::parse("42")?, IdempotencyKey::parse("k")?);
        let token = secret.token(&show, "holds", &Buyer::of("ann"), &key, 7);
        assert_eq!(token, secret.token(&show, "holds", &Buyer::of("ann"), &key, 7));
        for different in [
            other.token(&show, "holds", &Buyer::of("ann"), &key, 7),
            secret.token(&ShowId::parse("43")?, "holds", &Buyer::of("ann"), &key, 7),
            secret.token(&show, "stock/GA", &Buyer::of("ann"), &key, 7),
            secret.token(&show, "holds", &Buyer::of("bob"), &key, 7),
            secret.token(&show, "holds", &Buyer::of("ann"), &IdempotencyKey::parse("l")?, 7),
            secret.token(&show, "holds", &Buyer::of("ann"), &key, 8),
        ] {
            assert_ne!(token, different);
        }
        Ok(())
    }

    #[test]
    fn a_key_is_known_for_a_day_whichever_clock_asks() -> Result<(), Box<dyn std::error::Error>> {
        let (show, key) = (ShowId::parse("42")?, IdempotencyKey::parse("k")?);
        let token = |secret: &TokenSecret, day| secret.token(&show, "holds", &Buyer::default(), &key, day);
        let secrets = |current, previous: Option<&str>| -> Result<TokenSecrets, InvalidLength> {
            let previous = previous.map(TokenSecret::new).transpose()?;
            Ok(TokenSecrets { current: TokenSecret::new(current)?, previous })
        };
        let (before, after) = (secrets("a", None)?, secrets("b", Some("a"))?);
        let on = |day| Request::keyed(&before, token, day, ["E7"]);
        let first = on(7);
        for day in [6, 7, 8] {
            assert!(on(day).tokens().contains(&first.token), "day {day}");
        }
        // While one secret replaces another, a request that comes again is known, and a new one has the new secret's token.
        let later = Request::keyed(&after, token, 7, ["E7"]);
        assert!(later.tokens().contains(&first.token) && later.token != first.token);
        for day in [5, 9] {
            assert!(!on(day).tokens().contains(&first.token), "day {day}");
        }
        Ok(())
    }
}
