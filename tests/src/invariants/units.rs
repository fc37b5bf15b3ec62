//! What Redis promises of zones: every unit is in one place, and the count is right.

use std::collections::BTreeSet;

use super::MARGIN_MS;
use super::arbiter::{Arbiter, Units};
use super::ledger::Zones;

/// INV-7, and INV-3 and 5 for units.
pub fn judge(arbiter: &Arbiter, zones: &Zones) -> Vec<String> {
    let mut faults = Vec::new();
    if !arbiter.loaded {
        return faults;
    }
    for (zone, capacity) in zones {
        let (zone, units) = (zone.as_str(), &arbiter.zones[zone.as_str()]);
        faults.extend(judge_zone(units, *capacity, arbiter.now_ms).into_iter().map(|fault| format!("{zone}: {fault}")));
        faults.extend(judge_holds(arbiter, zone, units).into_iter().map(|fault| format!("{zone}: {fault}")));
    }
    faults
}

/// The units among themselves.
fn judge_zone(units: &Units, capacity: i64, now_ms: i64) -> Vec<String> {
    let mut faults = Vec::new();
    let (held, sold) = (units.held.len() as i64, units.sold.len() as i64);
    // The count still has what lapsed as held, until the next touch; the promise is about live holds.
    let live = units.held.values().filter(|deadline_ms| **deadline_ms > now_ms).count() as i64;
    if units.stock + held + sold != capacity || live + sold > capacity {
        faults.push(format!("INV-7: {} left + {held} held ({live} live) + {sold} sold, of {capacity}", units.stock));
    }
    let sets: [(&str, BTreeSet<&i64>); 3] = [
        ("returned", units.returned.keys().collect()),
        ("held", units.held.keys().collect()),
        ("sold", units.sold.keys().collect()),
    ];
    for (at, (name, set)) in sets.iter().enumerate() {
        for (other_name, other) in &sets[at + 1..] {
            let both: Vec<_> = set.intersection(other).collect();
            if !both.is_empty() {
                faults.push(format!("INV-7: {both:?} are {name} and {other_name}"));
            }
        }
    }
    if !units.held.keys().eq(units.holders.keys()) {
        faults.push(format!("INV-3: held are {:?}, but holders have {:?}", units.held, units.holders));
    }
    // What was handed out once and is nowhere now would never be sold.
    let somewhere = |number: &i64| sets.iter().any(|(_, set)| set.contains(number));
    let lost: Vec<i64> = (1..units.next.min(capacity + 1)).filter(|number| !somewhere(number)).collect();
    if !lost.is_empty() {
        faults.push(format!("INV-7: {lost:?} are lost: below the next fresh one, {}, and nowhere", units.next));
    }
    // And what is fresh and returned would be handed out twice.
    let twice: Vec<_> = units.returned.keys().filter(|number| **number >= units.next).collect();
    if !twice.is_empty() {
        faults.push(format!("INV-7: {twice:?} are returned, and fresh from {} on", units.next));
    }
    faults
}

/// The units against the records of their holds.
fn judge_holds(arbiter: &Arbiter, zone: &str, units: &Units) -> Vec<String> {
    let mut faults = Vec::new();
    let name = |number: &i64| format!("{zone}-{number}");
    for (number, deadline_ms) in units.held.iter().filter(|(_, deadline_ms)| **deadline_ms > arbiter.now_ms + MARGIN_MS)
    {
        let record = units.holders.get(number).and_then(|token| arbiter.records.get(token));
        let is_its_own = record.is_some_and(|record| {
            record.zone == zone && record.places.contains(&name(number)) && record.deadline_ms == *deadline_ms
        });
        if !is_its_own {
            faults.push(format!(
                "INV-3: {number} is held until {deadline_ms} by {:?}: {record:?}",
                units.holders.get(number)
            ));
        }
    }
    for (token, record) in arbiter.live(zone) {
        let holds = |number: &i64| units.holders.get(number) == Some(token) && units.held.contains_key(number);
        let held: BTreeSet<String> = units.held.keys().filter(|number| holds(number)).map(name).collect();
        let lost: Vec<&String> = record.places.iter().filter(|unit| !held.contains(*unit)).collect();
        if !lost.is_empty() {
            faults.push(format!("INV-5: {token} holds {:?}, but not {lost:?}", record.places));
        }
    }
    faults
}
