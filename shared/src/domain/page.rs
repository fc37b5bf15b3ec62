//! Lists are answered page by page: which lists there are, what a caller wants of one, and what comes of it.

use std::ops::Range;

use super::places::SHARDS;
use super::{OrderId, ShowId};

/// A list that operators read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum List {
    /// All shows.
    Shows,
    /// The bookings of a show.
    Bookings(ShowId, BookedBy),
    /// The refunds that are due.
    Refunds,
}

impl List {
    /// The shards that it is spread over.
    #[must_use]
    pub fn shards(&self) -> Range<u8> {
        match self {
            List::Shows | List::Refunds => 0..SHARDS,
            List::Bookings(_, by) => by.shards(),
        }
    }
}

/// Which bookings of a show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BookedBy {
    /// Everybody's.
    All,
    /// Those that carried this payment reference.
    Reference(String),
    /// Those that came with this order of the caller.
    Order(OrderId),
}

impl BookedBy {
    /// The shards that these are spread over: those of one reference or order lie together.
    #[must_use]
    pub fn shards(&self) -> Range<u8> {
        match self {
            BookedBy::All => 0..SHARDS,
            BookedBy::Reference(_) | BookedBy::Order(_) => 0..1,
        }
    }
}

/// The last entry that a caller has seen: the next page begins after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// The shard that it lies in.
    pub shard: u8,
    /// What sorts it in there.
    pub key: String,
}

/// What a caller wants of a list.
#[derive(Clone, Debug)]
pub struct PageWish {
    /// Most entries of the page.
    pub limit: usize,
    /// Where it begins; `None`: at the beginning.
    pub after: Option<Cursor>,
}

/// A page of a list.
#[derive(Clone, Debug)]
pub struct Page<T> {
    /// Its entries.
    pub entries: Vec<T>,
    /// Where the next page begins; `None`: this is the last one.
    pub next: Option<Cursor>,
}
