//! `read_events.lua`

use holdfast::Touch;
use holdfast::adapters::redis::keys;
use holdfast_tests::loaded::small_show;

use crate::house::{House, seats};

/// From the first one on.
const BEGINNING: &str = "0-0";

#[tokio::test]
async fn codes_in_order_of_precedence() {
    let house = House::unloaded(small_show(6, 5)).await;
    assert!(matches!(house.redis.read_events(house.id(), BEGINNING, 10).await, Ok(Touch::NotLoaded)));
    house.load().await;
    let none = house.unchanged(async || house.events_after(BEGINNING, 10).await).await;
    assert_eq!((none.added, none.length, none.events), (0, 0, Vec::new()));
    assert_eq!(none.epoch, house.survey().await.epoch);
}

#[tokio::test]
async fn events_are_read_on_from_the_last_one() {
    let house = House::open().await;
    let token = house.holder(&["E1", "E2"]).await;
    let deadline_ms = house.status(token).await.unwrap().lease.deadline_ms;
    let booking = house.sell(token, &seats(&["E1", "E2"])).await;
    house.free(token, 2, &seats(&["E1", "E2"])).await;
    let first = house.unchanged(async || house.events_after(BEGINNING, 2).await).await;
    assert_eq!((first.added, first.length, first.events.len()), (3, 3, 2));
    let [held, sold] = [&first.events[0], &first.events[1]];
    assert_eq!((held.what.as_str(), held.places.as_str()), ("held", "E1 E2"));
    assert_eq!(held.details, [("until".to_owned(), deadline_ms.to_string())]);
    assert_eq!((sold.what.as_str(), sold.places.as_str()), ("sold", "E1 E2"));
    assert_eq!(sold.details, [("booking".to_owned(), booking.to_string())]);

    let rest = house.events_after(&sold.id, 2).await;
    let [freed] = rest.events.as_slice() else { panic!("{rest:?}") };
    assert_eq!((freed.what.as_str(), &freed.details), ("freed", &Vec::new()));
    let none = house.events_after(&freed.id, 2).await;
    assert_eq!((none.events, none.added, none.length), (Vec::new(), 3, 3));
    // What happens next is read next.
    house.holder(&["E3"]).await;
    let next = house.events_after(&freed.id, 2).await.events;
    assert_eq!((next.len(), next[0].places.as_str()), (1, "E3"));
}

/// What was there and what is there tell how many nobody will ever read.
#[tokio::test]
async fn events_that_were_trimmed_are_counted() {
    let house = House::open().await;
    for seat in ["E1", "E2", "E3"] {
        house.holder(&[seat]).await;
    }
    let mut trim = redis::cmd("XTRIM");
    trim.arg(keys::events(house.id())).arg("MAXLEN").arg(1);
    let _: i64 = trim.query_async(&mut house.raw()).await.unwrap();
    let left = house.events_after(BEGINNING, 10).await;
    assert_eq!((left.added, left.length, left.events.len()), (3, 1, 1));
    assert_eq!(left.events[0].places, "E3");
}
