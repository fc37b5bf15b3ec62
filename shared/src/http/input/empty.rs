//! The body of a request that has nothing to say: restore, settle. It may be absent.

use super::fields::Faults;
use super::read_body;
use crate::http::json::Json;

/// A body without a field.
#[derive(Debug)]
pub struct EmptyBody;

impl EmptyBody {
    /// Reads the body, or adds what is wrong with it.
    pub fn read(json: Option<&Json>, faults: &mut Faults) -> Option<Self> {
        read_body(json, faults, |_| Some(EmptyBody))
    }
}
