//! The ports of a confirm: pin, mark, free. Everything that moves a place between sold and for sale goes through the
//! last two.

use super::codes::Code;
use super::hold::{place_keys, zone};
use super::reply::Reply;
use super::{Redis, keys, scripts};
use crate::Failure;
use crate::domain::{BookingId, Buyer, HoldToken, OrderId, PIN_MS, Places, ShowId};
use crate::ports::{Claim, FreePlaces, MarkSold, Pin, PinHold, Sold, Touch, Touched};

impl PinHold for Redis {
    async fn pin_hold(&self, show: &ShowId, token: HoldToken, places: &Places, claim: &Claim) -> Touched<Pin> {
        let mut keys = vec![
            keys::show(show),
            keys::hold(show, token),
            keys::held(show),
            keys::events(show),
            keys::confirming(show),
        ];
        keys.extend(place_keys(show, places));
        let payment = claim.payment.as_ref().map_or(Ok(String::new()), serde_json::to_string);
        let payment = payment.map_err(|error| Failure::internal_because("payment as JSON", error))?;
        let order = claim.order.as_ref().map_or("", OrderId::as_str);
        let (token, pin_ms, ids) = (token.to_string(), PIN_MS.to_string(), places.ids());
        let mut args = vec![token.as_str(), &pin_ms, &payment, order, claim.buyer.as_str(), zone(places)];
        args.extend(ids.iter().map(String::as_str));

        let reply = self.call(&scripts::PIN, &keys, &args).await?;
        Ok(Touch::Known(match reply.code()? {
            Code::Ok => Pin::Pinned { confirmed_at_ms: reply.integer(1)?, claim: stored_claim(&reply)? },
            Code::Decided => Pin::Decided,
            Code::HoldLost if reply.integer(1)? > 0 => Pin::Lost { pinned: Some(stored_claim(&reply)?) },
            Code::HoldLost => Pin::Lost { pinned: None },
            Code::Closing => return Ok(Touch::Closing { left_ms: reply.integer(1)? }),
            Code::NotLoaded => return Ok(Touch::NotLoaded),
            code => return Err(reply.unexpected(code.name())),
        }))
    }
}

/// The claim of the first pin, in fields 2 to 4.
fn stored_claim(reply: &Reply) -> Result<Claim, Failure> {
    let payment = match reply.text(2)? {
        "" => None,
        json => Some(serde_json::from_str(json).map_err(|_| reply.unexpected("a payment that is none"))?),
    };
    let order = match reply.text(3)? {
        "" => None,
        order => Some(OrderId::parse(order).map_err(|_| reply.unexpected("an order that is none"))?),
    };
    Ok(Claim { payment, order, buyer: Buyer::from_hash(reply.text(4)?.to_owned()) })
}

impl MarkSold for Redis {
    async fn mark_sold(&self, show: &ShowId, token: HoldToken, sold: Sold<'_>) -> Touched<()> {
        let own = BookingId::of(show, token);
        let outcome = if own == sold.buyer { "confirmed" } else { "refused" };
        let (buyer, version, count) = (sold.buyer.to_string(), sold.version.to_string(), sold.count.to_string());
        let (token_text, own, ids) = (token.to_string(), own.to_string(), sold.places.ids());
        let mut args = vec![buyer.as_str(), &version, &token_text, outcome, &own, &count, zone(sold.places)];
        args.extend(ids.iter().map(String::as_str));

        let keys = settle_keys(show, token, sold.buyer, sold.places);
        done(&self.call(&scripts::MARK, &keys, &args).await?)
    }
}

impl FreePlaces for Redis {
    async fn free_places(&self, show: &ShowId, token: HoldToken, version: u64, places: &Places) -> Touched<()> {
        let booking = BookingId::of(show, token);
        let (booking_text, version, token_text) = (booking.to_string(), version.to_string(), token.to_string());
        let ids = places.ids();
        let mut args = vec![booking_text.as_str(), &version, &token_text, "refused", zone(places)];
        args.extend(ids.iter().map(String::as_str));

        let keys = settle_keys(show, token, booking, places);
        done(&self.call(&scripts::FREE, &keys, &args).await?)
    }
}

/// The keys that `mark` and `free` take.
fn settle_keys(show: &ShowId, token: HoldToken, booking: BookingId, places: &Places) -> Vec<String> {
    let mut keys = vec![
        keys::show(show),
        keys::hold(show, token),
        keys::held(show),
        keys::events(show),
        keys::confirming(show),
        keys::booking(show, booking),
    ];
    keys.extend(place_keys(show, places));
    keys
}

fn done(reply: &Reply) -> Touched<()> {
    match reply.code()? {
        Code::Ok => Ok(Touch::Known(())),
        Code::NotLoaded => Ok(Touch::NotLoaded),
        code => Err(reply.unexpected(code.name())),
    }
}
