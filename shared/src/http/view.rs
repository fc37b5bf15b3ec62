//! How holds, shows, bookings and zones look in JSON.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};

use crate::domain::{Booking, BookingId, Decision, HoldToken, Places, Refund, Show, ShowId, ZoneId};
use crate::ports::{HoldState, Lease, ZoneCount};

/// An instant in ms since the epoch, as RFC 3339 with three digits of seconds.
#[must_use]
pub fn instant(ms: i64) -> String {
    Timestamp::from_millisecond(ms).map(|instant| format!("{instant:.3}")).unwrap_or_default()
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HoldView<'a> {
    hold_token: String,
    show_id: &'a str,
    #[serde(flatten)]
    places: PlacesView,
    #[serde(skip_serializing_if = "Option::is_none")]
    remaining: Option<u64>,
    state: &'static str,
    expires_in_ms: u64,
    expires_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    booking_id: Option<String>,
}

/// `seats`, or `zone` and `units`.
#[derive(Serialize)]
#[serde(untagged)]
enum PlacesView {
    Seats { seats: Vec<String> },
    Units { zone: String, units: Vec<String> },
    None {},
}

impl PlacesView {
    fn of(places: Option<&Places>) -> Self {
        match places {
            Some(places @ Places::Seats(_)) => PlacesView::Seats { seats: places.ids() },
            Some(places @ Places::Units { zone, .. }) => {
                PlacesView::Units { zone: zone.to_string(), units: places.ids() }
            }
            None => PlacesView::None {},
        }
    }
}

/// A hold.
#[must_use]
pub fn hold<'a>(
    show: &'a ShowId,
    token: HoldToken,
    places: &Places,
    state: HoldState,
    lease: &Lease,
    remaining: Option<u64>,
    booking: Option<BookingId>,
) -> impl Serialize + use<'a> {
    HoldView {
        hold_token: token.to_string(),
        show_id: show.as_str(),
        places: PlacesView::of(Some(places)),
        remaining,
        state: state_name(state),
        expires_in_ms: lease.expires_in_ms,
        expires_at: instant(lease.deadline_ms),
        booking_id: booking.map(|id| id.to_string()),
    }
}

/// A hold that Redis has forgotten, from its booking.
#[must_use]
pub fn decided_hold(token: HoldToken, booking: &Booking) -> impl Serialize + use<'_> {
    let (state, id) = match booking.decision {
        Decision::Confirmed => (HoldState::Confirmed, Some(booking.id.to_string())),
        Decision::Refused(_) => (HoldState::Refused, None),
    };
    HoldView {
        hold_token: token.to_string(),
        show_id: booking.show.as_str(),
        places: PlacesView::of(booking.places.as_ref()),
        remaining: None,
        state: state_name(state),
        expires_in_ms: 0,
        expires_at: instant(booking.decided_at_ms),
        booking_id: id,
    }
}

fn state_name(state: HoldState) -> &'static str {
    match state {
        HoldState::Active => "active",
        HoldState::Confirming => "confirming",
        HoldState::Confirmed => "confirmed",
        HoldState::Refused => "refused",
        HoldState::Released => "released",
        HoldState::Expired => "expired",
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BookingView<'a> {
    booking_id: String,
    show_id: &'a str,
    #[serde(flatten)]
    places: PlacesView,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confirmed_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    payment: Option<&'a crate::domain::Payment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    order_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refund: Option<Value>,
}

/// A booking.
#[must_use]
pub fn booking(booking: &Booking) -> impl Serialize + use<'_> {
    let (status, code, confirmed_at) = match &booking.decision {
        Decision::Confirmed => ("confirmed", None, Some(instant(booking.decided_at_ms))),
        Decision::Refused(because) => ("refused", Some(because.code()), None),
    };
    BookingView {
        booking_id: booking.id.to_string(),
        show_id: booking.show.as_str(),
        places: PlacesView::of(booking.places.as_ref()),
        status,
        code,
        confirmed_at,
        payment: booking.payment.as_ref(),
        order_id: booking.order.as_ref().map(|order| order.as_str()),
        refund: booking.refund().as_ref().map(refund),
    }
}

/// A refund that is due.
#[must_use]
pub fn refund(refund: &Refund) -> Value {
    json!({"reference": refund.reference, "status": "due"})
}

#[derive(Serialize)]
struct ShowView<'a> {
    #[serde(flatten)]
    show: &'a Show,
    places: u64,
}

/// A show.
#[must_use]
pub fn show(show: &Show) -> impl Serialize + use<'_> {
    ShowView { show, places: show.places() }
}

#[derive(Serialize)]
struct ZoneView<'a> {
    zone: &'a str,
    capacity: u64,
    remaining: u64,
    held: u64,
    sold: u64,
}

/// A zone, counted.
#[must_use]
pub fn zone(zone: &ZoneId, count: ZoneCount) -> impl Serialize + use<'_> {
    let ZoneCount { capacity, held, sold } = count;
    ZoneView { zone: zone.as_str(), capacity, remaining: capacity.saturating_sub(held + sold), held, sold }
}
