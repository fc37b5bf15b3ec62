//! A payment that came with a confirm. Money is text: it is kept as it was sent, and compared as a number.

use serde::{Deserialize, Serialize};

use super::ids::{PRINTABLE, is_printable};

/// What the buyer paid. Its `reference` is what repeats are matched by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payment {
    /// The payment provider's name of it: 1 to 128 printable ASCII characters without space.
    pub reference: String,
    /// A decimal of up to 38 digits. With `currency`, or neither.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub amount: Option<String>,
    /// Three capital letters.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub currency: Option<String>,
}

impl Payment {
    /// Whether a repeated confirm may send this payment for one that was kept with the same reference: amounts are compared
    /// as numbers, and what the repeat leaves out matches.
    #[must_use]
    pub fn repeats(&self, kept: &Payment) -> bool {
        let same_amount = self
            .amount
            .as_deref()
            .is_none_or(|sent| kept.amount.as_deref().is_some_and(|kept| significant(sent) == significant(kept)));
        let same_currency = self.currency.is_none() || self.currency == kept.currency;
        self.reference == kept.reference && same_amount && same_currency
    }
}

/// An amount without what does not change its value: `12.50` and `12.5` are the same.
fn significant(amount: &str) -> &str {
    if amount.contains('.') { amount.trim_end_matches('0').trim_end_matches('.') } else { amount }
}

/// The payments that the confirms of one token have brought, the first one first, each once. Redis keeps them with the hold
/// until each is on record as a booking's own or as a refund, so that no process that dies can lose one (INV-10).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Payments(Vec<Payment>);

impl Payments {
    /// No payment.
    pub const NONE: Payments = Payments(Vec::new());

    /// What stands between two payments in a store. JSON escapes it.
    const BETWEEN: char = '\n';

    /// Those of one confirm.
    #[must_use]
    pub fn of(payment: Option<&Payment>) -> Self {
        Self(payment.cloned().into_iter().collect())
    }

    /// Reads what [`Payments::stored`] wrote.
    ///
    /// # Errors
    /// What is wrong with the JSON.
    pub fn from_stored(text: &str) -> Result<Self, serde_json::Error> {
        let payments = text.split(Self::BETWEEN).filter(|line| !line.is_empty());
        payments.map(serde_json::from_str).collect::<Result<_, _>>().map(Self)
    }

    /// As Redis keeps them: each as JSON, with line feeds between.
    ///
    /// # Errors
    /// None that could happen: a payment has only texts.
    pub fn stored(&self) -> Result<String, serde_json::Error> {
        let payments: Vec<String> = self.0.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
        Ok(payments.join(&Self::BETWEEN.to_string()))
    }

    /// The first one: what the booking is paid with.
    #[must_use]
    pub fn first(&self) -> Option<&Payment> {
        self.0.first()
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Payment> {
        self.0.iter()
    }
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

/// Checks a payment reference, as payment providers issue them: `pi_1#2`, `INV/2025/0001`.
///
/// # Errors
/// The problem, in words.
pub fn check_reference(text: &str) -> Result<(), &'static str> {
    if (1..=128).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic()) {
        Ok(())
    } else {
        Err("must be 1 to 128 printable ASCII characters without space")
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

    fn payment(amount: Option<&str>, currency: Option<&str>) -> Payment {
        let text = |value: &str| value.to_owned();
        Payment { reference: "pay_1".to_owned(), amount: amount.map(text), currency: currency.map(text) }
    }

    #[test]
    fn references_are_what_payment_providers_issue() {
        for good in ["pay_81", "INV/2025/0001", "pi_1#2", "a+b=c&d%", "\"\\", &"x".repeat(128)] {
            assert!(check_reference(good).is_ok(), "{good}");
        }
        for bad in ["", "a b", " a", "a\n", "a\u{7f}", "é", &"x".repeat(129)] {
            assert!(check_reference(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn amounts_are_compared_as_numbers() {
        let kept = payment(Some("55000"), Some("KRW"));
        for same in [Some("55000"), Some("55000.00"), Some("55000.0"), None] {
            assert!(payment(same, same.map(|_| "KRW")).repeats(&kept), "{same:?}");
        }
        for other in [Some("5500"), Some("55000.01"), Some("550000"), Some("0")] {
            assert!(!payment(other, Some("KRW")).repeats(&kept), "{other:?}");
        }
        assert!(!payment(Some("55000"), Some("EUR")).repeats(&kept));
        assert!(payment(Some("12.5"), Some("EUR")).repeats(&payment(Some("12.50"), Some("EUR"))));
        assert!(payment(Some("0"), Some("EUR")).repeats(&payment(Some("0.00"), Some("EUR"))));
        assert!(!payment(Some("10"), Some("EUR")).repeats(&payment(Some("1"), Some("EUR"))));
        assert!(!payment(Some("1"), Some("EUR")).repeats(&payment(None, None)));
    }

    #[test]
    fn payments_keep_their_stored_form() -> Result<(), serde_json::Error> {
        let odd = Payment { reference: "\"pi_1\\n#2".to_owned(), amount: None, currency: None };
        let payments = Payments(vec![payment(Some("1.00"), Some("EUR")), odd]);
        assert_eq!(Payments::from_stored(&payments.stored()?)?, payments);
        assert_eq!(Payments::from_stored("")?, Payments::default());
        assert!(Payments::from_stored("pay_1").is_err());
        Ok(())
    }
}
