//! Identifiers, parsed once at the edge. Their grammar (contract: "Identifiers") keeps braces, colons and control
//! characters out of keys, so that nothing of one show can touch another (INV-12).

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::HoldToken;

/// Whether `text` has 1 to `max` characters of `A-Z a-z 0-9 _ -` (and `.` if `dot`), the first a letter or digit.
fn matches(text: &str, max: usize, dot: bool) -> bool {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-' || dot && byte == b'.';
    text.len() <= max && text.as_bytes().first().is_some_and(u8::is_ascii_alphanumeric) && text.bytes().all(inner)
}

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident, $max:literal, $dot:literal, $problem:literal) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(try_from = "String")]
        pub struct $name(String);

        impl $name {
            /// Parses an id.
            ///
            /// # Errors
            /// The problem, in words, when the text is outside the grammar.
            pub fn parse(text: &str) -> Result<Self, &'static str> {
                if matches(text, $max, $dot) { Ok(Self(text.to_owned())) } else { Err($problem) }
            }

            /// The id as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = &'static str;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                if matches(&text, $max, $dot) { Ok(Self(text)) } else { Err($problem) }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

text_id! {
    /// One performance, sailing, service.
    ShowId, 64, false, "must be 1 to 64 of A-Z a-z 0-9 _ -, beginning with a letter or digit"
}
text_id! {
    /// A general-admission area of a show.
    ZoneId, 64, false, "must be 1 to 64 of A-Z a-z 0-9 _ -, beginning with a letter or digit"
}
text_id! {
    /// A part of the house that has rows of seats.
    SectionId, 64, false, "must be 1 to 64 of A-Z a-z 0-9 _ -, beginning with a letter or digit"
}
text_id! {
    /// A row of a section, or the prefix of a section's seats.
    RowId, 16, true, "must be 1 to 16 of A-Z a-z 0-9 . _ -, beginning with a letter or digit"
}
text_id! {
    /// A numbered place, `E7`.
    SeatId, 32, true, "must be 1 to 32 of A-Z a-z 0-9 . _ -, beginning with a letter or digit"
}

/// Parses a canonical UUID: lower case, with hyphens, any version.
pub(super) fn parse_uuid(text: &str) -> Result<Uuid, &'static str> {
    let canonical = text.len() == 36 && !text.bytes().any(|byte| byte.is_ascii_uppercase());
    match Uuid::try_parse(text) {
        Ok(uuid) if canonical => Ok(uuid),
        _ => Err("must be a UUID in lower case with hyphens"),
    }
}

macro_rules! uuid_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash)]
        pub struct $name(Uuid);

        impl $name {
            /// Parses a canonical UUID: lower case, with hyphens, any version.
            ///
            /// # Errors
            /// The problem, in words, for anything else.
            pub fn parse(text: &str) -> Result<Self, &'static str> {
                parse_uuid(text).map(Self)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.as_hyphenated().fmt(f)
            }
        }
    };
}

uuid_id! {
    /// The name of the permanent record of a token.
    #[derive(Debug)]
    BookingId
}
uuid_id! {
    /// The name of a refund: of one payment that came for one token.
    #[derive(Debug)]
    RefundId
}

/// What [`is_printable`] asks for, in words.
pub(super) const PRINTABLE: &str = "must be 1 to 128 printable ASCII characters";

/// Whether a text that the caller chose is fit to be kept: 1 to 128 printable ASCII characters.
pub(super) fn is_printable(text: &str) -> bool {
    (1..=128).contains(&text.len()) && text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
}

/// A UUID of our own making (version 8), from the first 16 bytes of a hash of these parts, with a line feed after each.
fn hashed(parts: &[&[u8]]) -> Uuid {
    let digest = parts.iter().fold(Sha256::new(), |digest, part| digest.chain_update(part).chain_update(b"\n"));
    let mut bytes = [0; 16];
    bytes.iter_mut().zip(digest.finalize()).for_each(|(byte, hashed)| *byte = hashed);
    Uuid::new_v8(bytes)
}

