//! The body of a confirm. Everything in it is optional, and so is the body.

use super::fields::{Faults, Fields, object, text};
use super::{place_list, read_body, seats};
use crate::domain::payment::{check_amount, check_currency, check_reference};
use crate::domain::places::unit_number;
use crate::domain::{OrderId, Payment, Places, ZoneId};
use crate::http::json::Json;

/// `POST .../holds/{holdToken}/confirm`
#[derive(Debug, Default)]
pub struct ConfirmBody {
    /// What the buyer paid.
    pub payment: Option<Payment>,
    /// The caller's own order.
    pub order: Option<OrderId>,
    /// What the caller believes that the hold has. It lets a late confirm be rescued when Redis has lost the hold.
    pub places: Option<Places>,
}

impl ConfirmBody {
    /// Reads the body, or adds what is wrong with it.
    pub fn read(json: Option<&Json>, faults: &mut Faults) -> Option<Self> {
        read_body(json, faults, |fields| {
            Some(ConfirmBody {
                payment: fields.optional("payment", object(payment)),
                order: fields.optional("orderId", text(OrderId::parse)),
                places: places(fields),
            })
        })
    }
}

fn payment(fields: &mut Fields<'_, '_>) -> Option<Payment> {
    let checked =
        |check: fn(&str) -> Result<(), &'static str>| text(move |value| check(value).map(|()| value.to_owned()));
    let reference = fields.required("reference", checked(check_reference));
    let amount = fields.optional("amount", checked(check_amount));
    let currency = fields.optional("currency", checked(check_currency));
    for (name, other) in [("amount", "currency"), ("currency", "amount")] {
        if fields.has(other) && !fields.has(name) {
            fields.fault(name, format!("is required with {other}"));
        }
    }
    Some(Payment { reference: reference?, amount, currency })
}

/// `seats`, or `zone` and `units`.
fn places(fields: &mut Fields<'_, '_>) -> Option<Places> {
    let seats = fields.optional("seats", seats);
    let zone = fields.optional("zone", text(ZoneId::parse));
    let numbers = fields.optional("units", |json, path, faults| {
        place_list(json, path, faults, |unit| match &zone {
            Some(zone) => {
                unit_number(zone, unit).ok_or_else(|| format!("must be a unit of zone {zone}, like {zone}-17"))
            }
            // The missing or wrong zone is told below; two units without one are not "twice".
            None => Err("needs a zone".to_owned()),
        })
    });
    for (name, other) in [("zone", "units"), ("units", "zone")] {
        if fields.has(other) && !fields.has(name) {
            fields.fault(name, format!("is required with {other}"));
        }
    }
    if fields.has("seats") && fields.has("zone") {
        fields.fault("zone", "cannot be there together with seats");
    }
    seats.map(Places::Seats).or_else(|| Some(Places::Units { zone: zone?, numbers: numbers? }))
}
