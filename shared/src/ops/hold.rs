//! Hold seats while the buyer pays. The script decides; the token is made before, so that a call whose answer was lost
//! can be sent again.

use super::Outcome;
use super::loading;
use crate::Stores;
use crate::domain::{Buyer, Held, Request, SeatId, ShowId};

/// What a buyer wants.
pub struct HoldWish {
    /// The show.
    pub show: ShowId,
    /// The seats.
    pub seats: Vec<SeatId>,
    /// How long, in ms; `None`: the show's default.
    pub ttl_ms: Option<u64>,
    /// Who asks.
    pub buyer: Buyer,
    /// What makes the request the same when it is sent again.
    pub request: Request,
}

/// Holds all of the seats, or none.
///
/// # Errors
/// When a store did not answer; whether the seats are held is then not known until the TTL has passed.
pub async fn hold(stores: &Stores, wish: &HoldWish) -> Outcome<Held> {
    let request = &wish.request;
    let held = loading::known(stores, &wish.show, || {
        stores.redis.hold_seats(&wish.show, request, &wish.seats, wish.ttl_ms, &wish.buyer)
    });
    Ok(held.await?.flatten())
}
