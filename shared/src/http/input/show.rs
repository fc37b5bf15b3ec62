//! The body of `PUT /shows/{showId}`: a show with its defaults filled in.

use jiff::Timestamp;

use super::fields::{Faults, Fields, boolean, integer, object, objects, text};
use super::read_body;
use crate::domain::places::MAX_UNIT;
use crate::domain::show::{
    HoldPolicy, LateConfirm, Limits, MAX_LIFETIME_S, MAX_PLACES, MAX_TTL_S, MAX_ZONES, Row, Sale, Section, WaitingRoom,
    Zone,
};
use crate::domain::{MAX_PLACES_PER_REQUEST, RowId, SectionId, Show, ShowId, ZoneId};
use crate::http::json::Json;

/// A show as it was sent.
#[derive(Debug)]
pub struct ShowBody {
    /// The show; its version is 0.
    pub show: Show,
    /// The version that the caller believes to replace.
    pub version: Option<u64>,
}

impl ShowBody {
    /// Reads the body, or adds what is wrong with it.
    pub fn read(id: Option<ShowId>, json: Option<&Json>, faults: &mut Faults) -> Option<Self> {
        let body = read_body(json, faults, |fields| read(id, fields))?;
        // The layout is walked only once its ranges are known to be small enough.
        let problem = if faults.is_empty() { body.show.bad_seat() } else { None };
        if let Some(problem) = problem {
            faults.add("sections", problem);
        }
        Some(body)
    }
}

fn read(id: Option<ShowId>, fields: &mut Fields<'_, '_>) -> Option<ShowBody> {
    let named = fields.optional("showId", text(ShowId::parse));
    if let (Some(id), Some(named)) = (&id, &named)
        && id != named
    {
        fields.fault("showId", "must be that of the path");
    }
    let version = fields.optional("version", super::version);
    // A GET's answer can be PUT back.
    let _ = fields.optional("places", |_, _, _| Some(()));
    let name = fields.required("name", text(name));
    let starts_at = fields.optional("startsAt", text(instant));
    let sale = fields.optional("sale", object(sale));
    let (has_sections, has_zones) = (fields.has("sections"), fields.has("zones"));
    let sections = fields.optional("sections", objects(0, 10_000, section));
    let zones = fields.optional("zones", objects(0, MAX_ZONES, zone));
    let hold = fields.optional("hold", object(hold));
    let limits = fields.optional("limits", object(limits));
    let late_confirm = fields.optional("lateConfirm", text(late_confirm));
    let waiting_room = fields.optional("waitingRoom", object(waiting_room));

    let show = Show {
        show_id: id?,
        name: name?,
        starts_at,
        sale: sale.unwrap_or_default(),
        sections: if has_sections { sections? } else { Vec::new() },
        zones: if has_zones { zones? } else { Vec::new() },
        hold: hold.unwrap_or_else(|| hold_policy(None, None, None)),
        limits: limits.unwrap_or(Limits { max_places_per_hold: 10, max_places_per_user: None }),
        late_confirm: late_confirm.unwrap_or(LateConfirm::Rescue),
        waiting_room: waiting_room.unwrap_or(WaitingRoom {
            enabled: false,
            admit_per_minute: 600,
            pass_ttl_seconds: 600,
        }),
        version: 0,
    };
    if show.sections.is_empty() && show.zones.is_empty() {
        fields.fault("sections", "at least one section or zone is required");
    }
    if show.places() > MAX_PLACES {
        fields.fault("sections", format!("the show would have {} places, more than {MAX_PLACES}", show.places()));
    }
    twice(fields, "sections", show.sections.iter().map(|section| section.id.as_str()));
    twice(fields, "zones", show.zones.iter().map(|zone| zone.id.as_str()));
    Some(ShowBody { show, version })
}

/// Adds a fault for each id that was there before.
fn twice<'a>(fields: &mut Fields<'_, '_>, name: &str, ids: impl Iterator<Item = &'a str>) {
    let mut seen = std::collections::HashSet::new();
    for (index, id) in ids.enumerate() {
        if !seen.insert(id) {
            fields.fault(&format!("{name}[{index}].id"), "is there twice");
        }
    }
}

fn name(text: &str) -> Result<String, &'static str> {
    if (1..=500).contains(&text.chars().count()) && !text.chars().any(char::is_control) {
        Ok(text.to_owned())
    } else {
        Err("must be 1 to 500 characters")
    }
}

