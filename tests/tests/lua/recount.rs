//! `recount.lua`

use holdfast::Touch;
use holdfast::adapters::redis::{keys, scripts};
use holdfast::domain::{BookingId, HoldToken, Refusal};
use holdfast_tests::loaded::{self, small_show};
use redis::Value;

use crate::house::{House, ga, units};

/// A house of 5 units: 1 and 2 are held, 3 is sold, 4 was given back, 5 was never handed out. 2 are left.
struct Zone {
    house: House,
    holder: HoldToken,
}

impl Zone {
    async fn open() -> Zone {
        let house = House::open().await;
        let ((holder, _), (buyer, bought), (back, given)) =
            (house.taker(2).await, house.taker(1).await, house.taker(1).await);
        house.sell(buyer, &bought).await;
        house.release(back, &given).await.unwrap();
        house.assert_zone_adds_up().await;
        Zone { house, holder }
    }

    /// A command to one of the zone's keys: stock, next, returned, held, holders, sold.
    async fn tear(&self, name: &str, key: usize, args: &[&str]) {
        let keys = keys::units(self.house.id(), &ga());
        let mut command = redis::cmd(name);
        command.arg(&keys[key]).arg(args);
        let _: Value = command.query_async(&mut self.house.raw()).await.unwrap();
    }

    /// That so many are told as wrong, and put right, and that the rest can still be bought: these units.
    async fn is_put_right(&self, wrong: u64, left: &[u32], what: &str) {
        let house = &self.house;
        let dry = house.unchanged(async || house.recount(true).await).await;
        assert_eq!((dry, house.recount(false).await), (wrong, wrong), "{what}");
        house.assert_zone_adds_up().await;
        assert_eq!(house.unchanged(async || house.recount(false).await).await, 0, "{what}, again");
        let mut bought = Vec::new();
        for _ in left {
            let unit = house.taker(1).await.1;
            bought.extend(unit.ids());
            house.assert_zone_adds_up().await;
        }
        bought.sort();
        assert_eq!(bought, units(left).ids(), "{what}");
        let more = house.take(loaded::any_token(), 1).await.unwrap_err();
        assert_eq!(more, Refusal::SoldOut { remaining: 0 }, "{what}");
    }
}

#[tokio::test]
async fn codes_in_order_of_precedence() {
    let house = House::unloaded(small_show(6, 5)).await;
    let mut all = vec![keys::show(house.id()), keys::held(house.id()), keys::events(house.id())];
    all.extend(keys::units(house.id(), &ga()));
    let code = async |zone: &str| house.run(&scripts::RECOUNT, &all, &[zone, "1", "5", "0"]).await[0].clone();
    assert_eq!(code("VIP").await, Value::Int(-2));
    house.load().await;
    assert_eq!(code("VIP").await, Value::Int(-11));
    assert_eq!(code("GA").await, Value::Int(0));
    let vip = holdfast::domain::ZoneId::parse("VIP").unwrap();
    let gone = house.redis.recount_units(house.id(), &vip, 1, 5, false).await;
    assert!(matches!(gone, Ok(Touch::Known(0))), "a replacement took it away: {gone:?}");
}

#[tokio::test]
async fn a_zone_in_order_stays_as_it_is() {
    let zone = Zone::open().await;
    zone.house.late_taker(1).await;
    for dry_run in [true, false] {
        assert_eq!(zone.house.unchanged(async || zone.house.recount(dry_run).await).await, 0);
    }
}

#[tokio::test]
async fn sold_wins_over_held() {
    let zone = Zone::open().await;
    let booking = BookingId::of(zone.house.id(), loaded::any_token()).to_string();
    zone.tear("HSET", 5, &["1", &booking]).await;
    zone.is_put_right(2, &[4, 5], "the unit, and the stock").await;
    assert_eq!(zone.house.count().await.sold, 2);
    assert_eq!(zone.house.indexed("GA-1").await, None);
    assert!(zone.house.indexed("GA-2").await.is_some());
}

#[tokio::test]
async fn held_wins_over_returned() {
    let zone = Zone::open().await;
    zone.tear("ZADD", 2, &["1", "1"]).await;
    zone.is_put_right(1, &[4, 5], "held and returned").await;
    zone.house.extend(zone.holder, &units(&[1, 2]), 60_000).await.unwrap();
}

#[tokio::test]
async fn sold_wins_over_returned() {
    let zone = Zone::open().await;
    zone.tear("ZADD", 2, &["3", "3"]).await;
    zone.is_put_right(1, &[4, 5], "returned and sold").await;
}

/// It would never lapse.
#[tokio::test]
async fn a_holder_without_a_deadline_holds_nothing() {
    let zone = Zone::open().await;
    zone.tear("ZREM", 3, &["1"]).await;
    zone.is_put_right(2, &[1, 4, 5], "the unit, and the stock").await;
    assert!(zone.house.events().await.contains(&("freed".to_owned(), "GA-1".to_owned())));
}

#[tokio::test]
async fn a_deadline_without_a_holder_holds_nothing() {
    let zone = Zone::open().await;
    zone.tear("HDEL", 4, &["1"]).await;
    zone.is_put_right(1, &[1, 4, 5], "the unit; the stock counts it as held").await;
    assert!(zone.house.events().await.contains(&("freed".to_owned(), "GA-1".to_owned())));
}

/// Below the fresh counter, and nowhere: nobody would ever buy it.
#[tokio::test]
async fn a_forgotten_unit_comes_back() {
    let zone = Zone::open().await;
    zone.tear("ZREM", 2, &["4"]).await;
    zone.is_put_right(1, &[4, 5], "forgotten").await;
}

#[tokio::test]
async fn a_stock_that_is_wrong_or_gone_is_counted_anew() {
    for (name, args) in [("SET", &["4"][..]), ("SET", &["1"]), ("DEL", &[])] {
        let zone = Zone::open().await;
        zone.tear(name, 0, args).await;
        zone.is_put_right(1, &[4, 5], "the stock").await;
    }
}

#[tokio::test]
async fn everything_at_once() {
    let zone = Zone::open().await;
    let booking = BookingId::of(zone.house.id(), loaded::any_token()).to_string();
    zone.tear("HSET", 5, &["1", &booking]).await;
    zone.tear("HDEL", 4, &["2"]).await;
    zone.tear("ZADD", 2, &["3", "3"]).await;
    zone.tear("ZREM", 2, &["4"]).await;
    zone.tear("SET", 0, &["77"]).await;
    zone.is_put_right(5, &[2, 4, 5], "four units, and the stock").await;
}

/// A zone that is counted in parts: what a dry run tells is what the run straight after it repairs.
#[tokio::test]
async fn a_large_zone_is_counted_in_parts() {
    for torn in [500, 1_500] {
        for stock in ["2498", "2499"] {
            let house = House::of(small_show(6, 2_500)).await;
            let zone = Zone { holder: house.taker(1).await.0, house };
            let number = torn.to_string();
            // The deadline of one that nobody holds, and a stock that counts it as held, or does not.
            zone.tear("ZADD", 3, &["99999999999999", &number]).await;
            zone.tear("SET", 0, &[stock]).await;
            let dry = zone.house.unchanged(async || zone.house.recount(true).await).await;
            assert_eq!(zone.house.recount(false).await, dry, "{torn} torn, {stock} in stock");
            zone.house.assert_zone_adds_up().await;
            assert_eq!(zone.house.unchanged(async || zone.house.recount(false).await).await, 0);
        }
    }
}
