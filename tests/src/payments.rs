//! Every payment that a test sent with a confirm, and what has to become of it: the ledger that INV-10 is judged by.
//!
//! It begins with what was sent and with what Redis was seen to keep, and not with the bookings that are there: so a payment
//! that is on record nowhere fails a test. [`Client`](crate::sys::Client) notes each confirm and its answer, the
//! [`monitor`](crate::monitor) each payment that a script writes into the record of a hold, and each loss of such a record.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use crate::sys::Answer;

/// A payment: the show, the hold token that it came for, and its reference.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The show.
    pub show: String,
    /// The hold token.
    pub token: String,
    /// The payment's reference.
    pub reference: String,
}

/// What is known of a payment.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sent {
    /// A caller was answered finally: the payment is on record.
    pub is_answered: bool,
    /// The token was never issued, or the caller is no seller: the payment is on record nowhere.
    pub is_foreign: bool,
    /// Redis keeps it with the hold: a reconcile puts it on record.
    pub is_kept: bool,
}

impl Sent {
    /// How many of booked, due and settled the payment has to be once nothing is under way.
    pub fn allowed(&self) -> &'static [usize] {
        match self {
            Sent { is_foreign: true, .. } => &[0],
            Sent { is_answered: true, .. } | Sent { is_kept: true, .. } => &[1],
            // The process may have died before it came to anything.
            Sent { .. } => &[0, 1],
        }
    }
}

static SENT: Mutex<BTreeMap<Key, Sent>> = Mutex::new(BTreeMap::new());

fn ledger() -> MutexGuard<'static, BTreeMap<Key, Sent>> {
    SENT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The payment of a request, if it is a confirm that carries one.
pub fn of_request(method: &str, path: &str, body: &Value) -> Option<Key> {
    let mut parts = path.strip_prefix("/shows/")?.split('/');
    let (show, holds, token, confirm) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let is_confirm = method == "POST" && holds == "holds" && confirm == "confirm" && parts.next().is_none();
    let reference = body["payment"]["reference"].as_str()?;
    is_confirm.then(|| Key { show: show.to_owned(), token: token.to_owned(), reference: reference.to_owned() })
}

/// Notes that a payment was sent.
pub fn sent(key: &Key) {
    ledger().entry(key.clone()).or_default();
}

/// Notes what a confirm with a payment was answered.
pub fn answered(key: &Key, answer: &Answer) {
    let mut ledger = ledger();
    let sent = ledger.entry(key.clone()).or_default();
    match (answer.status, answer.code()) {
        // Refused before it was looked at.
        (403, _) => sent.is_foreign = true,
        (409, "hold_lost") if answer.body["reason"] == "never_issued" => sent.is_foreign = true,
        (409, "in_progress") => {}
        (200 | 201 | 404 | 409 | 422, _) => (sent.is_answered, sent.is_foreign) = (true, false),
        _ => {}
    }
}

/// Notes that Redis keeps a payment with a hold.
pub fn kept(key: Key) {
    ledger().entry(key).or_default().is_kept = true;
}

/// Notes that Redis has lost the record of a hold.
pub fn lost(show: &str, token: &str) {
    for (key, sent) in ledger().iter_mut() {
        if key.show == show && key.token == token {
            sent.is_kept = false;
        }
    }
}

/// Every payment of a show.
pub fn of_show(show: &str) -> Vec<(Key, Sent)> {
    let ledger = ledger();
    ledger.iter().filter(|(key, _)| key.show == show).map(|(key, sent)| (key.clone(), *sent)).collect()
}
