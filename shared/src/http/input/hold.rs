//! The bodies of hold, extend and decrement.

use super::fields::{Faults, Fields, integer};
use super::{read_body, seats};
use crate::domain::{MAX_PLACES_PER_REQUEST, SeatId};
use crate::http::json::Json;

/// A TTL, in ms. What is above any show's maximum is told once the show is known, unless no clock could carry it.
fn ttl_ms(fields: &mut Fields<'_, '_>, required: bool) -> Option<Option<u64>> {
    const ANY: u64 = 9_007_199_254_740;
    let parse = |json: &Json, path: &str, faults: &mut Faults| {
        let seconds = match json {
            Json::Integer(seconds) => u64::try_from(*seconds).ok().filter(|seconds| (1..=ANY).contains(seconds)),
            _ => None,
        };
        if seconds.is_none() {
            faults.add(path, "must be an integer of seconds, at least 1 and at most the show's maximum");
        }
        seconds.map(|seconds| seconds * 1000)
    };
    if required {
        fields.required("ttlSeconds", parse).map(Some)
    } else if fields.has("ttlSeconds") {
        fields.optional("ttlSeconds", parse).map(Some)
    } else {
        Some(None)
    }
}

/// `POST .../holds`
#[derive(Debug)]
pub struct HoldBody {
    /// The seats, 1 to 96, none twice.
    pub seats: Vec<SeatId>,
    /// The TTL; `None`: the show's default.
    pub ttl_ms: Option<u64>,
}

impl HoldBody {
    /// Reads the body, or adds what is wrong with it.
    pub fn read(json: Option<&Json>, faults: &mut Faults) -> Option<Self> {
        read_body(json, faults, |fields| {
            let (seats, ttl_ms) = (fields.required("seats", seats), ttl_ms(fields, false));
            Some(HoldBody { seats: seats?, ttl_ms: ttl_ms? })
        })
    }
}

/// `PATCH .../holds/{holdToken}`
#[derive(Debug)]
pub struct ExtendBody {
    /// From now on at least that long.
    pub ttl_ms: u64,
}

impl ExtendBody {
    /// Reads the body, or adds what is wrong with it.
    pub fn read(json: Option<&Json>, faults: &mut Faults) -> Option<Self> {
        read_body(json, faults, |fields| Some(ExtendBody { ttl_ms: ttl_ms(fields, true)?? }))
    }
}

/// `POST .../stock/{zoneId}/decrement`
#[derive(Debug)]
pub struct DecrementBody {
    /// How many units, 1 to 96.
    pub quantity: u64,
    /// The TTL; `None`: the show's default.
    pub ttl_ms: Option<u64>,
}

impl DecrementBody {
    /// Reads the body, or adds what is wrong with it.
    pub fn read(json: Option<&Json>, faults: &mut Faults) -> Option<Self> {
        read_body(json, faults, |fields| {
            let quantity = fields.required("quantity", integer(1, MAX_PLACES_PER_REQUEST as u64));
            let ttl_ms = ttl_ms(fields, false);
            Some(DecrementBody { quantity: quantity?, ttl_ms: ttl_ms? })
        })
    }
}
