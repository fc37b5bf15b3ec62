//! Hold units of a general-admission zone while the buyer pays: any of them, as many as asked for.

use super::Outcome;
use super::loading;
use crate::Stores;
use crate::domain::{Buyer, Request, ShowId, UnitsHeld, ZoneId};

/// What a buyer wants.
pub struct UnitsWish {
    /// The show.
    pub show: ShowId,
    /// The zone.
    pub zone: ZoneId,
    /// How many units.
    pub quantity: u64,
    /// How long, in ms; `None`: the show's default.
    pub ttl_ms: Option<u64>,
    /// Who asks.
    pub buyer: Buyer,
    /// What makes the request the same when it is sent again.
    pub request: Request,
}

/// Holds that many units, or none.
///
/// # Errors
/// When a store did not answer; whether units are held is then not known until the TTL has passed.
pub async fn stock_decrement(stores: &Stores, wish: &UnitsWish) -> Outcome<UnitsHeld> {
    let request = &wish.request;
    let held = loading::known(stores, &wish.show, || {
        stores.redis.take_units(&wish.show, request, &wish.zone, wish.quantity, wish.ttl_ms, &wish.buyer)
    });
    Ok(held.await?.flatten())
}
