//! Calls of a confirm: pin, mark, free. Everything that moves a place between sold and for sale goes through the
//! last two.

use super::codes::Code;
use super::hold::{payments, place_keys, stored_places, zone};
use super::reply::Reply;
use super::{Redis, keys, scripts};
use crate::domain::payment::Payments;
use crate::domain::{
    BookingId, Buyer, Claim, Ending, Freed, HoldToken, Marked, OrderId, PIN_MS, Pin, Pinned, Places, ShowId, Sold,
};
use crate::{Failure, Touch, Touched};

impl Redis {
    /// Fixes a hold, or takes the places of a lapsed one again. With `restores`, takes the places of that booking, whatever
    /// the sale window and the limits say.
    pub async fn pin_hold(
        &self,
        show: &ShowId,
        token: HoldToken,
        places: &Places,
        claim: &Claim,
        restores: Option<BookingId>,
    ) -> Touched<Pin> {
        let mut keys = vec![
            keys::show(show),
            keys::hold(show, token),
            keys::held(show),
            keys::events(show),
            keys::confirming(show),
        ];
        keys.extend(place_keys(show, places));
        let payment = stored(&claim.payments)?;
        let order = claim.order.as_ref().map_or("", OrderId::as_str);
        let restores = restores.map(|booking| booking.to_string()).unwrap_or_default();
        let (token, pin_ms, ids) = (token.to_string(), PIN_MS.to_string(), places.ids());
        let mut args = vec![token.as_str(), &pin_ms, &payment, order, claim.buyer.as_str(), &restores, zone(places)];
        args.extend(ids.iter().map(String::as_str));

        let reply = self.call(&scripts::PIN, &keys, &args).await?;
        Ok(Touch::Known(match reply.code()? {
            Code::Ok => Pin::Pinned(Pinned {
                confirmed_at_ms: reply.integer(1)?,
                claim: stored_claim(&reply)?,
                places: stored_places(&reply, zone(places), 5)?.ok_or_else(|| reply.unexpected("no places"))?,
                first: stored_places(&reply, zone(places), 6)?,
            }),
            Code::Decided => Pin::Decided,
            Code::OtherPlaces => Pin::OtherPlaces,
            // More payments than are kept came for one token, and none of them is on record yet.
            Code::InProgress => return Err(Failure::Undecided),
            Code::HoldLost => {
                let pinned = if reply.integer(1)? > 0 { Some(stored_claim(&reply)?) } else { None };
                let gone = reply.text(5)?.split_ascii_whitespace().map(ToOwned::to_owned);
                Pin::Lost { pinned, gone: gone.collect() }
            }
            Code::Closing => return Ok(Touch::Closing { left_ms: reply.integer(1)? }),
            Code::NotLoaded => return Ok(Touch::NotLoaded),
            Code::Again => return Ok(Touch::Again),
            code => return Err(reply.unexpected(code.name())),
        }))
    }
}

/// The claim of all pins, in fields 2 to 4.
fn stored_claim(reply: &Reply) -> Result<Claim, Failure> {
    let order = match reply.text(3)? {
        "" => None,
        order => Some(OrderId::parse(order).map_err(|_| reply.unexpected("an order that cannot be read"))?),
    };
    let buyer = Buyer::from_hash(reply.text(4)?.to_owned());
    Ok(Claim { payments: payments(reply, 2)?, order, buyer })
}

/// Payments as scripts take them.
fn stored(payments: &Payments) -> Result<String, Failure> {
    payments.stored().map_err(|error| Failure::internal_because("payments as JSON", error))
}

impl Redis {
    /// Marks places as sold, and ends the hold of `token`.
    pub async fn mark_sold(&self, show: &ShowId, token: HoldToken, sold: Sold<'_>) -> Touched<Marked> {
        let (outcome, hold_booking) = outcome(sold.ending);
        let (buyer, version, count) = (sold.buyer.to_string(), sold.version.to_string(), sold.count.to_string());
        let (token_text, recorded, ids) = (token.to_string(), stored(sold.recorded)?, sold.places.ids());
        let mut args = vec![buyer.as_str(), &version, &token_text, outcome, &hold_booking, &recorded, &count];
        args.push(zone(sold.places));
        args.extend(ids.iter().map(String::as_str));

        let keys = settle_keys(show, token, sold.buyer, sold.places);
        let reply = self.call(&scripts::MARK, &keys, &args).await?;
        done(&reply, |reply| Ok(Marked { places: reply.count(1)?, ended: reply.integer(3)? == 1 }))
    }
}

impl Redis {
    /// Gives places back for sale, and ends the hold of `token`. Answers how many it freed.
    pub async fn free_places(&self, show: &ShowId, token: HoldToken, freed: Freed<'_>) -> Touched<u64> {
        let (outcome, _) = outcome(freed.ending);
        let (booking, version) = (freed.booking.to_string(), freed.version.to_string());
        let (token_text, recorded, ids) = (token.to_string(), stored(freed.recorded)?, freed.places.ids());
        let mut args = vec![booking.as_str(), &version, &token_text, outcome, &recorded, zone(freed.places)];
        args.extend(ids.iter().map(String::as_str));

        let keys = settle_keys(show, token, freed.booking, freed.places);
        done(&self.call(&scripts::FREE, &keys, &args).await?, |reply| reply.count(1))
    }
}

/// The state that a hold ends in, and the booking that it is told to be.
fn outcome(ending: Ending) -> (&'static str, String) {
    match ending {
        Ending::Confirmed(booking) => ("confirmed", booking.to_string()),
        Ending::Refused(booking) => ("refused", booking.to_string()),
        Ending::Lost => ("expired", String::new()),
        Ending::GoesOn => ("", String::new()),
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

/// What came of a mark or a free.
fn done<T>(reply: &Reply, read: impl FnOnce(&Reply) -> Result<T, Failure>) -> Touched<T> {
    match reply.code()? {
        Code::Ok => read(reply).map(Touch::Known),
        Code::NotLoaded => Ok(Touch::NotLoaded),
        code => Err(reply.unexpected(code.name())),
    }
}
