//! What DynamoDB promises by itself, and that Redis agrees with it.

use std::collections::BTreeMap;

use super::arbiter::Arbiter;
use super::ledger::{Booking, Ledger};

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
        let is_confirmed = booking.status == "confirmed";
        let missing = |place: &&String| ledger.sold.get(*place).is_none_or(|sold| sold.booking != *id);
        let missing: Vec<&String> = booking.places.iter().filter(missing).collect();
        if is_confirmed && (!missing.is_empty() || booking.places.is_empty()) {
            faults.push(format!(
                "INV-2: booking {id} is confirmed, but these are not its own: {missing:?} of {booking:?}"
            ));
        }
        if booking.paid && booking.refund == is_confirmed {
            faults.push(format!("INV-10: the payment of {id} ends as both or neither: {booking:?}"));
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
    for (token, record) in arbiter.records.iter().filter(|(_, record)| record.state == "confirmed") {
        let has = |(_, booking): (&String, &Booking)| booking.status == "confirmed" && booking.places == record.places;
        if !ledger.bookings.iter().any(has) {
            faults.push(format!("INV-8: {token} is told to be confirmed, but no booking has {:?}", record.places));
        }
    }
    faults
}
