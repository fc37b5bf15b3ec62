//! A payment that came with a confirm. Money is text: it is kept as it was sent, and never calculated with.

use serde::{Deserialize, Serialize};

use super::ids::{PRINTABLE, is_printable};

/// What the buyer paid. Its `reference` is what repeats are matched by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payment {
    /// The payment provider's name of it: 1 to 128 of `A-Z a-z 0-9 . _ : -`.
    pub reference: String,
    /// A decimal of up to 38 digits. With `currency`, or neither.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub amount: Option<String>,
    /// Three capital letters.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub currency: Option<String>,
}

/// The caller's own name of an order: 1 to 128 printable ASCII characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderId(String);

impl OrderId {
    /// Parses an order id.
    ///
    /// # Errors
    /// The problem, in words.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        if is_printable(text) { Ok(Self(text.to_owned())) } else { Err(PRINTABLE) }
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Checks a payment reference.
///
/// # Errors
/// The problem, in words.
pub fn check_reference(text: &str) -> Result<(), &'static str> {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || b"._:-".contains(&byte);
    if (1..=128).contains(&text.len()) && text.bytes().all(inner) {
        Ok(())
    } else {
        Err("must be 1 to 128 of A-Z a-z 0-9 . _ : -")
    }
}

/// Checks an amount: `^(0|[1-9][0-9]*)(\.[0-9]+)?$`, 38 digits at most.
///
/// # Errors
/// The problem, in words.
pub fn check_amount(text: &str) -> Result<(), &'static str> {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = match text.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (text, None),
    };
    let plain = digits(whole) && (whole == "0" || !whole.starts_with('0')) && fraction.is_none_or(digits);
    if plain && whole.len() + fraction.map_or(0, str::len) <= 38 {
        Ok(())
    } else {
        Err("must be a decimal like \"55000\" or \"12.50\", of up to 38 digits")
    }
}

/// Checks a currency.
///
/// # Errors
/// The problem, in words.
pub fn check_currency(text: &str) -> Result<(), &'static str> {
    if text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_uppercase()) {
        Ok(())
    } else {
        Err("must be three capital letters")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_plain_decimals() {
        for good in ["0", "0.00", "55000", "12.50", &"9".repeat(38)] {
            assert!(check_amount(good).is_ok(), "{good}");
        }
        for bad in ["", "-1", "+1", "01", ".5", "5.", "1e3", "1,000", "1.2.3", " 1", &"9".repeat(39)] {
            assert!(check_amount(bad).is_err(), "{bad}");
        }
    }
}
