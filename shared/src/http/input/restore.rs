//! The body of a restore. Everything in it is optional, and so is the body.

use super::fields::Faults;
use super::{read_body, version};
use crate::http::json::Json;

/// `POST /bookings/{bookingId}/restore`
#[derive(Debug)]
pub struct RestoreBody {
    /// The version that the caller believes to restore.
    pub version: Option<u64>,
}

impl RestoreBody {
    /// Reads the body, or adds what is wrong with it.
    pub fn read(json: Option<&Json>, faults: &mut Faults) -> Option<Self> {
        read_body(json, faults, |fields| Some(RestoreBody { version: fields.optional("version", version) }))
    }
}
