//! What a hold or a booking has: seats by name, or units of one zone.

use std::collections::HashSet;

use sha2::{Digest, Sha256};

use super::{SeatId, ZoneId};

/// The highest number of a unit, and the largest capacity of a zone.
pub const MAX_UNIT: u32 = 100_000;

/// How many shards the sold places of a show are spread over (design, section 4).
pub const SHARDS: u8 = 64;

/// The places of one hold or booking, in the order of the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Places {
    /// Numbered seats.
    Seats(Vec<SeatId>),
    /// Units of one zone, by number: `GA-17` is 17 of `GA`.
    Units {
        /// The zone.
        zone: ZoneId,
        /// The numbers, from 1.
        numbers: Vec<u32>,
    },
}

impl Places {
    /// The ids of the places: `E7`, `GA-17`.
    #[must_use]
    pub fn ids(&self) -> Vec<String> {
        match self {
            Places::Seats(seats) => seats.iter().map(ToString::to_string).collect(),
            Places::Units { zone, numbers } => numbers.iter().map(|number| format!("{zone}-{number}")).collect(),
        }
    }

    /// The zone, for units.
    #[must_use]
    pub fn zone(&self) -> Option<&ZoneId> {
        match self {
            Places::Seats(_) => None,
            Places::Units { zone, .. } => Some(zone),
        }
    }

    /// How many places these are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Places::Seats(seats) => seats.len(),
            Places::Units { numbers, .. } => numbers.len(),
        }
    }

    /// Whether these are no places at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether both name the same places, in whatever order.
    #[must_use]
    pub fn same_as(&self, other: &Places) -> bool {
        let set = |places: &Places| places.ids().into_iter().collect::<HashSet<_>>();
        self.zone() == other.zone() && set(self) == set(other)
    }

    /// The same places with those that `chosen` picks first, and how many these are.
    #[must_use]
    pub fn with_first(&self, chosen: impl Fn(&str) -> bool) -> (Places, usize) {
        match self {
            Places::Seats(seats) => {
                let (mut first, rest): (Vec<_>, Vec<_>) = seats.iter().cloned().partition(|seat| chosen(seat.as_str()));
                let count = first.len();
                first.extend(rest);
                (Places::Seats(first), count)
            }
            Places::Units { zone, numbers } => {
                let (mut first, rest): (Vec<_>, Vec<_>) =
                    numbers.iter().partition(|number| chosen(&format!("{zone}-{number}")));
                let count = first.len();
                first.extend(rest);
                (Places::Units { zone: zone.clone(), numbers: first }, count)
            }
        }
    }

    /// The same places without the first `count`.
    #[must_use]
    pub fn without_first(&self, count: usize) -> Places {
        match self {
            Places::Seats(seats) => Places::Seats(seats.iter().skip(count).cloned().collect()),
            Places::Units { zone, numbers } => {
                Places::Units { zone: zone.clone(), numbers: numbers.iter().skip(count).copied().collect() }
            }
        }
    }

    /// These, then those of `others` that are not among them. Of another kind than these, `others` are left out.
    #[must_use]
    pub fn and(&self, others: &Places) -> Places {
        let mut places = self.clone();
        match (&mut places, others) {
            (Places::Seats(seats), Places::Seats(others)) => {
                let new: Vec<SeatId> = others.iter().filter(|seat| !seats.contains(seat)).cloned().collect();
                seats.extend(new);
            }
            (Places::Units { zone, numbers }, Places::Units { zone: other, numbers: others }) if zone == other => {
                let new: Vec<u32> = others.iter().filter(|number| !numbers.contains(number)).copied().collect();
                numbers.extend(new);
            }
            (Places::Seats(_) | Places::Units { .. }, _) => {}
        }
        places
    }

    /// The first `count` of the same places.
    #[must_use]
    pub fn first(&self, count: usize) -> Places {
        match self {
            Places::Seats(seats) => Places::Seats(seats.iter().take(count).cloned().collect()),
            Places::Units { zone, numbers } => {
                Places::Units { zone: zone.clone(), numbers: numbers.iter().take(count).copied().collect() }
            }
        }
    }

    /// Places as a store keeps them: the zone (empty for seats), and the ids with a space between.
    ///
    /// # Errors
    /// The text that is no place.
    pub fn from_stored(zone: &str, ids: &str) -> Result<Places, String> {
        let ids = ids.split(' ').filter(|id| !id.is_empty());
        if zone.is_empty() {
            let seats = ids.map(|id| SeatId::parse(id).map_err(|_| id.to_owned()));
            return Ok(Places::Seats(seats.collect::<Result<_, _>>()?));
        }
        let zone = ZoneId::parse(zone).map_err(|_| zone.to_owned())?;
        let numbers = ids.map(|id| unit_number(&zone, id).ok_or_else(|| id.to_owned()));
        Ok(Places::Units { numbers: numbers.collect::<Result<_, _>>()?, zone })
    }
}

/// The number of a unit id of `zone`: `GA-17` is 17; no leading zero, 1 to [`MAX_UNIT`].
#[must_use]
pub fn unit_number(zone: &ZoneId, id: &str) -> Option<u32> {
    let digits = id.strip_prefix(zone.as_str())?.strip_prefix('-')?;
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    digits.parse().ok().filter(|number| plain && (1..=MAX_UNIT).contains(number))
}

/// The shard that a place's sold item lies in, below [`SHARDS`].
#[must_use]
pub fn shard_of(text: &str) -> u8 {
    Sha256::digest(text).first().copied().unwrap_or(0) % SHARDS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_numbered_without_leading_zero() -> Result<(), &'static str> {
        let zone = ZoneId::parse("GA-1")?;
        assert_eq!(unit_number(&zone, "GA-1-17"), Some(17));
        assert_eq!(unit_number(&zone, "GA-1-100000"), Some(100_000));
        for bad in ["GA-1", "GA-1-", "GA-1-0", "GA-1-07", "GA-1-100001", "GA-1-+7", "GA-2-7", "GA-1-7x"] {
            assert_eq!(unit_number(&zone, bad), None, "{bad}");
        }
        Ok(())
    }

    #[test]
    fn places_survive_their_stored_form() -> Result<(), String> {
        for (zone, ids) in [("", "E7 E8"), ("GA", "GA-1 GA-2")] {
            let places = Places::from_stored(zone, ids)?;
            assert_eq!(places.ids().join(" "), ids);
            assert_eq!(places.zone().map_or("", ZoneId::as_str), zone);
        }
        assert_eq!(Places::from_stored("GA", "E7"), Err("E7".to_owned()));
        Ok(())
    }

    #[test]
    fn shards_are_used_evenly() {
        let mut counts = [0; SHARDS as usize];
        for number in 0..6400 {
            counts[usize::from(shard_of(&format!("E{number}")))] += 1;
        }
        assert!(counts.iter().all(|&count| (50..160).contains(&count)), "{counts:?}");
    }
}
