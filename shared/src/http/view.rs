//! How holds, shows, bookings and zones look in JSON.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};

use crate::domain::refund::RefundListed;
use crate::domain::show::Sale;
use crate::domain::{
    Booking, BookingId, Decision, HoldState, HoldToken, Lease, Places, Refund, Show, ShowEntry, ShowId, ZoneCount,
    ZoneId,
};

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
        state: state.as_str(),
        expires_in_ms: lease.expires_in_ms,
        expires_at: instant(lease.deadline_ms),
        booking_id: booking.map(|id| id.to_string()),
    }
}

/// A hold that Redis has forgotten, from its booking.
#[must_use]
pub fn decided_hold(token: HoldToken, booking: &Booking) -> impl Serialize + use<'_> {
    let (state, id) = match booking.decision {
        Decision::Confirmed | Decision::Cancelled(_) => (HoldState::Confirmed, Some(booking.id.to_string())),
        Decision::Refused(_) => (HoldState::Refused, None),
    };
    HoldView {
        hold_token: token.to_string(),
        show_id: booking.show.as_str(),
        places: PlacesView::of(booking.places.as_ref()),
        remaining: None,
        state: state.as_str(),
        expires_in_ms: 0,
        expires_at: instant(booking.decided_at_ms),
        booking_id: id,
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
    version: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confirmed_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    payment: Option<&'a crate::domain::Payment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    order_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cancelled_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refund: Option<Value>,
}

/// A booking, and the refund of its payment.
#[must_use]
pub fn booking<'a>(booking: &'a Booking, refund: Option<&Refund>) -> impl Serialize + use<'a> {
    let (status, code, cancelled) = match &booking.decision {
        Decision::Confirmed => ("confirmed", None, None),
        Decision::Cancelled(cancelled) => ("cancelled", None, Some(cancelled)),
        Decision::Refused(because) => ("refused", Some(because.code()), None),
    };
    BookingView {
        booking_id: booking.id.to_string(),
        show_id: booking.show.as_str(),
        places: PlacesView::of(booking.places.as_ref()),
        status,
        version: booking.version,
        code,
        confirmed_at: code.is_none().then(|| instant(booking.decided_at_ms)),
        payment: booking.payment.as_ref(),
        order_id: booking.order.as_ref().map(|order| order.as_str()),
        cancelled_at: cancelled.map(|cancelled| instant(cancelled.at_ms)),
        reason: cancelled.and_then(|cancelled| cancelled.reason.as_deref()),
        refund: refund.map(self::refund),
    }
}

/// What a caller is told of a refund.
#[must_use]
pub fn refund(refund: &Refund) -> Value {
    json!({"reference": refund.reference, "status": refund.status.as_str()})
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RefundView<'a> {
    refund_id: String,
    reference: &'a str,
    booking_id: String,
    show_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    amount: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    currency: Option<&'a str>,
    reason: &'a str,
    hold_found: bool,
    created_at: String,
    status: &'static str,
    standing_bookings: Vec<String>,
}

/// A refund, with the bookings that its payment still pays for.
#[must_use]
pub fn refund_record(listed: &RefundListed) -> impl Serialize + use<'_> {
    let RefundListed { record: refund, standing } = listed;
    RefundView {
        refund_id: refund.id.to_string(),
        reference: &refund.payment.reference,
        booking_id: refund.booking.to_string(),
        show_id: refund.show.as_str(),
        amount: refund.payment.amount.as_deref(),
        currency: refund.payment.currency.as_deref(),
        reason: &refund.reason,
        hold_found: refund.hold_found,
        created_at: instant(refund.created_at_ms),
        status: if listed.is_in_use() { "in_use" } else { refund.status.as_str() },
        standing_bookings: standing.iter().map(ToString::to_string).collect(),
    }
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
#[serde(rename_all = "camelCase")]
struct ShowEntryView<'a> {
    show_id: &'a str,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    starts_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sale: Option<Sale>,
    places: u64,
    version: u64,
}

/// A show, in a list of them. As in the whole show, a sale window without bounds is left out.
#[must_use]
pub fn show_entry(entry: &ShowEntry) -> impl Serialize + use<'_> {
    let sale = Sale { opens_at: entry.opens_at, closes_at: entry.closes_at };
    ShowEntryView {
        show_id: entry.show.as_str(),
        name: &entry.name,
        starts_at: entry.starts_at,
        sale: Some(sale).filter(|sale| *sale != Sale::default()),
        places: entry.places,
        version: entry.version,
    }
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
