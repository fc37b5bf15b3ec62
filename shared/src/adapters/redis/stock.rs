//! The ports of a zone: decrement and count.

use super::codes::Code;
use super::hold::{common_refusal, held};
use super::{Redis, keys, scripts};
use crate::domain::{Buyer, Places, Refusal, Request, ShowId, ZoneId};
use crate::ports::{CountZone, Decision, TakeUnits, Touch, Touched, UnitsHeld, ZoneCount};

impl TakeUnits for Redis {
    async fn take_units(
        &self,
        show: &ShowId,
        request: &Request,
        zone: &ZoneId,
        quantity: u64,
        ttl_ms: Option<u64>,
        buyer: &Buyer,
    ) -> Touched<Decision<UnitsHeld>> {
        let tokens = request.tokens();
        let mut keys = vec![keys::show(show), keys::held(show), keys::events(show)];
        keys.extend(keys::units(show, zone));
        keys.extend(tokens.iter().map(|token| keys::hold(show, *token)));
        let (token, ttl_ms) = (request.token.to_string(), ttl_ms.unwrap_or(0).to_string());
        let quantity = quantity.to_string();
        let args = [token.as_str(), &ttl_ms, buyer.as_str(), &request.digest, zone.as_str(), &quantity];

        let reply = self.call(&scripts::STOCK_DECREMENT, &keys, &args).await?;
        Ok(Touch::Known(match reply.code()? {
            Code::Ok => {
                let units = Places::from_stored(zone.as_str(), reply.text(3)?);
                Ok(UnitsHeld {
                    held: held(&reply, &tokens, 4, 5)?,
                    units: units.map_err(|unit| reply.unexpected(&unit))?,
                    remaining: reply.count(0)?,
                })
            }
            Code::NotLoaded => return Ok(Touch::NotLoaded),
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

impl CountZone for Redis {
    async fn count_zone(&self, show: &ShowId, zone: &ZoneId) -> Touched<Option<ZoneCount>> {
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
