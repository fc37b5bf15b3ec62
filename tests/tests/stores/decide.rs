//! The decision of a token is taken once.

use std::time::{Duration, Instant};

use holdfast::Failure;
use holdfast::domain::{Booking, Places, RefusedBecause, SoldPlace, Verdict};
use holdfast_tests::dynamo_front::{Fault, Reason};
use holdfast_tests::loaded;

use crate::record::Record;

/// The booking that is on record already.
fn decided(verdict: Verdict) -> Booking {
    match verdict {
        Verdict::Decided(booking) => *booking,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_token_that_is_decided_stays_so_whatever_comes() {
    let record = Record::open().await;
    let confirmed = record.sold(&["E1", "E2"]).await;
    let refused = record.refusal(RefusedBecause::HoldLost);
    assert!(matches!(record.store().decide_booking(&refused).await.unwrap(), Verdict::Written));
    for first in [&confirmed, &refused] {
        for second in [&confirmed, &refused] {
            let again = Booking { id: first.id, payment: None, ..(*second).clone() };
            assert_eq!(decided(record.store().decide_booking(&again).await.unwrap()), *first);
        }
    }
    assert_eq!(record.all_sold().await.len(), 2);
}

#[tokio::test]
async fn places_of_others_are_named_and_nothing_is_written() {
    let record = Record::open().await;
    let (one, two) = (record.sold(&["E2"]).await, record.sold(&["E4", "E9"]).await);
    let loser = record.booking(&["E1", "E2", "E3", "E4"]);
    let Verdict::Taken(taken) = record.store().decide_booking(&loser).await.unwrap() else { panic!("two are sold") };
    let sold =
        |place: &str, by: &Booking| SoldPlace { place: place.to_owned(), booking: by.id.to_string(), version: 1 };
    assert_eq!(taken, [sold("E2", &one), sold("E4", &two)]);
    record.assert_nothing_written(&loser).await;
    // The refusal that follows is a decision of its own.
    let refused = record.refusal(RefusedBecause::AlreadySold(vec!["E2".to_owned()]));
    let refused = Booking { id: loser.id, ..refused };
    assert!(matches!(record.store().decide_booking(&refused).await.unwrap(), Verdict::Written));
    assert_eq!(decided(record.store().decide_booking(&loser).await.unwrap()), refused);
}

#[tokio::test]
async fn pitfall_55_the_largest_hold_is_one_transaction() {
    let record = Record::open().await;
    let ids: Vec<String> = (1..=96).map(|n| format!("E{n}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let booking = Booking { places: Some(Places::Seats(loaded::seats(&ids))), ..record.booking(&[]) };
    assert!(matches!(record.store().decide_booking(&booking).await.unwrap(), Verdict::Written));
    assert_eq!(record.front.operations(), ["TransactWriteItems"]);
    assert_eq!(record.all_sold().await.len(), 96);
    // All or nothing: 96 others of which one is sold.
    let other: Vec<String> = (96..=191).map(|n| format!("E{n}")).collect();
    let other: Vec<&str> = other.iter().map(String::as_str).collect();
    let loser = record.booking(&other);
    let Verdict::Taken(taken) = record.store().decide_booking(&loser).await.unwrap() else { panic!("E96 is sold") };
    assert_eq!(taken.iter().map(|sold| sold.place.as_str()).collect::<Vec<_>>(), ["E96"]);
    record.assert_nothing_written(&loser).await;
    assert_eq!(record.all_sold().await.len(), 96);
}

#[tokio::test]
async fn pitfall_59_throttled_for_long_is_unavailable_and_the_backlog_clears() {
    let record = Record::open().await;
    let budget = Duration::from_millis(600);
    let reasons = [Reason::none(), Reason::throttling()];
    for fault in [Fault::throttling(), Fault::throughput_exceeded(), Fault::cancelled(&reasons), Fault::internal()] {
        record.front.on("TransactWriteItems").always().before(fault.clone());
        let booking = record.booking(&["E1"]);
        let begun = Instant::now();
        let failure = record.within(budget).decide_booking(&booking).await.unwrap_err();
        assert!(matches!(failure, Failure::Unavailable { .. }), "{failure:?} for {fault:?}");
        assert!(begun.elapsed() < budget + Duration::from_millis(300), "{:?} for {fault:?}", begun.elapsed());
        record.assert_nothing_written(&booking).await;
        record.front.clear();
    }
    let booking = record.booking(&["E1"]);
    assert!(matches!(record.store().decide_booking(&booking).await.unwrap(), Verdict::Written));
}
