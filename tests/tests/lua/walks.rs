//! Large zones. However much of a zone is sold, a call walks over a bounded part of it, and no unit is lost on the way.

use std::collections::BTreeSet;

use holdfast::Touch;
use holdfast::adapters::redis::keys;
use holdfast::domain::payment::Payments;
use holdfast::domain::{Buyer, Chunk, Claim, Ending, Freed, Pin, Places, Refusal, Sold, Turn};
use holdfast_tests::loaded::{self, once, small_show};
use holdfast_tests::servers::{self, Redis};

use crate::house::{House, ga, units};

/// What is sold of the zone from its first unit on, and what is left behind that.
const SOLD: u32 = 20_000;
const LEFT: u32 = 40;
/// A unit among those that nobody has bought.
const HOLE: u32 = 3_000;
/// Calls that a walk over all that is sold takes at most, and what one of them asks of Redis.
const MOST_CALLS: usize = 6;
const MOST_COMMANDS: u64 = 60;

/// A house whose zone was loaded with these units sold, on a Redis of its own, whose commands can be counted.
async fn loaded(capacity: u32, is_sold: impl Fn(u32) -> bool) -> (House, Redis) {
    let redis = servers::own_redis(&[]);
    let house = House::at(&redis.url(), small_show(1, capacity)).await;
    let id = house.id();
    let Turn::Mine(lease) = house.redis.begin_load(id, 1).await.unwrap() else { panic!("{id} is loaded") };
    let sold: Vec<u32> = (1..=capacity).filter(|number| is_sold(*number)).collect();
    let buyer = uuid::Uuid::new_v4().to_string();
    house.redis.put_chunk(id, &lease, 1, &Chunk::Seats(vec!["E1".to_owned()])).await.unwrap();
    for (step, numbers) in (2..).zip(sold.chunks(1_900)) {
        let chunk = numbers.iter().map(|number| (number.to_string(), buyer.clone())).collect();
        house.redis.put_chunk(id, &lease, step, &Chunk::SoldUnits(ga(), chunk)).await.unwrap();
    }
    let finished = house.redis.finish_load(&house.show, &lease).await.unwrap();
    assert!(matches!(finished, Turn::Mine(())), "{finished:?}");
    (house, redis)
}

/// How many commands that read hashes the server has run, inside of scripts, too.
async fn commands(house: &House) -> u64 {
    let info: String = redis::cmd("INFO").arg("commandstats").query_async(&mut house.raw()).await.unwrap();
    let calls = |line: &str| line.strip_prefix("cmdstat_hmget:calls=")?.split(',').next()?.parse().ok();
    info.lines().find_map(calls).unwrap_or(0)
}

/// Calls until the zone was walked far enough: each call within its bound. Answers how many there were.
async fn walked<T>(house: &House, call: impl AsyncFn() -> Touch<T>) -> (usize, T) {
    for count in 1..=MOST_CALLS {
        let before = commands(house).await;
        let answer = call().await;
        let run = commands(house).await - before;
        assert!(run <= MOST_COMMANDS, "{run} commands in one call");
        match answer {
            Touch::Known(answer) => return (count, answer),
            Touch::Again => house.assert_zone_adds_up().await,
            Touch::NotLoaded | Touch::Closing { .. } => panic!("the show is loaded, and nobody replaces it"),
        }
    }
    panic!("more than {MOST_CALLS} calls")
}

fn numbers(places: &Places) -> Vec<u32> {
    let Places::Units { numbers, .. } = places else { panic!("{places:?}") };
    numbers.clone()
}

/// Takes all that is left, and answers it: nothing comes twice, and then the zone is sold out.
async fn all_that_is_left(house: &House) -> BTreeSet<u32> {
    let count = house.count().await;
    let left = count.capacity - count.held - count.sold;
    let mut all = BTreeSet::new();
    for _ in 0..left {
        let token = loaded::any_token();
        let take = async || house.redis.take_units(house.id(), &once(token), &ga(), 1, None, &Buyer::default()).await;
        let taken = walked(house, async || take().await.unwrap()).await.1.unwrap();
        assert!(all.insert(numbers(&taken.held.places)[0]), "{taken:?} for the second time");
    }
    assert_eq!(house.take(loaded::any_token(), 1).await.unwrap_err(), Refusal::SoldOut { remaining: 0 });
    house.assert_zone_adds_up().await;
    all
}

/// The units that nobody has in the end: the hole, and those behind what is sold.
fn unsold() -> BTreeSet<u32> {
    (SOLD + 1..=SOLD + LEFT).chain([HOLE]).collect()
}

