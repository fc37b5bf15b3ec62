//! What a reconcile keeps: events of shows, how far they were drained, and where the last run stopped.

use super::super::keys;
use super::{Attributes, Item, item, number, text};
use crate::Failure;
use crate::domain::{Drained, Event, ShowId};

/// An event of a show. `expiresAt`, in seconds, is the table's TTL.
pub(in super::super) fn audit_item(show: &ShowId, epoch: &str, event: &Event, days: u64) -> Item {
    let at_ms: u64 = event.id.split('-').next().and_then(|ms| ms.parse().ok()).unwrap_or_default();
    let details = serde_json::to_string(&event.details).ok().filter(|_| !event.details.is_empty());
    let attributes = [
        ("show", Some(text(show.as_str()))),
        ("event", Some(text(&event.what))),
        ("places", Some(text(&event.places))),
        ("details", details.map(text)),
        ("at", Some(number(at_ms))),
        ("expiresAt", Some(number(at_ms / 1000 + days * 86_400))),
    ];
    item(&keys::audit(show, epoch, &event.id), attributes)
}

/// How far the events of a show were drained.
pub(in super::super) fn drained_item(show: &ShowId, drained: &Drained) -> Item {
    let attributes = [
        ("epoch", Some(text(&drained.epoch))),
        ("last", Some(text(&drained.last))),
        ("count", Some(number(drained.count))),
    ];
    item(&keys::drained(show), attributes)
}

/// The same, from its item.
pub(in super::super) fn read_drained(item: &Item) -> Result<Drained, Failure> {
    let attributes = Attributes::of(item)?;
    Ok(Drained {
        epoch: attributes.text("epoch")?.to_owned(),
        last: attributes.text("last")?.to_owned(),
        count: attributes.number("count")?,
    })
}

/// Where the last run stopped; empty: it came to its end, or there was none.
pub(in super::super) fn stopped_at(item: &Item) -> String {
    Attributes(item).optional("stopped").unwrap_or_default().to_owned()
}
