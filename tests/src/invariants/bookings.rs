//! What DynamoDB promises by itself, and that Redis agrees with it.

use std::collections::BTreeMap;

use holdfast::domain::{BookingId, HoldToken, ShowId};

use super::arbiter::Arbiter;
use super::ledger::{Booking, Ledger};
use crate::payments;
use crate::sys::refund_of;

/// INV-1, 2 and 10.
pub fn judge(ledger: &Ledger) -> Vec<String> {
    let mut faults = Vec::new();
    for (place, sold) in &ledger.sold {
        let booking = ledger.bookings.get(&sold.booking);
        let its_own = booking.filter(|booking| {
            booking.status == "confirmed" && booking.sold_version == sold.version && booking.places.contains(place)
        });
        if its_own.is_none() {
            faults.push(format!("INV-1: {place} is sold to {sold:?}, but that booking is {booking:?}"));
        }
    }
    for (id, booking) in &ledger.bookings {
        let missing = |place: &&String| ledger.sold.get(*place).is_none_or(|sold| sold.booking != *id);
        let missing: Vec<&String> = booking.places.iter().filter(missing).collect();
        if booking.status == "confirmed" && (!missing.is_empty() || booking.places.is_empty()) {
            faults.push(format!(
                "INV-2: booking {id} is confirmed, but these are not its own: {missing:?} of {booking:?}"
            ));
        }
        if !is_a_version_of(booking) {
            faults.push(format!("INV-8: booking {id} cannot have come to this: {booking:?}"));
        }
    }
    faults.extend(judge_refunds(ledger));
    faults
}

/// A refusal is the first word and the last; a cancel comes after the version that took the places, and a payment may.
fn is_a_version_of(booking: &Booking) -> bool {
    let Booking { version, sold_version, .. } = *booking;
    match booking.status.as_str() {
        "confirmed" => 0 < sold_version && sold_version <= version,
        "cancelled" => 0 < sold_version && sold_version < version,
        "refused" => version == 1,
        _ => false,
    }
}

/// INV-10: a payment ends as a booking, or as a refund on record; and what is due is listed, and nothing else is.
fn judge_refunds(ledger: &Ledger) -> Vec<String> {
    let mut faults = Vec::new();
    for (id, booking) in &ledger.bookings {
        let Some(reference) = &booking.payment else { continue };
        let refund = ledger.refunds.get(&(reference.clone(), id.clone())).map(String::as_str);
        let allowed: &[Option<&str>] = match (booking.status.as_str(), booking.version, booking.refunded) {
            ("confirmed", 1, _) | ("cancelled", 2, true) => &[None],
            // Restored with this payment.
            ("confirmed", version, _) if version == booking.sold_version => &[Some("withdrawn")],
            // The payment may have come after the restore.
            ("confirmed", ..) | ("cancelled", _, true) => &[None, Some("withdrawn")],
            _ => &[Some("due"), Some("settled")],
        };
        if !allowed.contains(&refund) {
            faults.push(format!("INV-10: the payment of {id} ends as both or neither: {booking:?}, refund {refund:?}"));
        }
    }
    for (key @ (_, booking), status) in &ledger.refunds {
        if !ledger.bookings.contains_key(booking) {
            faults.push(format!("INV-10: the refund {key:?} is of no booking"));
        }
        let is_listed = ledger.listed.contains(&refund_of(&key.1, &key.0).to_string());
        if is_listed != (status == "due") {
            faults.push(format!("INV-10: the refund {key:?} is {status}, listed as due: {is_listed}"));
        }
    }
    faults
}

/// INV-10 again, from the other end: each payment that was ever sent is exactly one of booked, due and settled, as far as
/// anybody was answered, or Redis keeps it. A refund that is withdrawn is one of a payment that is booked.
pub fn judge_payments(ledger: &Ledger, show: &ShowId) -> Vec<String> {
    let mut faults = Vec::new();
    for (key, sent) in payments::of_show(show.as_str()) {
        // A test may send what is no token.
        let Ok(token) = HoldToken::from_stored(&key.token) else { continue };
        let id = BookingId::of(show, token).to_string();
        let booking = ledger.bookings.get(&id).filter(|booking| booking.payment.as_ref() == Some(&key.reference));
        let is_booked = booking.is_some_and(|booking| booking.status == "confirmed");
        let is_paid_back = booking.is_some_and(|booking| booking.refunded);
        let refund = ledger.refunds.get(&(key.reference.clone(), id)).filter(|status| *status != "withdrawn");
        let ends = [is_booked, is_paid_back, refund.is_some()].into_iter().filter(|ends| *ends).count();
        if !sent.allowed().contains(&ends) {
            faults.push(format!("INV-10: {key:?} is on record {ends} times: {sent:?}, {booking:?}, refund {refund:?}"));
        }
    }
    faults
}

/// INV-9 and 11: Redis says of every place what DynamoDB says, and nobody holds a sold one.
pub fn judge_agreement(arbiter: &Arbiter, ledger: &Ledger) -> Vec<String> {
    let mut faults = Vec::new();
    if arbiter.loaded {
        let recorded: BTreeMap<&String, &String> =
            ledger.sold.iter().map(|(place, sold)| (place, &sold.booking)).collect();
        let seats = arbiter.seats.iter().filter(|(_, booking)| !booking.is_empty());
        let units = arbiter.zones.iter().flat_map(|(zone, units)| {
            units.sold.iter().map(move |(number, booking)| (format!("{zone}-{number}"), booking))
        });
        let units: BTreeMap<String, &String> = units.collect();
        let marked: BTreeMap<&String, &String> =
            seats.chain(units.iter().map(|(place, booking)| (place, *booking))).collect();
        for (place, booking) in &marked {
            if recorded.get(place) != Some(booking) {
                faults.push(format!(
                    "INV-11: {place} is marked as {booking}'s, but on record is {:?}",
                    recorded.get(place)
                ));
            }
        }
        for (place, booking) in recorded.iter().filter(|(place, _)| !marked.contains_key(**place)) {
            faults.push(format!("INV-11: {place} is sold to {booking}, but not marked"));
        }
    }
    for (token, record) in arbiter.records.iter().filter(|(_, record)| arbiter.is_live(record)) {
        for place in record.places.iter().filter(|place| ledger.sold.contains_key(*place)) {
            faults.push(format!("INV-9: {token} holds {place}, which is sold to {:?}", ledger.sold[place]));
        }
    }
    for token in arbiter.confirming.keys() {
        faults.push(format!("INV-11: {token} is still listed as being confirmed: {:?}", arbiter.records.get(token)));
    }
    for (token, record) in &arbiter.records {
        let booking = ledger.bookings.get(&record.booking);
        // A restore may have had to take other units than the first time.
        let is_so = match (record.state.as_str(), booking) {
            ("confirmed", Some(booking)) => {
                booking.status != "refused" && (booking.version > 1 || booking.places == record.places)
            }
            ("refused", Some(booking)) => booking.status == "refused",
            ("confirmed" | "refused", None) => false,
            _ => true,
        };
        if !is_so {
            faults.push(format!("INV-8: {token} is told to be {record:?}, but its booking is {booking:?}"));
        }
    }
    faults
}