#[tokio::test]
async fn a_decrement_walks_over_what_is_sold_in_bounded_calls_and_loses_no_unit() {
    let (house, _redis) = loaded(SOLD + LEFT, |number| number <= SOLD && number != HOLE).await;
    let token = loaded::any_token();
    let take = async || house.redis.take_units(house.id(), &once(token), &ga(), 3, None, &Buyer::default()).await;
    let (calls, taken) = walked(&house, async || take().await.unwrap()).await;
    assert!(calls > 1, "it took one call only");
    let mut all: BTreeSet<u32> = numbers(&taken.unwrap().held.places).into_iter().collect();
    assert!(all.contains(&HOLE), "{all:?}");
    house.assert_zone_adds_up().await;
    all.extend(all_that_is_left(&house).await);
    assert_eq!(all, unsold());
}

/// Whoever began to walk does not come again; and some of what was sold comes back, on both sides of where it stopped.
#[tokio::test]
async fn a_walk_that_is_given_up_loses_no_unit() {
    let (house, _redis) = loaded(SOLD + LEFT, |number| number <= SOLD && number != HOLE).await;
    let (decrement, pin) = (loaded::any_token(), loaded::any_token());
    let begun = house.redis.take_units(house.id(), &once(decrement), &ga(), 3, None, &Buyer::default()).await;
    assert!(matches!(begun, Ok(Touch::Again)), "{begun:?}");
    house.assert_zone_adds_up().await;
    // It asks for what is free, and for what is sold.
    let asked = units(&[HOLE, 1, 2]);
    let begun = house.redis.pin_hold(house.id(), pin, &asked, &Claim::default(), None).await;
    assert!(matches!(begun, Ok(Touch::Again)), "{begun:?}");
    house.assert_zone_adds_up().await;
    let back = [100, SOLD - 100];
    let sold: Vec<Option<String>> = redis::cmd("HMGET")
        .arg(keys::stock_sold(house.id(), &ga()))
        .arg(&back)
        .query_async(&mut house.raw())
        .await
        .unwrap();
    let buyer = holdfast::domain::BookingId::parse(sold[0].as_ref().unwrap()).unwrap();
    let freed =
        Freed { booking: buyer, version: 2, places: &units(&back), ending: Ending::Lost, recorded: &Payments::NONE };
    assert_eq!(house.freed(loaded::any_token(), freed).await, 2);
    house.assert_zone_adds_up().await;
    let wanted: BTreeSet<u32> = unsold().into_iter().chain(back).collect();
    assert_eq!(all_that_is_left(&house).await, wanted);
}

/// Nobody chose them by name: others of the zone take their place, wherever these are.
#[tokio::test]
async fn a_pin_walks_over_what_is_sold_in_bounded_calls_and_loses_no_unit() {
    let (house, _redis) = loaded(SOLD + LEFT, |number| number <= SOLD && number != HOLE).await;
    let (token, asked) = (loaded::any_token(), units(&[1, HOLE, 2]));
    let pin = async || house.redis.pin_hold(house.id(), token, &asked, &Claim::default(), None).await.unwrap();
    let (calls, pinned) = walked(&house, pin).await;
    let Pin::Pinned(pinned) = pinned else { panic!("{pinned:?}") };
    assert!(calls > 1, "it took one call only");
    assert_eq!((numbers(&pinned.places), pinned.first), (vec![SOLD + 1, HOLE, SOLD + 2], Some(asked.clone())));
    house.assert_zone_adds_up().await;
    // They can be sold to it, and all others to others.
    let buyer = house.sell(token, &pinned.places).await;
    let sold = Sold {
        buyer,
        version: 1,
        places: &pinned.places,
        count: 3,
        ending: Ending::Confirmed(buyer),
        recorded: &Payments::NONE,
    };
    assert_eq!(house.mark(token, sold).await, 0, "they were sold before");
    let mut all = all_that_is_left(&house).await;
    all.extend(numbers(&pinned.places));
    assert_eq!(all, unsold());
}

/// The largest zone there can be, sold out: whoever asks is refused at once, with a token that nobody was given, too.
#[tokio::test]
async fn a_zone_that_is_sold_out_is_refused_without_a_walk() {
    let (house, _redis) = loaded(100_000, |_| true).await;
    let before = commands(&house).await;
    for number in [1, 50_000, 100_000] {
        let pin = house.pin(loaded::any_token(), &units(&[number]), &Claim::default()).await;
        let Pin::Lost { gone, .. } = pin else { panic!("{pin:?}") };
        assert_eq!(gone, [format!("GA-{number}")]);
        assert_eq!(house.take(loaded::any_token(), 1).await.unwrap_err(), Refusal::SoldOut { remaining: 0 });
    }
    let run = commands(&house).await - before;
    assert!(run <= 30, "{run} commands in six calls");
}
