//! Calls about seats and a token's life: hold, status, extend, release. Each calls the script of the same name.

use super::codes::Code;
use super::reply::Reply;
use super::{Redis, keys, scripts};
use crate::domain::payment::Payments;
use crate::domain::{
    BookingId, Buyer, Held, HoldRecord, HoldState, HoldToken, Lease, Places, Refusal, Request, SeatId, SeatTaken,
    ShowId, ZoneId,
};
use crate::{Failure, Touch, Touched};

/// A sale window without a bound reads 0 and this.
pub(super) const FOR_EVER_MS: i64 = 9_007_199_254_740_991;

impl Redis {
    /// Takes all seats, or none. `ttl_ms` of `None` is the show's default. Harmless when repeated with the same token.
    pub async fn hold_seats(
        &self,
        show: &ShowId,
        request: &Request,
        seats: &[SeatId],
        ttl_ms: Option<u64>,
        buyer: &Buyer,
    ) -> Touched<Result<Held, Refusal>> {
        let epoch = self.epochs.of(show, request);
        let tokens = request.tokens(&epoch);
        let token = first(&tokens)?.to_string();
        let mut keys = vec![keys::show(show), keys::seats(show), keys::held(show), keys::events(show)];
        keys.extend(tokens.iter().map(|token| keys::hold(show, *token)));
        keys.extend(seats.iter().map(|seat| keys::seat_hold(show, seat)));
        let (ttl_ms, count) = (ttl_ms.unwrap_or(0).to_string(), tokens.len().to_string());
        let mut args = vec![token.as_str(), &epoch, &ttl_ms, buyer.as_str(), request.digest(), &count];
        args.extend(seats.iter().map(SeatId::as_str));

        let reply = self.call(&scripts::HOLD, &keys, &args).await?;
        let named = |position: i64| {
            let index = usize::try_from(position - 1).ok();
            let seat = index.and_then(|index| seats.get(index));
            seat.map(ToString::to_string).ok_or_else(|| reply.unexpected("a seat that was not asked for"))
        };
        Ok(Touch::Known(match reply.code()? {
            Code::Ok => Ok(Held {
                token: known_token(&reply, &tokens, 4)?,
                places: stored_places(&reply, "", 6)?.ok_or_else(|| reply.unexpected("a hold without places"))?,
                lease: lease(&reply)?,
                state: state(&reply, 3)?,
            }),
            Code::HoldLost => Err(ended(&reply, &tokens, 3)?),
            Code::NotLoaded => return Ok(Touch::NotLoaded),
            Code::OtherEpoch => {
                self.epochs.learn(show, reply.text(3)?);
                return Ok(Touch::Again);
            }
            Code::Closing => return Ok(Touch::Closing { left_ms: reply.exactly::<1>(3)?[0] }),
            Code::UnknownPlace => {
                let seats = reply.numbers(3)?.into_iter().map(named).collect::<Result<_, _>>()?;
                Err(Refusal::UnknownSeat { seats })
            }
            Code::Unavailable => {
                let seats = reply.text(3)?.split_ascii_whitespace().map(|entry| {
                    let (position, frees) = entry.split_once(':').ok_or_else(|| reply.unexpected(entry))?;
                    let position = position.parse().map_err(|_| reply.unexpected(entry))?;
                    // Anything but a number is `sold`.
                    Ok(SeatTaken { seat: named(position)?, frees_in_ms: frees.parse().ok() })
                });
                Err(Refusal::SeatUnavailable { seats: seats.collect::<Result<_, Failure>>()? })
            }
            code => Err(common_refusal(&reply, code)?),
        }))
    }
}

impl Redis {
    /// What Redis knows of a token; `None`: nothing.
    pub async fn find_hold(&self, show: &ShowId, token: HoldToken) -> Touched<Option<HoldRecord>> {
        let reply = self.call(&scripts::HOLD_STATUS, &[keys::show(show), keys::hold(show, token)], &[]).await?;
        match reply.code()? {
            Code::NotLoaded => Ok(Touch::NotLoaded),
            Code::HoldLost => Ok(Touch::Known(None)),
            Code::Ok => {
                let places = stored_places(&reply, reply.text(4)?, 5)?;
                Ok(Touch::Known(Some(HoldRecord {
                    state: state(&reply, 1)?,
                    lease: Lease { expires_in_ms: reply.count(2)?, deadline_ms: reply.integer(3)? },
                    places: places.ok_or_else(|| reply.unexpected("a hold without places"))?,
                    booking: booking(&reply, 6)?,
                    first: stored_places(&reply, reply.text(4)?, 7)?,
                    restores: booking(&reply, 8)?,
                    buyer: Buyer::from_hash(reply.text(9)?.to_owned()),
                    payments: payments(&reply, 10)?,
                })))
            }
            code => Err(reply.unexpected(code.name())),
        }
    }
}

impl Redis {
    /// Moves the deadline to at least `ttl_ms` from now. A repeat moves it no further than the wish does.
    pub async fn extend_hold(
        &self,
        show: &ShowId,
        token: HoldToken,
        places: &Places,
        ttl_ms: u64,
    ) -> Touched<Result<Lease, Refusal>> {
        let keys = held_place_keys(show, token, places);
        let (token, ttl_ms, ids) = (token.to_string(), ttl_ms.to_string(), places.ids());
        let mut args = vec![token.as_str(), &ttl_ms, zone(places)];
        args.extend(ids.iter().map(String::as_str));

        let reply = self.call(&scripts::EXTEND, &keys, &args).await?;
        Ok(Touch::Known(match reply.code()? {
            Code::Ok => Ok(lease(&reply)?),
            Code::NotLoaded => return Ok(Touch::NotLoaded),
            Code::HoldLost => Err(Refusal::HoldLost { booking: booking(&reply, 3)? }),
            Code::InProgress => Err(Refusal::InProgress),
            Code::ExtendLimit => {
                let [max_ms] = reply.exactly(3)?;
                Err(Refusal::ExtendLimit { max_lifetime_s: max_ms.unsigned_abs() / 1000 })
            }
            code => Err(common_refusal(&reply, code)?),
        }))
    }
}

