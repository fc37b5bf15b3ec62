//! Calls that read many records at once, by their keys.

use std::collections::HashMap;
use std::time::Duration;

use aws_sdk_dynamodb::types::KeysAndAttributes;
use futures_util::future::BoxFuture;

use super::items::Item;
use super::keys::Key;
use super::{Dynamo, items, keys};
use crate::Failure;
use crate::domain::{Booking, BookingId, Decision, RefundId, RefundRecord};

/// Most keys of one batch.
const KEYS_PER_BATCH: usize = 100;
/// Bookings of one payment reference that are looked at.
const STANDING: usize = 1_000;
/// What the wait for records that a batch left out starts from.
const BACK_OFF: Duration = Duration::from_millis(20);

impl Dynamo {
    /// These bookings as they are now, 100 at most, each read consistently, in this order; those that are not there are
    /// left out.
    pub async fn read_bookings(&self, ids: &[BookingId]) -> Result<Vec<Booking>, Failure> {
        let items = self.get_all(ids.iter().map(|id| keys::booking(*id)).collect()).await?;
        let found = ids.iter().zip(items).filter_map(|(id, item)| Some((*id, item?)));
        found.map(|(id, item)| items::read_booking(id, &item)).collect()
    }
}

impl Dynamo {
    /// These refunds as they are now, 100 at most, each read consistently, in this order; those that are not there are left
    /// out.
    pub async fn read_refunds(&self, ids: &[RefundId]) -> Result<Vec<RefundRecord>, Failure> {
        let items = self.get_all(ids.iter().map(|id| keys::refund(*id)).collect()).await?;
        items.iter().flatten().map(items::read_refund).collect()
    }
}

impl Dynamo {
    /// The confirmed bookings, of any show, that this reference pays for, but the one that is excepted. Read consistently.
    pub async fn standing_bookings(
        &self,
        reference: &str,
        except: Option<BookingId>,
    ) -> Result<Vec<BookingId>, Failure> {
        let entries = self.after(keys::reference_partition(reference), "", None, STANDING).await?;
        let entries = entries.iter().map(|item| items::read_booking_entry(item).map(|entry| entry.booking));
        let mut ids: Vec<BookingId> = entries.collect::<Result<_, _>>()?;
        ids.retain(|id| Some(*id) != except);
        let mut standing = Vec::new();
        for ids in ids.chunks(KEYS_PER_BATCH) {
            let items = self.get_all(ids.iter().map(|id| keys::booking(*id)).collect()).await?;
            let found = ids.iter().zip(items).filter_map(|(id, item)| Some((*id, item?)));
            // One that cannot be read here, because another release wrote it, may stand.
            let stands = |(id, item): &(BookingId, Item)| {
                items::read_booking(*id, item).map_or(true, |booking| booking.decision == Decision::Confirmed)
            };
            standing.extend(found.filter(stands).map(|(id, _)| id));
        }
        Ok(standing)
    }
}

impl Dynamo {
    /// The items of these keys, 100 at most, each read consistently, in their order. What the store leaves out, because it
    /// is too much for one answer or it is busy, is asked for again within the deadline. Boxed like [`Dynamo::transact`].
    fn get_all(&self, keys: Vec<Key>) -> BoxFuture<'_, Result<Vec<Option<Item>>, Failure>> {
        const WHAT: &str = "get of many items";
        Box::pin(async move {
            let mut found = HashMap::new();
            let mut attempt = 0;
            let mut left = (!keys.is_empty()).then(|| consistent(&keys)).transpose()?;
            while let Some(wanted) = left {
                let get = self.client.batch_get_item().request_items(&self.table, wanted);
                let answer = self.within(WHAT, get.send()).await?;
                let items = answer.responses.unwrap_or_default().remove(&self.table).unwrap_or_default();
                found.extend(items.into_iter().filter_map(|item| Some((Key::of(&item)?, item))));
                left = answer.unprocessed_keys.unwrap_or_default().remove(&self.table);
                if left.is_some() && !self.deadline.back_off(attempt, BACK_OFF).await {
                    return Err(Failure::unavailable(WHAT));
                }
                attempt += 1;
            }
            Ok(keys.iter().map(|key| found.remove(key)).collect())
        })
    }
}

fn consistent(keys: &[Key]) -> Result<KeysAndAttributes, Failure> {
    let keys = keys.iter().map(Key::attributes).collect();
    let wanted = KeysAndAttributes::builder().consistent_read(true).set_keys(Some(keys));
    wanted.build().map_err(|error| Failure::internal_because("keys of a batch", error))
}