impl BookingId {
    /// The booking id of a token: a one-way function of show and token, so that a confirm that is repeated writes the
    /// same item again, and a booking id does not tell the token (design, section 4).
    #[must_use]
    pub fn of(show: &ShowId, token: HoldToken) -> Self {
        Self(hashed(&[b"holdfast booking", show.as_str().as_bytes(), token.as_bytes()]))
    }

    /// The bytes of the UUID.
    pub(super) fn as_uuid(&self) -> &Uuid {
        &self.0
    }
}

impl RefundId {
    /// The id of the refund of a payment that came for the token of this booking: a one-way function of both, so that a
    /// refund that is recorded twice is recorded once (design, section 4).
    #[must_use]
    pub fn of(booking: BookingId, reference: &str) -> Self {
        Self(hashed(&[b"holdfast refund", booking.0.as_bytes(), reference.as_bytes()]))
    }
}

/// A buyer, as a hash of the id that the caller's identity provider gave: 32 hexadecimal digits. Empty: no identity.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Buyer(String);

impl Buyer {
    /// Hashes a buyer's id, which may be any text.
    #[must_use]
    pub fn of(user_id: impl AsRef<[u8]>) -> Self {
        let digest = Sha256::new().chain_update(b"holdfast buyer/").chain_update(user_id).finalize();
        Self(digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect())
    }

    /// Whether the caller has no identity.
    #[must_use]
    pub fn is_anonymous(&self) -> bool {
        self.0.is_empty()
    }

    /// A buyer from a store, hashed before.
    #[must_use]
    pub fn from_hash(hash: String) -> Self {
        Self(hash)
    }

    /// The hash, or an empty text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::TokenSecrets;

    #[test]
    fn pitfall_29_ids_keep_to_their_grammar() {
        for good in ["42", "a", "A_b-9", &"x".repeat(64)] {
            assert!(ShowId::parse(good).is_ok(), "{good}");
        }
        for bad in ["", "-a", "_a", "a b", "a{b", "a}b", "a:b", "a*b", "a\n", "a\0", "é", ".", "a.b", &"x".repeat(65)]
        {
            assert!(ShowId::parse(bad).is_err(), "{bad:?}");
        }
        assert!(SeatId::parse("B-A1.x").is_ok());
        assert!(SeatId::parse(&"x".repeat(33)).is_err());
    }

    #[test]
    fn ids_are_canonical_uuids() {
        assert!(BookingId::parse("6f9c0f6e-0000-4000-8000-000000000000").is_ok());
        for bad in [
            "",
            "6f9c0f6e000040008000000000000000",
            "6F9C0F6E-0000-4000-8000-000000000000",
            "{6f9c0f6e-0000-4000-8000-00000000000}",
        ] {
            assert!(BookingId::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_booking_id_is_of_one_show_and_one_token() -> Result<(), Box<dyn std::error::Error>> {
        let (a, b) = (ShowId::parse("a")?, ShowId::parse("b")?);
        let secrets = TokenSecrets::of("a secret", None)?;
        let (one, two) = (secrets.issue(&a), secrets.issue(&a));
        assert_eq!(BookingId::of(&a, one), BookingId::of(&a, one));
        assert_ne!(BookingId::of(&a, one), BookingId::of(&a, two));
        assert_ne!(BookingId::of(&a, one), BookingId::of(&b, one));
        assert_ne!(BookingId::of(&a, one).to_string(), one.to_string());
        assert!(BookingId::parse(&BookingId::of(&a, one).to_string()).is_ok());
        Ok(())
    }

    #[test]
    fn a_refund_id_is_of_one_booking_and_one_reference() -> Result<(), &'static str> {
        let one = BookingId::parse("6f9c0f6e-0000-4000-8000-000000000000")?;
        let two = BookingId::parse("6f9c0f6e-0000-4000-8000-000000000001")?;
        assert_eq!(RefundId::of(one, "pay_1"), RefundId::of(one, "pay_1"));
        assert_ne!(RefundId::of(one, "pay_1"), RefundId::of(one, "pay_2"));
        assert_ne!(RefundId::of(one, "pay_1"), RefundId::of(two, "pay_1"));
        Ok(())
    }
}
