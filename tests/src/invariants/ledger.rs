//! What DynamoDB has of a show.

use std::collections::BTreeMap;
use std::collections::HashMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use holdfast::adapters::dynamo::keys::{self, Key, PARTITION, SORT};
use holdfast::domain::places::SHARDS;
use holdfast::domain::show::Zone;
use holdfast::domain::{BookingId, HoldToken, ShowId, ZoneId};

use crate::servers::TABLE;

/// Zone to capacity.
pub type Zones = BTreeMap<ZoneId, i64>;

type Item = HashMap<String, AttributeValue>;

/// The item of a sold place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sold {
    /// The booking that has it.
    pub booking: String,
    /// The version of the booking that took it.
    pub version: String,
}

/// The item of a booking.
#[derive(Debug)]
pub struct Booking {
    /// `confirmed`, `refused`
    pub status: String,
    /// `E7`, `GA-17`
    pub places: Vec<String>,
    /// How often it was decided.
    pub version: String,
    /// Whether it carries a payment.
    pub paid: bool,
    /// Whether the refund of that payment is on record.
    pub refund: bool,
}

/// What DynamoDB has of a show.
#[derive(Debug)]
pub struct Ledger {
    /// The zones of the show.
    pub zones: Zones,
    /// Place to the item that says that it is sold.
    pub sold: BTreeMap<String, Sold>,
    /// Id to booking.
    pub bookings: BTreeMap<String, Booking>,
}

impl Ledger {
    /// Reads everything of a show.
    pub async fn read(client: &Client, show: &ShowId) -> Ledger {
        Ledger {
            zones: zones(client, show).await,
            sold: sold(client, show).await,
            bookings: bookings(client, show).await,
        }
    }
}

async fn zones(client: &Client, show: &ShowId) -> Zones {
    let item = get(client, &keys::show(show)).await.expect("the show is on record");
    let document: serde_json::Value = serde_json::from_str(&text(&item, "document")).unwrap();
    let zones: Vec<Zone> = serde_json::from_value(document["zones"].clone()).unwrap();
    zones.into_iter().map(|zone| (zone.id, i64::from(zone.capacity))).collect()
}

async fn sold(client: &Client, show: &ShowId) -> BTreeMap<String, Sold> {
    let mut sold = BTreeMap::new();
    for shard in 0..SHARDS {
        let query = client.query().table_name(TABLE).consistent_read(true).key_condition_expression("#pk = :pk");
        let query = query.expression_attribute_names("#pk", PARTITION);
        let query = query.expression_attribute_values(":pk", AttributeValue::S(keys::sold_shard(show, shard)));
        let items: Result<Vec<Item>, _> = query.into_paginator().items().send().collect().await;
        for item in items.unwrap() {
            let place = Sold { booking: text(&item, "booking"), version: number(&item, "version") };
            sold.insert(text(&item, SORT), place);
        }
    }
    sold
}

async fn bookings(client: &Client, show: &ShowId) -> BTreeMap<String, Booking> {
    let any = BookingId::of(show, HoldToken::random());
    let prefix = keys::booking(any).partition.strip_suffix(&any.to_string()).unwrap().to_owned();
    let scan = client.scan().table_name(TABLE).consistent_read(true);
    let scan = scan.filter_expression("begins_with(#pk, :prefix) AND #show = :show");
    let scan = scan.expression_attribute_names("#pk", PARTITION).expression_attribute_names("#show", "show");
    let scan = scan.expression_attribute_values(":prefix", AttributeValue::S(prefix.clone()));
    let scan = scan.expression_attribute_values(":show", AttributeValue::S(show.to_string()));
    let items: Result<Vec<Item>, _> = scan.into_paginator().items().send().collect().await;
    let mut bookings = BTreeMap::new();
    for item in items.unwrap() {
        let id = text(&item, PARTITION)[prefix.len()..].to_owned();
        let payment = item.contains_key("payment").then(|| text(&item, "payment"));
        let reference = payment.map(|json| serde_json::from_str::<serde_json::Value>(&json).unwrap());
        let refund = match &reference {
            Some(payment) => {
                let key = keys::refund(payment["reference"].as_str().unwrap(), BookingId::parse(&id).unwrap());
                get(client, &key).await.is_some()
            }
            None => false,
        };
        let booking = Booking {
            status: text(&item, "status"),
            places: text(&item, "places").split_whitespace().map(str::to_owned).collect(),
            version: number(&item, "version"),
            paid: reference.is_some(),
            refund,
        };
        bookings.insert(id, booking);
    }
    bookings
}

async fn get(client: &Client, key: &Key) -> Option<Item> {
    let get = client.get_item().table_name(TABLE).consistent_read(true).set_key(Some(key.attributes()));
    get.send().await.unwrap().item
}

fn text(item: &Item, name: &str) -> String {
    item.get(name).and_then(|value| value.as_s().ok()).cloned().unwrap_or_default()
}

fn number(item: &Item, name: &str) -> String {
    item.get(name).and_then(|value| value.as_n().ok()).cloned().unwrap_or_default()
}
