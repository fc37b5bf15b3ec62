//! The bookings of a show, page by page: all of them, or those of a payment reference or of the caller's own order.

use std::collections::HashMap;

use super::Outcome;
use super::paging::page;
use crate::domain::page::{BookedBy, Page, PageWish};
use crate::domain::{Booking, BookingEntry, BookingId, Refund, RefundId, Refusal, ShowId};
use crate::{Failure, Stores};

/// Reads a page of a show's bookings, each with where the refund of its payment stands, as [`booking`](super::booking) does.
///
/// # Errors
/// When DynamoDB did not answer.
pub async fn list_bookings(
    stores: &Stores,
    show: &ShowId,
    by: &BookedBy,
    wish: &PageWish,
) -> Outcome<Page<(Booking, Option<Refund>)>> {
    let Page { entries, next } = match by {
        BookedBy::All => {
            let read = |shard, after, limit| stores.record.list_bookings(show, shard, after, limit);
            page(by.shards(), wish, key, read).await?
        }
        BookedBy::Reference(reference) => {
            let read = |_, after, limit| stores.record.find_by_reference(show, reference, after, limit);
            page(by.shards(), wish, key, read).await?
        }
        BookedBy::Order(order) => {
            let read = |_, after, limit| stores.record.find_by_order(show, order, after, limit);
            page(by.shards(), wish, key, read).await?
        }
    };
    // Only a list of nothing can be of a show that never was.
    if entries.is_empty() && stores.record.read_show(show).await?.is_none() {
        return Ok(Err(Refusal::ShowNotFound));
    }
    let ids: Vec<BookingId> = entries.iter().map(|entry| entry.booking).collect();
    let entries = with_refunds(stores, stores.record.read_bookings(&ids).await?).await?;
    Ok(Ok(Page { entries, next }))
}

fn key(entry: &BookingEntry) -> &str {
    &entry.key
}

/// The bookings, each with the refund of its own payment, as far as one is due.
async fn with_refunds(stores: &Stores, bookings: Vec<Booking>) -> Result<Vec<(Booking, Option<Refund>)>, Failure> {
    let due = bookings.iter().filter_map(|booking| Some(RefundId::of(booking.id, &booking.due_back()?.reference)));
    let records = stores.record.read_refunds(&due.collect::<Vec<_>>()).await?;
    let status: HashMap<BookingId, _> = records.iter().map(|record| (record.booking, record.status)).collect();
    let with_refund = bookings.into_iter().map(|booking| {
        let refund = booking.refund().map(|due| match status.get(&booking.id) {
            Some(status) => Refund { status: *status, ..due },
            None => due,
        });
        (booking, refund)
    });
    Ok(with_refund.collect())
}
