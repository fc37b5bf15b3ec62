//! How a page of a list looks: `{"shows": [...], "next": "..."}`. A cursor is opaque to callers: it names its list, so that
//! one of another list, or of another search, is told from one's own.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::domain::page::{BookedBy, Cursor, List, Page};

/// Longest key of an entry, in bytes: a reference, a booking id, and what is between.
const MAX_KEY: usize = 200;

/// What is between the parts of a cursor. No id, reference or order has it.
const BETWEEN: char = '\n';

struct PageView<E> {
    name: &'static str,
    entries: Vec<E>,
    next: Option<String>,
}

impl<E: Serialize> Serialize for PageView<E> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut page = serializer.serialize_map(None)?;
        page.serialize_entry(self.name, &self.entries)?;
        if let Some(next) = &self.next {
            page.serialize_entry("next", next)?;
        }
        page.end()
    }
}

/// A page of a list; `view` is how an entry looks.
#[must_use]
pub fn view<'a, T, E: Serialize>(list: &List, page: &'a Page<T>, view: impl Fn(&'a T) -> E) -> impl Serialize {
    let name = match list {
        List::Shows => "shows",
        List::Bookings(..) => "bookings",
        List::Refunds => "refunds",
    };
    let next = page.next.as_ref().map(|cursor| write_cursor(list, cursor));
    PageView { name, entries: page.entries.iter().map(view).collect(), next }
}

/// What a cursor of a list begins with.
fn prefix(list: &List) -> String {
    match list {
        List::Shows => format!("shows{BETWEEN}"),
        List::Refunds => format!("refunds{BETWEEN}"),
        List::Bookings(show, BookedBy::All) => format!("bookings{BETWEEN}{show}{BETWEEN}"),
        List::Bookings(show, BookedBy::Reference(reference)) => {
            format!("reference{BETWEEN}{show}{BETWEEN}{reference}{BETWEEN}")
        }
        List::Bookings(show, BookedBy::Order(order)) => {
            format!("order{BETWEEN}{show}{BETWEEN}{}{BETWEEN}", order.as_str())
        }
    }
}

fn write_cursor(list: &List, cursor: &Cursor) -> String {
    let Cursor { shard, key } = cursor;
    BASE64_URL_SAFE_NO_PAD.encode(format!("{}{shard}{BETWEEN}{key}", prefix(list)))
}

/// The cursor that [`view`] wrote for this list; `None`: it is none of its own.
pub(super) fn read_cursor(list: &List, text: &str) -> Option<Cursor> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(text).ok()?;
    let (shard, key) = str::from_utf8(&bytes).ok()?.strip_prefix(&prefix(list))?.split_once(BETWEEN)?;
    let cursor = Cursor { shard: shard.parse().ok()?, key: key.to_owned() };
    let fits = list.shards().contains(&cursor.shard) && (1..=MAX_KEY).contains(&key.len());
    // Written again it is the same, to the letter.
    Some(cursor).filter(|cursor| fits && write_cursor(list, cursor) == text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{OrderId, ShowId};

    fn lists() -> Vec<List> {
        let (a, b) = (ShowId::parse("a").unwrap(), ShowId::parse("b").unwrap());
        let order = |order| BookedBy::Order(OrderId::parse(order).unwrap());
        vec![
            List::Shows,
            List::Refunds,
            List::Bookings(a.clone(), BookedBy::All),
            List::Bookings(b, BookedBy::All),
            List::Bookings(a.clone(), BookedBy::Reference("pay_1".to_owned())),
            List::Bookings(a.clone(), BookedBy::Reference("pay_10".to_owned())),
            List::Bookings(a.clone(), order("pay_1")),
            List::Bookings(a, order("#1 of / & ?")),
        ]
    }

    #[test]
    fn a_cursor_is_of_its_own_list_only() {
        let cursor = Cursor { shard: 0, key: "pay_1#81fbe478-faae-8a8a-84b7-6b10983f8485".to_owned() };
        for list in lists() {
            let text = write_cursor(&list, &cursor);
            assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'), "{text}");
            for other in lists() {
                let wanted = (other == list).then_some(&cursor);
                assert_eq!(read_cursor(&other, &text).as_ref(), wanted, "{list:?} read as {other:?}");
            }
        }
    }

    #[test]
    fn what_nobody_wrote_is_no_cursor() {
        let encoded = |text: &str| BASE64_URL_SAFE_NO_PAD.encode(text);
        assert!(read_cursor(&List::Shows, &encoded("shows\n63\n42")).is_some());
        let long = format!("shows\n0\n{}", "x".repeat(MAX_KEY + 1));
        for bad in ["", "shows", "shows\n", "shows\n64\n42", "shows\n-1\n42", "shows\n+1\n42", "shows\n1\n", &long] {
            assert_eq!(read_cursor(&List::Shows, &encoded(bad)), None, "{bad:?}");
        }
        let good = encoded("shows\n1\n42");
        for bad in ["%", "next", &good[1..], &format!("{good}="), &format!(" {good}")] {
            assert_eq!(read_cursor(&List::Shows, bad), None, "{bad:?}");
        }
        let by_order = &lists()[6];
        let (first, second) = (Cursor { shard: 0, key: "x".into() }, Cursor { shard: 1, key: "x".into() });
        assert!(read_cursor(by_order, &write_cursor(by_order, &first)).is_some());
        assert_eq!(read_cursor(by_order, &write_cursor(by_order, &second)), None);
    }
}
