//! The seats of a show, from its ranges, and what changes between two versions of it.

use std::collections::HashSet;

use super::SeatId;
use super::show::{Show, Zone};

impl Show {
    /// How many places the show has: seats and units.
    #[must_use]
    pub fn places(&self) -> u64 {
        let seats = self.sections.iter().flat_map(|section| &section.rows).map(|row| u64::from(row.to - row.from + 1));
        seats.sum::<u64>() + self.zones.iter().map(|zone| u64::from(zone.capacity)).sum::<u64>()
    }

    /// The seats, in the order of the layout, as text.
    pub fn seats(&self) -> impl Iterator<Item = String> + '_ {
        self.sections.iter().flat_map(|section| {
            let prefix = section.prefix.as_ref().map_or("", |prefix| prefix.as_str());
            section.rows.iter().flat_map(move |row| (row.from..=row.to).map(move |n| format!("{prefix}{}{n}", row.id)))
        })
    }

    /// The first seat of the layout that cannot be: longer than a seat id may be, there twice, or like a unit of a zone.
    /// In words.
    #[must_use]
    pub fn bad_seat(&self) -> Option<String> {
        let zones: HashSet<&str> = self.zones.iter().map(|zone| zone.id.as_str()).collect();
        let mut seen = HashSet::new();
        self.seats().find_map(|seat| {
            if SeatId::parse(&seat).is_err() {
                return Some(format!("seat {seat} would be longer than 32 characters"));
            }
            if let Some(zone) = unit_zone(&seat).filter(|zone| zones.contains(zone)) {
                return Some(format!("seat {seat} looks like a unit of zone {zone}"));
            }
            let twice = format!("seat {seat} is there twice");
            (!seen.insert(seat)).then_some(twice)
        })
    }

    /// What replacing `self` by `next` takes away.
    #[must_use]
    pub fn change_to(&self, next: &Show) -> Change {
        let after: HashSet<String> = next.seats().collect();
        let capacity = |show: &Show, zone: &Zone| {
            show.zones.iter().find(|other| other.id == zone.id).map_or(0, |other| other.capacity)
        };
        Change {
            seats_removed: self.seats().filter(|seat| !after.contains(seat)).collect(),
            zones_lowered: self
                .zones
                .iter()
                .map(|zone| Zone { id: zone.id.clone(), capacity: capacity(next, zone) })
                .filter(|lowered| lowered.capacity < capacity(self, lowered))
                .collect(),
        }
    }

    /// Whether both are the same but for the version.
    #[must_use]
    pub fn same_as(&self, other: &Show) -> bool {
        *self == Show { version: self.version, ..other.clone() }
    }
}

/// What a new version of a show takes away.
#[derive(Debug, PartialEq, Eq)]
pub struct Change {
    /// Seats that go.
    pub seats_removed: Vec<String>,
    /// Zones that get smaller, with their new capacity; 0: the zone goes.
    pub zones_lowered: Vec<Zone>,
}

/// The zone that a seat's name begins with, if it reads zone id, hyphen, digits: like a unit, whatever the capacity
/// (contract: "Identifiers").
fn unit_zone(seat: &str) -> Option<&str> {
    let (zone, digits) = seat.rsplit_once('-')?;
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(zone)
}
