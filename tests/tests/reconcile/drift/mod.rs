//! Every way in which the stores of a show can have come apart: how it comes about, what a reconcile repairs of it, and
//! what a user sees afterwards.

mod layout;
mod lost;
mod pinned;
mod sold;
mod units;

use holdfast::domain::Repairs;

use crate::house::{House, Plot};

/// What was made of a plot.
pub struct Made {
    /// What a reconcile has to repair.
    pub repairs: Repairs,
    /// The token, or the booking, that [`Drift::judge`] asks about.
    pub about: String,
}

macro_rules! drifts {
    ($($kind:ident = $module:ident::$name:ident,)*) => {
        /// A way to come apart.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Drift { $(#[allow(missing_docs)] $kind,)* }

        impl Drift {
            /// All of them.
            pub const ALL: &[Drift] = &[$(Drift::$kind),*];

            /// Lets it happen.
            pub async fn make(self, house: &House, plot: Plot) -> Made {
                match self { $(Drift::$kind => $module::$name::make(house, plot).await,)* }
            }

            /// Fails the test unless users see what they should, once it is repaired.
            pub async fn judge(self, house: &House, plot: Plot, about: &str) {
                match self { $(Drift::$kind => $module::$name::judge(house, plot, about).await,)* }
            }
        }
    };
}

drifts! {
    OlderVersion = layout::older,
    PinnedAndPaid = pinned::paid,
    PinnedUnits = pinned::units,
    PinnedUnpaid = pinned::unpaid,
    PinnedAndBooked = pinned::booked,
    PinnedAndSoldToAnother = pinned::rival,
    PinnedRestore = pinned::restore,
    SeatsUnmarked = sold::seats_unmarked,
    UnitsUnmarked = sold::units_unmarked,
    CancelledNotFreed = sold::cancelled,
    SeatOfNoBooking = sold::nobodys_seat,
    UnitOfNoBooking = sold::nobodys_unit,
    SoldToAnother = sold::wrong_buyer,
    HoldOfASoldSeat = lost::seats,
    HoldOfAMarkedSeat = lost::marked,
    HoldOfASoldUnit = lost::units,
    LapsedSeats = lost::lapsed_seats,
    LapsedUnits = lost::lapsed_units,
    TornUnits = units::torn,
    WrongStock = units::stock,
    SeatMissing = layout::missing,
    SeatTooMany = layout::stray,
    GivenUp = layout::given_up,
}

/// The sum of repairs; a show gets its version once.
pub fn sum(all: impl IntoIterator<Item = Repairs>) -> Repairs {
    all.into_iter().fold(Repairs::default(), |sum, one| Repairs {
        settled: sum.settled + one.settled,
        marked: sum.marked + one.marked,
        freed: sum.freed + one.freed,
        expired: sum.expired + one.expired,
        holds_lost: sum.holds_lost + one.holds_lost,
        units_recounted: sum.units_recounted + one.units_recounted,
        policy_updated: sum.policy_updated.max(one.policy_updated),
    })
}
