//! `Idempotency-Key`: the same request gets the same hold token again, so that the hold record is the record of the request
//! (contract: "Headers"; design, section 3).

use sha2::{Digest, Sha256};

use super::ids::{PRINTABLE, is_printable};
use super::token::KeyedRequest;
use super::{Buyer, HoldToken, ShowId, TokenSecrets};

/// What a caller names a request by, so that it can be sent again: 1 to 128 printable ASCII characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// The shortest key of a caller without identity: nothing else tells such callers apart.
    pub const MIN_ANONYMOUS: usize = 32;

    /// Parses a key.
    ///
    /// # Errors
    /// The problem, in words.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        if is_printable(text) { Ok(Self(text.to_owned())) } else { Err(PRINTABLE) }
    }

    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A request for a hold: the token that it holds under, and what it asks for.
#[derive(Clone, Debug)]
pub struct Request {
    tokens: Tokens,
    digest: String,
}

#[derive(Clone, Debug)]
enum Tokens {
    /// A random one.
    Once(HoldToken),
    /// Derived from the key; known for the day.
    Keyed(Box<Keyed>),
}

#[derive(Clone, Debug)]
struct Keyed {
    secrets: TokenSecrets,
    request: KeyedRequest,
    today: i64,
}

impl Request {
    /// A request without a key, which cannot be repeated.
    #[must_use]
    pub fn once(token: HoldToken) -> Self {
        Self { tokens: Tokens::Once(token), digest: String::new() }
    }

    /// A request with a key, on a day (a number; any calendar will do). `parts` are what its body asks for.
    #[must_use]
    pub fn keyed<'a>(
        secrets: &TokenSecrets,
        (show, route, buyer): (&ShowId, &str, &Buyer),
        key: IdempotencyKey,
        today: i64,
        parts: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let digest =
            parts.into_iter().fold(Sha256::new(), |digest, part| digest.chain_update(part).chain_update(b"\n"));
        let request = KeyedRequest { show: show.clone(), route: route.to_owned(), buyer: buyer.clone(), key };
        Self {
            tokens: Tokens::Keyed(Box::new(Keyed { secrets: secrets.clone(), request, today })),
            digest: digest.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect(),
        }
    }

    /// Whether its tokens depend on the epoch.
    #[must_use]
    pub fn is_keyed(&self) -> bool {
        matches!(self.tokens, Tokens::Keyed(_))
    }

    /// The tokens that the request is known under in an epoch, the one to make a hold with first. A key is known for a day,
    /// and two clocks may differ at midnight, so there is one for today, for yesterday and for tomorrow, of each secret that
    /// is accepted. Bookings are permanent, so a key that is used again after its day, or after a loss of Redis, must not name
    /// a token that was decided before.
    #[must_use]
    pub fn tokens(&self, epoch: &str) -> Vec<HoldToken> {
        match &self.tokens {
            Tokens::Once(token) => vec![*token],
            Tokens::Keyed(keyed) => {
                let Keyed { secrets, request, today } = &**keyed;
                secrets.of_request(request, epoch, &[*today, *today - 1, *today + 1])
            }
        }
    }

    /// A hash of what the body asks for; empty without a key.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Tested = Result<(), Box<dyn std::error::Error>>;

    /// The token that a request of these makes a hold with.
    fn token(
        secret: &str,
        show: &str,
        route: &str,
        buyer: &str,
        key: &str,
        day: i64,
        epoch: &str,
    ) -> Option<HoldToken> {
        let (secrets, show) = (TokenSecrets::of(secret, None).ok()?, ShowId::parse(show).ok()?);
        let key = IdempotencyKey::parse(key).ok()?;
        Request::keyed(&secrets, (&show, route, &Buyer::of(buyer)), key, day, ["E7"]).tokens(epoch).first().copied()
    }

    #[test]
    fn a_token_is_of_one_secret_show_route_buyer_key_day_and_epoch() {
        let first = token("a", "42", "holds", "ann", "k", 7, "e");
        assert!(first.is_some());
        assert_eq!(first, token("a", "42", "holds", "ann", "k", 7, "e"));
        for different in [
            token("b", "42", "holds", "ann", "k", 7, "e"),
            token("a", "43", "holds", "ann", "k", 7, "e"),
            token("a", "42", "stock/GA", "ann", "k", 7, "e"),
            token("a", "42", "holds", "bob", "k", 7, "e"),
            token("a", "42", "holds", "ann", "l", 7, "e"),
            token("a", "42", "holds", "ann", "k", 8, "e"),
            token("a", "42", "holds", "ann", "k", 7, "f"),
        ] {
            assert!(different.is_some() && different != first);
        }
    }

    #[test]
    fn a_key_is_known_for_a_day_whichever_clock_asks() -> Tested {
        let (show, key) = (ShowId::parse("42")?, IdempotencyKey::parse("k")?);
        let (before, after) = (TokenSecrets::of("a", None)?, TokenSecrets::of("b", Some("a"))?);
        let on = |secrets: &TokenSecrets, day| {
            Request::keyed(secrets, (&show, "holds", &Buyer::default()), key.clone(), day, ["E7"]).tokens("e")
        };
        let first = on(&before, 7)[0];
        for day in [6, 7, 8] {
            assert!(on(&before, day).contains(&first), "day {day}");
        }
        // While one secret replaces another, a request that comes again is known, and a new one has the new secret's token.
        assert!(on(&after, 7).contains(&first) && on(&after, 7)[0] != first);
        for day in [5, 9] {
            assert!(!on(&before, day).contains(&first), "day {day}");
        }
        Ok(())
    }
}
