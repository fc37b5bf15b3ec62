//! A show: what is sold, and the policy of its holds. The fields are those of the contract's `PUT /shows/{showId}`, and
//! the same shape is what DynamoDB keeps. What a valid one is lies in `http::input::show`; the layout in [`layout`](super::layout).

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{RowId, SectionId, ShowId, ZoneId};

/// Most places of a show.
pub const MAX_PLACES: u64 = 100_000;
/// Most zones of a show: the script that loads one takes seven keys a zone, and no command may have 4,000 arguments.
pub const MAX_ZONES: usize = 400;
/// Longest TTL, in seconds.
pub const MAX_TTL_S: u64 = 86_400;
/// Longest life of a hold, in seconds.
pub const MAX_LIFETIME_S: u64 = 604_800;

/// One performance, sailing, service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Show {
    /// Its id.
    pub show_id: ShowId,
    /// What people call it.
    pub name: String,
    /// When it begins.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub starts_at: Option<Timestamp>,
    /// When places can be held.
    #[serde(skip_serializing_if = "Sale::is_always", default)]
    pub sale: Sale,
    /// Numbered seats.
    pub sections: Vec<Section>,
    /// General admission.
    pub zones: Vec<Zone>,
    /// How long holds last.
    pub hold: HoldPolicy,
    /// How many places a hold or a buyer may have.
    pub limits: Limits,
    /// What a confirm after the lapse does.
    pub late_confirm: LateConfirm,
    /// Who is let in, and how fast.
    pub waiting_room: WaitingRoom,
    /// Rises by one with each change.
    pub version: u64,
}

/// The sale window. A hold that was taken inside it may be confirmed after it has closed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Sale {
    /// From then on; absent: always.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub opens_at: Option<Timestamp>,
    /// Until just before then; absent: for ever.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub closes_at: Option<Timestamp>,
}

impl Sale {
    fn is_always(&self) -> bool {
        *self == Sale::default()
    }
}

/// A part of the house.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// Its id.
    pub id: SectionId,
    /// What its seats begin with.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub prefix: Option<RowId>,
    /// Its rows.
    pub rows: Vec<Row>,
}

/// Seats side by side: `E` from 1 to 20 is `E1`..`E20`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Its id.
    pub id: RowId,
    /// The first number.
    pub from: u32,
    /// The last number.
    pub to: u32,
}

/// A general-admission area.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Zone {
    /// Its id.
    pub id: ZoneId,
    /// How many units it has.
    pub capacity: u32,
}

/// Intervals of holds, in seconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HoldPolicy {
    /// When the request names none.
    pub default_ttl_seconds: u64,
    /// The longest that a request may name.
    pub max_ttl_seconds: u64,
    /// The longest that extensions may stretch a hold, from its start.
    pub max_lifetime_seconds: u64,
}

impl HoldPolicy {
    /// The longest TTL that a request may name, in ms.
    #[must_use]
    pub fn max_ttl_ms(&self) -> u64 {
        self.max_ttl_seconds * 1000
    }
}

/// Limits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Limits {
    /// Most places of one hold.
    pub max_places_per_hold: u64,
    /// Most places of one buyer; absent: no limit.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub max_places_per_user: Option<u64>,
}

/// What a confirm after the lapse does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LateConfirm {
    /// It takes the places again, if all of them are free.
    Rescue,
    /// It is refused.
    Refuse,
}

/// The waiting room. Kept with the show; nothing reads it yet, so it cannot be enabled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WaitingRoom {
    /// Whether a pass is needed.
    pub enabled: bool,
    /// How many are let in a minute.
    pub admit_per_minute: u64,
    /// How long a pass lasts, in seconds.
    pub pass_ttl_seconds: u64,
}