impl Redis {
    /// Gives all places back.
    pub async fn release_hold(&self, show: &ShowId, token: HoldToken, places: &Places) -> Touched<Result<(), Refusal>> {
        let keys = held_place_keys(show, token, places);
        let (token, ids) = (token.to_string(), places.ids());
        let mut args = vec![token.as_str(), zone(places)];
        args.extend(ids.iter().map(String::as_str));

        let reply = self.call(&scripts::RELEASE, &keys, &args).await?;
        Ok(Touch::Known(match reply.code()? {
            Code::Ok => Ok(()),
            Code::NotLoaded => return Ok(Touch::NotLoaded),
            Code::HoldLost => Err(Refusal::HoldLost { booking: booking(&reply, 1)? }),
            Code::InProgress => Err(Refusal::InProgress),
            code => return Err(reply.unexpected(code.name())),
        }))
    }
}

/// The token to make a hold with.
pub(super) fn first(tokens: &[HoldToken]) -> Result<HoldToken, Failure> {
    tokens.first().copied().ok_or_else(|| Failure::internal("a request without a token"))
}

/// The token that the script knows, of those that were asked for; field `at` tells which.
pub(super) fn known_token(reply: &Reply, tokens: &[HoldToken], at: usize) -> Result<HoldToken, Failure> {
    let which = reply.count(at)?.checked_sub(1).and_then(|index| tokens.get(usize::try_from(index).ok()?));
    which.copied().ok_or_else(|| reply.unexpected("a token that was not asked for"))
}

/// The refusal of a repeat whose hold has ended: its state in field `at`, then which token it has, then its booking.
pub(super) fn ended(reply: &Reply, tokens: &[HoldToken], at: usize) -> Result<Refusal, Failure> {
    let state = state(reply, at)?;
    let booking = booking(reply, at + 2)?.filter(|_| state == HoldState::Confirmed);
    Ok(Refusal::HoldEnded { token: known_token(reply, tokens, at + 1)?, state, booking })
}

/// The keys of a hold and of its places, as `extend` and `release` take them.
fn held_place_keys(show: &ShowId, token: HoldToken, places: &Places) -> Vec<String> {
    let mut keys = vec![keys::show(show), keys::hold(show, token), keys::held(show), keys::events(show)];
    keys.extend(place_keys(show, places));
    keys
}

/// The keys of places, as `lua/lib/places.lua` takes them: last.
pub(super) fn place_keys(show: &ShowId, places: &Places) -> Vec<String> {
    match places {
        Places::Seats(seats) => {
            std::iter::once(keys::seats(show)).chain(seats.iter().map(|seat| keys::seat_hold(show, seat))).collect()
        }
        Places::Units { zone, .. } => keys::units(show, zone).to_vec(),
    }
}

/// The zone as scripts take it: empty for seats.
pub(super) fn zone(places: &Places) -> &str {
    places.zone().map_or("", ZoneId::as_str)
}

/// The lease in fields 1 and 2.
pub(super) fn lease(reply: &Reply) -> Result<Lease, Failure> {
    Ok(Lease { expires_in_ms: reply.count(1)?, deadline_ms: reply.integer(2)? })
}

/// The state in field `index`.
pub(super) fn state(reply: &Reply, index: usize) -> Result<HoldState, Failure> {
    let text = reply.text(index)?;
    HoldState::parse(text).ok_or_else(|| reply.unexpected(text))
}

/// The payments in field `index`.
pub(super) fn payments(reply: &Reply, index: usize) -> Result<Payments, Failure> {
    Payments::from_stored(reply.text(index)?).map_err(|_| reply.unexpected("payments that cannot be read"))
}

/// The places in field `index`, if there are any.
pub(super) fn stored_places(reply: &Reply, zone: &str, index: usize) -> Result<Option<Places>, Failure> {
    match reply.text(index)? {
        "" => Ok(None),
        ids => Places::from_stored(zone, ids).map(Some).map_err(|place| reply.unexpected(&place)),
    }
}

/// The booking in field `index`, if there is one.
fn booking(reply: &Reply, index: usize) -> Result<Option<BookingId>, Failure> {
    match reply.text(index)? {
        "" => Ok(None),
        id => BookingId::parse(id).map(Some).map_err(|_| reply.unexpected(id)),
    }
}

/// The refusals that `hold`, `extend` and `stock_decrement` share; their detail is field 3.
pub(super) fn common_refusal(reply: &Reply, code: Code) -> Result<Refusal, Failure> {
    match code {
        Code::Mismatch => Ok(Refusal::KeyMismatch),
        Code::TtlTooLong => {
            let [max_ms] = reply.exactly(3)?;
            Ok(Refusal::TtlTooLong { max_ttl_ms: max_ms.unsigned_abs() })
        }
        Code::NotOnSale => {
            let [opens, closes] = reply.exactly(3)?;
            Ok(Refusal::NotOnSale {
                opens_at_ms: (opens > 0).then_some(opens),
                closes_at_ms: (closes < FOR_EVER_MS).then_some(closes),
            })
        }
        Code::LimitExceeded => {
            let [limit, current] = reply.exactly(3)?;
            Ok(Refusal::LimitExceeded { limit: limit.unsigned_abs(), current: current.unsigned_abs() })
        }
        other => Err(reply.unexpected(other.name())),
    }
}
