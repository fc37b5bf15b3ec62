//! The body of a cancel. Everything in it is optional, and so is the body.

use super::fields::{Faults, boolean, text};
use super::{read_body, version};
use crate::http::json::Json;

/// Most characters of a reason.
const MAX_REASON: usize = 500;

/// `POST /bookings/{bookingId}/cancel`
#[derive(Debug)]
pub struct CancelBody {
    /// The caller's words.
    pub reason: Option<String>,
    /// Whether the money is back already; `None`: the caller does not say.
    pub refunded: Option<bool>,
    /// The version that the caller believes to cancel.
    pub version: Option<u64>,
}

impl CancelBody {
    /// Reads the body, or adds what is wrong with it.
    pub fn read(json: Option<&Json>, faults: &mut Faults) -> Option<Self> {
        read_body(json, faults, |fields| {
            Some(CancelBody {
                reason: fields.optional("reason", text(reason)),
                refunded: fields.optional("refunded", boolean),
                version: fields.optional("version", version),
            })
        })
    }
}

fn reason(text: &str) -> Result<String, String> {
    if text.chars().count() <= MAX_REASON {
        Ok(text.to_owned())
    } else {
        Err(format!("must have at most {MAX_REASON} characters"))
    }
}
