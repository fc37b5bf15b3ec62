//! What DynamoDB has of a show.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use holdfast::adapters::dynamo::keys::{self, Key, PARTITION, SORT};
use holdfast::domain::show::Zone;
use holdfast::domain::{BookingId, RefundId, ShowId, ZoneId};

use crate::servers::TABLE;

/// Zone to capacity.
pub type Zones = BTreeMap<ZoneId, i64>;

/// What names a refund: the payment's reference, and the booking.
pub type RefundKey = (String, String);

type Item = HashMap<String, AttributeValue>;

/// The item of a sold place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sold {
    /// The booking that has it.
    pub booking: String,
    /// The version of the booking that took it.
    pub version: u64,
}

/// The item of a booking.
#[derive(Debug)]
pub struct Booking {
    /// `confirmed`, `cancelled`, `refused`
    pub status: String,
    /// `E7`, `GA-17`
    pub places: Vec<String>,
    /// How often it was changed.
    pub version: u64,
    /// In which version its places were sold.
    pub sold_version: u64,
    /// The reference of its own payment.
    pub payment: Option<String>,
    /// Whether the cancel said that the money is back.
    pub refunded: bool,
}

/// What DynamoDB has of a show.
#[derive(Debug, Default)]
pub struct Ledger {
    /// The zones of the show.
    pub zones: Zones,
    /// Place to the item that says that it is sold.
    pub sold: BTreeMap<String, Sold>,
    /// Id to booking.
    pub bookings: BTreeMap<String, Booking>,
    /// Refund to its status.
    pub refunds: BTreeMap<RefundKey, String>,
    /// The ids of all refunds, of any show, that are listed as due.
    pub listed: BTreeSet<String>,
}

impl Ledger {
    /// Reads everything of a show.
    pub async fn read(client: &Client, show: &ShowId) -> Ledger {
        let mut ledger = Ledger { zones: zones(client, show).await, ..Ledger::default() };
        let prefixes = Prefixes::new(show);
        for item in all(client, show, &prefixes).await {
            ledger.sort_in(&prefixes, &item);
        }
        ledger
    }

    fn sort_in(&mut self, prefixes: &Prefixes, item: &Item) {
        let partition = text(item, PARTITION);
        if let Some(id) = partition.strip_prefix(&prefixes.booking) {
            self.bookings.insert(id.to_owned(), booking(item));
        } else if partition.starts_with(&prefixes.sold) {
            let sold = Sold { booking: text(item, "booking"), version: number(item, "version") };
            self.sold.insert(text(item, SORT), sold);
        } else if partition.starts_with(&prefixes.listed) {
            self.listed.insert(text(item, SORT));
        } else {
            self.refunds.insert((text(item, "reference"), text(item, "booking")), text(item, "status"));
        }
    }
}

/// What the partitions of a kind begin with: keys.rs spells a key, and this takes the end of it away.
struct Prefixes {
    sold: String,
    booking: String,
    refund: String,
    listed: String,
}

impl Prefixes {
    fn new(show: &ShowId) -> Prefixes {
        let any = BookingId::of(show, crate::loaded::any_token());
        let refund = RefundId::of(any, "any");
        let without = |partition: String, end: &str| partition.strip_suffix(end).unwrap().to_owned();
        Prefixes {
            sold: without(keys::sold_shard(show, 7), "07"),
            booking: without(keys::booking(any).partition, &any.to_string()),
            refund: without(keys::refund(refund).partition, &refund.to_string()),
            listed: without(keys::refunds_shard(7), "07"),
        }
    }
}

async fn zones(client: &Client, show: &ShowId) -> Zones {
    let Key { partition, sort } = keys::show(show);
    let get = client.get_item().table_name(TABLE).consistent_read(true);
    let get = get.key(PARTITION, AttributeValue::S(partition)).key(SORT, AttributeValue::S(sort));
    let item = get.send().await.unwrap().item.expect("the show is on record");
    let document: serde_json::Value = serde_json::from_str(&text(&item, "document")).unwrap();
    let zones: Vec<Zone> = serde_json::from_value(document["zones"].clone()).unwrap();
    zones.into_iter().map(|zone| (zone.id, i64::from(zone.capacity))).collect()
}

/// The sold places, the bookings and the refunds of a show, and the list of all refunds that are due: in one scan, which costs
/// a small table less than a query of each shard.
async fn all(client: &Client, show: &ShowId, prefixes: &Prefixes) -> Vec<Item> {
    let scan = client.scan().table_name(TABLE).consistent_read(true);
    let its = "(begins_with(#pk, :booking) OR begins_with(#pk, :refund)) AND #show = :show";
    let scan = scan.filter_expression(format!("({its}) OR begins_with(#pk, :listed) OR begins_with(#pk, :sold)"));
    let scan = scan.expression_attribute_names("#pk", PARTITION).expression_attribute_names("#show", "show");
    let value = |text: &str| AttributeValue::S(text.to_owned());
    let scan = scan.expression_attribute_values(":booking", value(&prefixes.booking));
    let scan = scan.expression_attribute_values(":refund", value(&prefixes.refund));
    let scan = scan.expression_attribute_values(":listed", value(&prefixes.listed));
    let scan = scan.expression_attribute_values(":sold", value(&prefixes.sold));
    let scan = scan.expression_attribute_values(":show", value(show.as_str()));
    let items: Result<Vec<Item>, _> = scan.into_paginator().items().send().collect().await;
    items.unwrap()
}

fn booking(item: &Item) -> Booking {
    let payment = item.contains_key("payment").then(|| text(item, "payment"));
    let payment = payment.map(|json| serde_json::from_str::<serde_json::Value>(&json).unwrap());
    Booking {
        status: text(item, "status"),
        places: text(item, "places").split_whitespace().map(str::to_owned).collect(),
        version: number(item, "version"),
        sold_version: number(item, "soldVersion"),
        payment: payment.map(|payment| payment["reference"].as_str().unwrap().to_owned()),
        refunded: item.get("refunded").is_some_and(|value| *value == AttributeValue::Bool(true)),
    }
}

fn text(item: &Item, name: &str) -> String {
    item.get(name).and_then(|value| value.as_s().ok()).cloned().unwrap_or_default()
}

fn number(item: &Item, name: &str) -> u64 {
    item.get(name).and_then(|value| value.as_n().ok()?.parse().ok()).unwrap_or_default()
}
