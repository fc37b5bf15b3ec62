//! The words of the business, and the rules that need no store: ids, a show and its layout, places, payments, bookings,
//! refusals. Pure: no I/O, no clock, no SDK. Start at [`show`] for what is sold and at [`booking`] for what became of it.

pub mod booking;
pub mod confirm;
pub mod hold;
pub mod idempotency;
pub mod ids;
pub mod layout;
pub mod loading;
pub mod page;
pub mod payment;
pub mod places;
pub mod record;
pub mod refund;
pub mod refusal;
pub mod report;
pub mod roles;
pub mod show;
pub mod survey;
pub mod token;

pub use booking::{Booking, Cancellation, Decision, Refund, RefusedBecause};
pub use confirm::{Claim, Ending, Freed, Marked, Pin, Pinned, Sold};
pub use hold::{Held, HoldRecord, HoldState, Lease, UnitsHeld, ZoneCount};
pub use idempotency::{IdempotencyKey, Request};
pub use ids::{BookingId, Buyer, RefundId, RowId, SeatId, SectionId, ShowId, ZoneId};
pub use loading::{Chunk, Close, Closing, LoadLease, Turn, Unloaded};
pub use payment::{OrderId, Payment};
pub use places::Places;
pub use record::{Adoption, BookingEntry, Drained, RefundEntry, ShowEntry, SoldPlace, Verdict};
pub use refund::{RefundRecord, RefundStatus};
pub use refusal::{NotRestorable, Refusal, SeatTaken};
pub use report::{CacheNode, Checked, Gauges, Repairs, Report, ReportError, ShowReport};
pub use roles::Roles;
pub use show::Show;
pub use survey::{Event, Events, FoundKeys, PinnedToken, PlaceState, Replacement, Scanned, Survey};
pub use token::{HoldToken, PresentedToken, TokenSecrets};

/// Most places that one request may name (contract: "Identifiers").
pub const MAX_PLACES_PER_REQUEST: usize = 96;

/// How far a pin moves the deadline of a hold, in ms: two periods of a reconcile that runs every minute, and a budget.
pub const PIN_MS: u64 = 150_000;
