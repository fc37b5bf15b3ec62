//! The query parameters of lists: `limit`, `cursor`, and by what a booking is found. Those that nobody asks for are ignored.

use super::fields::Faults;
use crate::domain::OrderId;
use crate::domain::page::{BookedBy, List, PageWish};
use crate::domain::payment::check_reference;
use crate::http::page;

/// Entries of a page, when the request does not say how many.
const DEFAULT_LIMIT: usize = 50;
/// Most entries of a page.
const MAX_LIMIT: usize = 100;

/// `limit` and `cursor`, of a page of this list. Without a list, because the request names none, the cursor cannot be
/// judged.
pub fn wish(list: Option<&List>, limit: Option<&str>, cursor: Option<&str>, faults: &mut Faults) -> Option<PageWish> {
    let limit = limit.map_or(Some(DEFAULT_LIMIT), |text| {
        let limit = plain_integer(text).filter(|limit| (1..=MAX_LIMIT).contains(limit));
        or_fault(limit, "limit", format!("must be an integer from 1 to {MAX_LIMIT}"), faults)
    });
    let after = cursor.zip(list).map_or(Some(None), |(text, list)| {
        let cursor = page::read_cursor(list, text);
        or_fault(cursor, "cursor", "must be the next of an earlier answer of this list", faults).map(Some)
    });
    Some(PageWish { limit: limit?, after: after? })
}

/// `reference` or `orderId`, or neither.
pub fn booked_by(reference: Option<&str>, order: Option<&str>, faults: &mut Faults) -> Option<BookedBy> {
    if reference.is_some() && order.is_some() {
        faults.add("orderId", "cannot be there together with reference");
    }
    match (reference, order) {
        (Some(text), _) => self::reference(Some(text), faults).map(BookedBy::Reference),
        (None, Some(text)) => match OrderId::parse(text) {
            Ok(order) => Some(BookedBy::Order(order)),
            Err(problem) => or_fault(None, "orderId", problem, faults),
        },
        (None, None) => Some(BookedBy::All),
    }
}

/// `reference`, of a payment.
pub fn reference(value: Option<&str>, faults: &mut Faults) -> Option<String> {
    let text = value.unwrap_or("");
    match check_reference(text) {
        Ok(()) => Some(text.to_owned()),
        Err(problem) => or_fault(None, "reference", problem, faults),
    }
}

/// The number of digits without sign and leading zero.
fn plain_integer(text: &str) -> Option<usize> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    text.parse().ok().filter(|_| plain)
}

fn or_fault<T>(value: Option<T>, field: &str, problem: impl Into<String>, faults: &mut Faults) -> Option<T> {
    if value.is_none() {
        faults.add(field, problem);
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_1_to_100_in_plain_digits() {
        let limit = |text| wish(Some(&List::Shows), Some(text), None, &mut Faults::default()).map(|wish| wish.limit);
        assert_eq!([limit("1"), limit("42"), limit("100")], [Some(1), Some(42), Some(100)]);
        for bad in ["", "0", "101", "-1", "+1", "01", "1.0", "1e1", " 1", "ten", "99999999999999999999"] {
            assert_eq!(limit(bad), None, "{bad}");
        }
    }
}
