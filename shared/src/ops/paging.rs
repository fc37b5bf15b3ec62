//! A page of a list that is spread over shards: one shard after the other, until the page is full. Every list is read here,
//! and a list is whatever reads the entries of a shard after a key.

use std::future::Future;
use std::ops::Range;

use futures_util::future::try_join_all;

use crate::Failure;
use crate::domain::page::{Cursor, Page, PageWish};

/// Shards that are read at once, at most.
const SHARDS_AT_ONCE: usize = 16;

/// Reads a page. `read` answers the entries of a shard after a key, so many at most, in the order of their keys; `key` is
/// the key of an entry.
///
/// Each time twice as many shards are read side by side: a page of a long list costs one query, and a short list that
/// is spread thinly does not take sixty-four one after the other. What was asked for is always awaited, because a query
/// that is given up costs its connection.
///
/// # Errors
/// When a shard could not be read.
pub async fn page<'w, T, R>(
    shards: Range<u8>,
    wish: &'w PageWish,
    key: impl Fn(&T) -> &str,
    read: impl Fn(u8, Option<&'w str>, usize) -> R,
) -> Result<Page<T>, Failure>
where
    R: Future<Output = Result<Vec<T>, Failure>>,
{
    // One entry more than was asked for tells whether there is a next page.
    let wanted = wish.limit + 1;
    let last = wish.after.as_ref();
    let mut left = last.map_or(shards.start, |last| last.shard)..shards.end;
    let (mut found, mut at_once) = (Vec::new(), 1);
    while found.len() < wanted && !left.is_empty() {
        let missing = wanted - found.len();
        let reads = left.by_ref().take(at_once).map(|shard| {
            let after = last.filter(|last| last.shard == shard).map(|last| last.key.as_str());
            let entries = read(shard, after, missing);
            async move { Ok::<_, Failure>((shard, entries.await?)) }
        });
        for (shard, entries) in try_join_all(reads).await? {
            found.extend(entries.into_iter().map(|entry| (shard, entry)));
        }
        at_once = SHARDS_AT_ONCE.min(at_once * 2);
    }
    let more = found.len() > wish.limit;
    found.truncate(wish.limit);
    let seen = found.last().filter(|_| more);
    let next = seen.map(|(shard, entry)| Cursor { shard: *shard, key: key(entry).to_owned() });
    Ok(Page { entries: found.into_iter().map(|(_, entry)| entry).collect(), next })
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::BTreeSet;

    use futures_util::FutureExt;

    use super::*;

    /// A list in memory, and how many of its shards were asked for.
    struct Shards {
        keys: Vec<BTreeSet<String>>,
        asked: RefCell<Vec<u8>>,
    }

    impl Shards {
        /// A list of 64 shards, of which shard `n` has `count(n)` entries.
        fn of(count: impl Fn(u8) -> usize) -> Shards {
            let keys = |shard| (0..count(shard)).map(|number| format!("{shard:02}-{number:04}")).collect();
            Shards { keys: (0..64).map(keys).collect(), asked: RefCell::default() }
        }

        fn all(&self) -> Vec<String> {
            self.keys.iter().flatten().cloned().collect()
        }

        fn read(&self, shard: u8, after: Option<&str>, limit: usize) -> Vec<String> {
            self.asked.borrow_mut().push(shard);
            let keys = self.keys[usize::from(shard)].iter();
            keys.filter(|key| after.is_none_or(|after| key.as_str() > after)).take(limit).cloned().collect()
        }

        fn page(&self, limit: usize, after: Option<Cursor>) -> Page<String> {
            let wish = PageWish { limit, after };
            let read = |shard, after, limit| std::future::ready(Ok(self.read(shard, after, limit)));
            page(0..64, &wish, |key| key.as_str(), read).now_or_never().unwrap().unwrap()
        }

        /// All pages, as long as there is a next one.
        fn pages(&self, limit: usize) -> Vec<Vec<String>> {
            let mut pages = Vec::new();
            let mut after = None;
            loop {
                let page = self.page(limit, after);
                pages.push(page.entries);
                after = page.next;
                if after.is_none() {
                    return pages;
                }
            }
        }
    }

    #[test]
    fn every_entry_is_on_exactly_one_page() {
        let lists: [fn(u8) -> usize; 6] = [
            |_| 0,
            |_| 1,
            |shard| usize::from(shard == 63) * 7,
            |shard| usize::from(shard == 0) * 7,
            |shard| usize::from(shard % 5) * usize::from(shard % 7),
            |shard| usize::from(shard.is_multiple_of(16)) * 130,
        ];
        for count in lists {
            let list = Shards::of(count);
            for limit in (1..=20).chain([49, 50, 51, 64, 99, 100]) {
                let pages = list.pages(limit);
                assert_eq!(pages.concat(), list.all(), "limit {limit}");
                // Every page but the last is full, and the last is not empty, unless it is the only one.
                let (last, full) = pages.split_last().unwrap();
                assert!(full.iter().all(|page| page.len() == limit), "limit {limit}");
                assert!(!last.is_empty() || full.is_empty(), "limit {limit}");
            }
        }
    }

    #[test]
    fn what_changes_behind_the_cursor_does_not_come_again() {
        let mut list = Shards::of(|shard| usize::from(shard < 2) * 3);
        let first = list.page(4, None);
        assert_eq!(first.entries, ["00-0000", "00-0001", "00-0002", "01-0000"]);
        // The entry that the cursor names goes, and one comes before it.
        list.keys[1].remove("01-0000");
        list.keys[0].insert("00-0003".to_owned());
        assert_eq!(list.page(4, first.next).entries, ["01-0001", "01-0002"]);
    }

    #[test]
    fn a_full_page_asks_for_no_more_shards_than_it_needs() {
        let list = Shards::of(|_| 200);
        let first = list.page(100, None);
        assert_eq!(list.asked.take(), [0]);
        list.page(100, first.next);
        assert_eq!(list.asked.take(), [0, 1, 2]);
        let thin = Shards::of(|_| 0);
        thin.page(100, None);
        assert_eq!(thin.asked.take(), Vec::from_iter(0..64));
    }

    #[test]
    fn a_shard_that_cannot_be_read_is_no_empty_one() {
        let wish = PageWish { limit: 1, after: None };
        let read = |shard, _: Option<&str>, _| {
            std::future::ready(if shard == 9 { Err(Failure::unavailable("away")) } else { Ok(Vec::<String>::new()) })
        };
        let page = page(0..64, &wish, String::as_str, read).now_or_never().unwrap();
        assert!(matches!(page, Err(Failure::Unavailable { .. })));
    }
}