fn instant(text: &str) -> Result<Timestamp, &'static str> {
    let instant: Timestamp = text.parse().map_err(|_| "must be an RFC 3339 instant like 2027-01-20T19:30:00Z")?;
    let year_1970_to_9999 = 0..=253_402_300_799_000;
    if year_1970_to_9999.contains(&instant.as_millisecond()) { Ok(instant) } else { Err("must be from 1970 to 9999") }
}

fn sale(fields: &mut Fields<'_, '_>) -> Option<Sale> {
    let opens_at = fields.optional("opensAt", text(instant));
    let closes_at = fields.optional("closesAt", text(instant));
    if let (Some(opens), Some(closes)) = (opens_at, closes_at)
        && opens >= closes
    {
        fields.fault("closesAt", "must be after opensAt");
    }
    Some(Sale { opens_at, closes_at })
}

fn section(fields: &mut Fields<'_, '_>) -> Option<Section> {
    let id = fields.required("id", text(SectionId::parse));
    let prefix = fields.optional("prefix", text(RowId::parse));
    let rows = fields.required("rows", objects(1, 10_000, row));
    Some(Section { id: id?, prefix, rows: rows? })
}

fn row(fields: &mut Fields<'_, '_>) -> Option<Row> {
    let id = fields.required("id", text(RowId::parse));
    let from = fields.required("from", integer(1, 9_999)).and_then(|from| u32::try_from(from).ok());
    let to = fields.required("to", integer(1, 9_999)).and_then(|to| u32::try_from(to).ok());
    let (id, from, to) = (id?, from?, to?);
    if from > to {
        fields.fault("to", "must not be below from");
        return None;
    }
    Some(Row { id, from, to })
}

fn zone(fields: &mut Fields<'_, '_>) -> Option<Zone> {
    let id = fields.required("id", text(ZoneId::parse));
    let capacity = fields.required("capacity", integer(1, MAX_UNIT.into()));
    Some(Zone { id: id?, capacity: u32::try_from(capacity?).ok()? })
}

fn hold(fields: &mut Fields<'_, '_>) -> Option<HoldPolicy> {
    let default = fields.optional("defaultTtlSeconds", integer(1, MAX_TTL_S));
    let max = fields.optional("maxTtlSeconds", integer(1, MAX_TTL_S));
    let lifetime = fields.optional("maxLifetimeSeconds", integer(1, MAX_LIFETIME_S));
    if let (Some(default), Some(max)) = (default, max)
        && default > max
    {
        fields.fault("defaultTtlSeconds", "must not be above maxTtlSeconds");
    }
    Some(hold_policy(default, max, lifetime))
}

/// The policy with its defaults. What was not sent gives way to what was: `maxTtlSeconds: 60` alone makes the default
/// 60 too.
fn hold_policy(default: Option<u64>, max: Option<u64>, lifetime: Option<u64>) -> HoldPolicy {
    let max_ttl_seconds = max.unwrap_or_else(|| default.map_or(900, |default| default.max(900)));
    HoldPolicy {
        default_ttl_seconds: default.unwrap_or(300).min(max_ttl_seconds),
        max_ttl_seconds,
        max_lifetime_seconds: lifetime.unwrap_or(7200.max(max_ttl_seconds)),
    }
}

fn limits(fields: &mut Fields<'_, '_>) -> Option<Limits> {
    let per_hold = fields.optional("maxPlacesPerHold", integer(1, MAX_PLACES_PER_REQUEST as u64));
    let per_user = fields.optional("maxPlacesPerUser", integer(1, MAX_PLACES));
    Some(Limits { max_places_per_hold: per_hold.unwrap_or(10), max_places_per_user: per_user })
}

fn late_confirm(text: &str) -> Result<LateConfirm, &'static str> {
    match text {
        "rescue" => Ok(LateConfirm::Rescue),
        "refuse" => Ok(LateConfirm::Refuse),
        _ => Err("must be \"rescue\" or \"refuse\""),
    }
}

fn waiting_room(fields: &mut Fields<'_, '_>) -> Option<WaitingRoom> {
    let enabled = fields.optional("enabled", boolean).unwrap_or(false);
    let admit = fields.optional("admitPerMinute", integer(1, 10_000_000));
    let pass_ttl = fields.optional("passTtlSeconds", integer(1, MAX_TTL_S));
    if enabled {
        fields.fault("enabled", "must be false: there is no waiting room yet");
    }
    Some(WaitingRoom { enabled, admit_per_minute: admit.unwrap_or(600), pass_ttl_seconds: pass_ttl.unwrap_or(600) })
}
