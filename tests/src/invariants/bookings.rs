//! What DynamoDB promises by itself, and that Redis agrees with it.

use std::collections::{BTreeMap, BTreeSet};

use super::arbiter::Arbiter;
use super::ledger::{Booking, Ledger, RefundKey};

/// INV-1, 2 and 10.
pub fn judge(ledger: &Ledger) -> Vec<String> {
    let mut faults = Vec::new();
    for (place, sold) in &ledger.sold {
        let booking = ledger.bookings.get(&sold.booking);
        let its_own = booking.filter(|booking| {
            booking.status == "confirmed" && booking.version == sold.version && booking.places.contains(place)
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

/// Confirmed, cancelled, restored and cancelled again take turns; a refusal is the first word and the last.
fn is_a_version_of(booking: &Booking) -> bool {
    match booking.status.as_str() {
        "confirmed" => booking.version % 2 == 1,
        "cancelled" => booking.version > 0 && booking.version.is_multiple_of(2),
        "refused" => booking.version == 1,
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
            ("confirmed", 1, _) => &[None],
            ("confirmed", ..) => &[Some("withdrawn")],
            ("cancelled", 2, true) => &[None],
            ("cancelled", _, true) => &[Some("withdrawn")],
            _ => &[Some("due"), Some("settled")],
        };
        if !allowed.contains(&refund) {
            faults.push(format!("INV-10: the payment of {id} ends as both or neither: {booking:?}, refund {refund:?}"));
        }
    }
    for key in ledger.refunds.keys().filter(|(_, booking)| !ledger.bookings.contains_key(booking)) {
        faults.push(format!("INV-10: the refund {key:?} is of no booking"));
    }
    let due = |(key, status): (_, &String)| (status == "due").then_some(key);
    let due: BTreeSet<&RefundKey> = ledger.refunds.iter().filter_map(due).collect();
    let listed: BTreeSet<&RefundKey> = ledger.listed.iter().collect();
    if due != listed {
        let [unlisted, settled] = [due.difference(&listed), listed.difference(&due)].map(Vec::from_iter);
        faults.push(format!("INV-10: due and not listed are {unlisted:?}, listed and not due {settled:?}"));
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
