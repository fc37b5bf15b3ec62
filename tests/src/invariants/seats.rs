//! What Redis promises of seats: locks, records and the index say the same.

use super::arbiter::Arbiter;

/// INV-3, 5 and 6, and that a lock and a sale exclude each other.
pub fn judge(arbiter: &Arbiter) -> Vec<String> {
    let mut faults = Vec::new();
    for (seat, lock) in &arbiter.locks {
        if lock.left_ms < 0 {
            faults.push(format!("INV-6: the lock of {seat} never ends"));
        }
        let record = arbiter.records.get(&lock.token);
        let is_its_own = record.is_some_and(|record| {
            record.zone.is_empty() && record.places.contains(seat) && matches!(&*record.state, "active" | "confirming")
        });
        if !is_its_own {
            faults.push(format!("INV-3: {seat} is locked by {}, whose record is {record:?}", lock.token));
        }
        if arbiter.seats.get(seat).is_some_and(|booking| !booking.is_empty()) {
            faults.push(format!("INV-9: {seat} is locked by {} and sold to {}", lock.token, arbiter.seats[seat]));
        }
        if record.is_some_and(|record| arbiter.held.get(seat) != Some(&record.deadline_ms)) {
            faults.push(format!(
                "rule 6: {seat} is indexed with {:?}, its record says {record:?}",
                arbiter.held.get(seat)
            ));
        }
    }
    for (token, record) in arbiter.live("") {
        let lost = |seat: &&String| arbiter.locks.get(*seat).is_none_or(|lock| lock.token != *token);
        let lost: Vec<&String> = record.places.iter().filter(lost).collect();
        if !lost.is_empty() {
            faults.push(format!("INV-5: {token} holds {:?}, but has no lock of {lost:?}", record.places));
        }
    }
    for (token, record) in &arbiter.records {
        if record.left_ms < 0 {
            faults.push(format!("INV-6: the record of {token} never ends"));
        }
        if (record.state == "confirming") != arbiter.confirming.contains_key(token) {
            faults.push(format!(
                "INV-11: {token} is {}, and in the list of pins: {:?}",
                record.state, arbiter.confirming
            ));
        }
    }
    faults
}
