//! The adapter of DynamoDB, with a front before the store, and bookings to decide.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use holdfast::adapters::dynamo::Dynamo;
use holdfast::adapters::dynamo::keys::Key;
use holdfast::domain::places::SHARDS;
use holdfast::domain::{
    Booking, BookingId, Buyer, Decision, Payment, Places, RefusedBecause, ShowId, SoldPlace, Verdict,
};
use holdfast::{Config, Deadline};
use holdfast_tests::dynamo_front::Front;
use holdfast_tests::servers::{TABLE, dynamo, fresh_show_id};
use holdfast_tests::{loaded, raw};

/// The record of the tests of this process, through a front of one's own.
pub struct Record {
    pub front: Front,
    pub show: ShowId,
    dynamo: Dynamo,
    sound: Dynamo,
}

fn adapter(endpoint: &str) -> Dynamo {
    let vars = [
        ("REDIS_URL", "redis://127.0.0.1:1"),
        ("AWS_ENDPOINT_URL_DYNAMODB", endpoint),
        ("TABLE_NAME", TABLE),
        ("TOKEN_SECRET", loaded::TOKEN_SECRET),
    ];
    let vars = HashMap::from(vars.map(|(name, value)| (name.to_owned(), value.to_owned())));
    Dynamo::new(&Config::from_vars(&vars).unwrap().dynamo)
}

impl Record {
    pub async fn open() -> Record {
        let endpoint = dynamo().await.endpoint();
        let front = Front::start(&endpoint).await;
        let show = ShowId::parse(&fresh_show_id()).unwrap();
        Record { dynamo: adapter(&front.endpoint()), sound: adapter(&endpoint), front, show }
    }

    /// The adapter, through the front, with time enough.
    pub fn store(&self) -> Dynamo {
        self.dynamo.by(loaded::deadline())
    }

    /// The adapter, through the front, for a request that has so long.
    pub fn within(&self, budget: Duration) -> Dynamo {
        self.dynamo.by(Deadline::after(budget))
    }

    /// The adapter, past the front.
    pub fn sound(&self) -> Dynamo {
        self.sound.by(loaded::deadline())
    }

    /// An item, past the adapter.
    pub async fn item(&self, key: &Key) -> Option<BTreeMap<String, AttributeValue>> {
        let get = self.raw().await.get_item().table_name(TABLE).consistent_read(true).set_key(Some(key.attributes()));
        get.send().await.unwrap().item.map(BTreeMap::from_iter)
    }

    pub async fn raw(&self) -> Client {
        raw::dynamo(&dynamo().await.endpoint())
    }

    /// A token that wants these seats.
    pub fn booking(&self, seats: &[&str]) -> Booking {
        let id = BookingId::of(&self.show, loaded::any_token());
        Booking {
            id,
            show: self.show.clone(),
            decision: Decision::Confirmed,
            places: Some(Places::Seats(loaded::seats(seats))),
            first: None,
            buyer: Buyer::of("ada"),
            payment: Some(payment("pay_1")),
            order: None,
            decided_at_ms: 1_796_000_000_123,
            hold_found: true,
            version: 1,
            sold_version: 1,
        }
    }

    /// The same, refused.
    pub fn refusal(&self, because: RefusedBecause) -> Booking {
        Booking { decision: Decision::Refused(because), ..self.booking(&["E1"]) }
    }

    /// A booking of these seats that nothing is in the way of.
    pub async fn sold(&self, seats: &[&str]) -> Booking {
        let booking = self.booking(seats);
        assert!(matches!(self.sound().decide_booking(&booking).await.unwrap(), Verdict::Written));
        booking
    }

    /// What is on record of a token, past the front.
    pub async fn decided(&self, id: BookingId) -> Option<Booking> {
        self.sound().read_booking(id).await.unwrap()
    }

    /// Place to booking: all that the show has sold.
    pub async fn all_sold(&self) -> BTreeMap<String, String> {
        let mut sold = BTreeMap::new();
        for shard in 0..SHARDS {
            let places = self.sound().list_sold(&self.show, shard).await.unwrap();
            sold.extend(places.into_iter().map(|SoldPlace { place, booking, .. }| (place, booking)));
        }
        sold
    }

    /// That neither the booking nor any place of it was written.
    pub async fn assert_nothing_written(&self, booking: &Booking) {
        assert_eq!(self.decided(booking.id).await, None);
        let sold = self.all_sold().await;
        assert!(!sold.values().any(|by| *by == booking.id.to_string()), "{sold:?}");
    }
}

/// A payment of this reference.
pub fn payment(reference: &str) -> Payment {
    Payment { reference: reference.to_owned(), amount: Some("55000".to_owned()), currency: Some("KRW".to_owned()) }
}
