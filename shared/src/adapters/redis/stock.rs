//! Calls about a zone: decrement and count.

use super::codes::Code;
use super::hold::{common_refusal, ended, first, known_token, lease, state};
use super::{Redis, keys, scripts};
use crate::domain::{Buyer, Held, Places, Refusal, Request, ShowId, UnitsHeld, ZoneCount, ZoneId};
use crate::{Touch, Touched};

impl Redis {
    /// Takes so many units of a zone, or none. Harmless when repeated with the same token.
    pub async fn take_units(
        &self,
        show: &ShowId,
        request: &Request,
        zone: &ZoneId,
        quantity: u64,
        ttl_ms: Option<u64>,
        buyer: &Buyer,
    ) -> Touched<Result<UnitsHeld, Refusal>> {
        let epoch = self.epochs.of(show, request);
        let tokens = request.tokens(&epoch);
        let token = first(&tokens)?.to_string();
        let mut keys = vec![keys::show(show), keys::held(show), keys::events(show)];
        keys.extend(keys::units(show, zone));
        keys.extend(tokens.iter().map(|token| keys::hold(show, *token)));
        let (ttl_ms, quantity) = (ttl_ms.unwrap_or(0).to_string(), quantity.to_string());
        let args = [token.as_str(), &epoch, &ttl_ms, buyer.as_str(), request.digest(), zone.as_str(), &quantity];

        let reply = self.call(&scripts::STOCK_DECREMENT, &keys, &args).await?;
        Ok(Touch::Known(match reply.code()? {
            Code::Ok => {
                let units = Places::from_stored(zone.as_str(), reply.text(3)?);
                let held = Held {
                    token: known_token(&reply, &tokens, 5)?,
                    places: units.map_err(|unit| reply.unexpected(&unit))?,
                    lease: lease(&reply)?,
                    state: state(&reply, 4)?,
                };
                Ok(UnitsHeld { held, remaining: reply.count(0)? })
            }
            Code::HoldLost => Err(ended(&reply, &tokens, 4)?),
            Code::NotLoaded => return Ok(Touch::NotLoaded),
            Code::OtherEpoch => {
                self.epochs.learn(show, reply.text(3)?);
                return Ok(Touch::Again);
            }
            Code::Again => return Ok(Touch::Again),
            Code::Closing => return Ok(Touch::Closing { left_ms: reply.exactly::<1>(3)?[0] }),
            Code::UnknownZone => Err(Refusal::ZoneNotFound),
            Code::SoldOut => {
                let [remaining] = reply.exactly(3)?;
                Err(Refusal::SoldOut { remaining: remaining.unsigned_abs() })
            }
            code => Err(common_refusal(&reply, code)?),
        }))
    }
}

impl Redis {
    /// Counts a zone; `None`: the show has no such zone.
    pub async fn count_zone(&self, show: &ShowId, zone: &ZoneId) -> Touched<Option<ZoneCount>> {
        let keys = [keys::show(show), keys::stock_held(show, zone), keys::stock_sold(show, zone)];
        let reply = self.call(&scripts::STOCK_STATUS, &keys, &[zone.as_str()]).await?;
        match reply.code()? {
            Code::NotLoaded => Ok(Touch::NotLoaded),
            Code::UnknownZone => Ok(Touch::Known(None)),
            Code::Ok => {
                let (capacity, held, sold) = (reply.count(1)?, reply.count(2)?, reply.count(3)?);
                Ok(Touch::Known(Some(ZoneCount { capacity, held, sold })))
            }
            code => Err(reply.unexpected(code.name())),
        }
    }
}
