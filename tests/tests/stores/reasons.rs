//! Pitfall 53: each mix of cancellation reasons, of a booking with two places. The front says what DynamoDB would say; the
//! store behind it has nothing in the way, unless the test put it there.

use std::time::Duration;

use holdfast::Failure;
use holdfast::domain::{Booking, Verdict};
use holdfast_tests::dynamo_front::{Fault, Reason};
use serde_json::{Value, json};

use crate::record::Record;

const PLACES: [&str; 2] = ["E1", "E2"];

/// What lies where a place would be put: it is sold to this booking.
fn sold_to(booking: &Booking, place: &str) -> Reason {
    let item = json!({
        "pk": {"S": "sold"}, "sk": {"S": place}, "booking": {"S": booking.id.to_string()}, "version": {"N": "4"},
    });
    Reason::condition_failed(Some(item))
}

/// The item of a booking, as it was sent.
fn item_of(record: &Record, booking: &Booking) -> Value {
    let requests = record.front.requests("TransactWriteItems");
    let items = requests.iter().map(|request| &request["TransactItems"][0]["Put"]["Item"]);
    let pk = holdfast::adapters::dynamo::keys::booking(booking.id).partition;
    items.into_iter().find(|item| item["pk"]["S"] == pk.as_str()).expect("it was sent").clone()
}

/// A record whose next transactions are cancelled like this, and the booking that meets them.
async fn cancelled(reasons: &[Reason], times: usize) -> (Record, Booking) {
    let record = Record::open().await;
    record.front.on("TransactWriteItems").times(times).before(Fault::cancelled(reasons));
    let booking = record.booking(&PLACES);
    (record, booking)
}

#[tokio::test]
async fn pitfall_53_what_passes_is_tried_again() {
    let other = Record::open().await.booking(&PLACES);
    let (none, conflict, throttling) = (Reason::none, Reason::conflict, Reason::throttling);
    let mixes = [
        [conflict(), none(), none()],
        [none(), conflict(), none()],
        [none(), none(), throttling()],
        [throttling(), none(), none()],
        [none(), Reason::throughput_exceeded(), none()],
        [conflict(), conflict(), conflict()],
        [none(), conflict(), throttling()],
        // Somebody, and perhaps we ourselves, is deciding this very token: what the places say is no decision.
        [conflict(), sold_to(&other, "E1"), none()],
        [conflict(), none(), sold_to(&other, "E2")],
        [throttling(), sold_to(&other, "E1"), sold_to(&other, "E2")],
    ];
    for mix in mixes {
        let (record, booking) = cancelled(&mix, 2).await;
        let verdict = record.store().decide_booking(&booking).await.unwrap();
        assert!(matches!(verdict, Verdict::Written), "{verdict:?} for {mix:?}");
        assert_eq!(record.front.count("TransactWriteItems"), 3, "{mix:?}");
        assert_eq!(record.decided(booking.id).await, Some(booking));
    }
}

#[tokio::test]
async fn pitfall_53_whole_requests_that_pass_are_tried_again() {
    for fault in [Fault::in_progress(), Fault::throttling(), Fault::throughput_exceeded(), Fault::internal()] {
        let record = Record::open().await;
        record.front.on("TransactWriteItems").times(4).before(fault.clone());
        let booking = record.booking(&PLACES);
        let verdict = record.store().decide_booking(&booking).await.unwrap();
        assert!(matches!(verdict, Verdict::Written), "{verdict:?} for {fault:?}");
        assert_eq!(record.front.strikes_left(), 0);
    }
}

#[tokio::test]
async fn pitfall_53_a_refused_place_decides_whatever_the_others_say() {
    let other = Record::open().await.booking(&PLACES);
    let (first, second) = (sold_to(&other, "E1"), sold_to(&other, "E2"));
    let mixes = [
        ([Reason::none(), first.clone(), Reason::none()], vec!["E1"]),
        ([Reason::none(), Reason::none(), second.clone()], vec!["E2"]),
        ([Reason::none(), first.clone(), Reason::conflict()], vec!["E1"]),
        ([Reason::none(), Reason::conflict(), second.clone()], vec!["E2"]),
        ([Reason::none(), first.clone(), Reason::throttling()], vec!["E1"]),
        ([Reason::none(), first, second], vec!["E1", "E2"]),
    ];
    for (mix, places) in mixes {
        let (record, booking) = cancelled(&mix, 1).await;
        let verdict = record.store().decide_booking(&booking).await.unwrap();
        let Verdict::Taken(taken) = verdict else { panic!("{verdict:?} for {mix:?}") };
        assert_eq!(taken.iter().map(|sold| sold.place.as_str()).collect::<Vec<_>>(), places);
        assert!(taken.iter().all(|sold| sold.booking == other.id.to_string() && sold.version == 4), "{taken:?}");
        assert_eq!(record.front.count("TransactWriteItems"), 1);
        record.assert_nothing_written(&booking).await;
    }
}

#[tokio::test]
async fn pitfall_53_the_bookings_own_reason_comes_before_any_places() {
    let record = Record::open().await;
    let booking = record.booking(&PLACES);
    record.store().decide_booking(&booking).await.unwrap();
    let own = Reason::condition_failed(Some(item_of(&record, &booking)));
    let other = record.booking(&PLACES);
    let mixes = [
        [own.clone(), sold_to(&booking, "E1"), sold_to(&booking, "E2")],
        [own.clone(), sold_to(&other, "E1"), Reason::none()],
        [own.clone(), Reason::conflict(), Reason::throttling()],
        [own, Reason::validation("no"), Reason::none()],
        // The item was not sent along: it is read.
        [Reason::condition_failed(None), sold_to(&booking, "E1"), Reason::conflict()],
    ];
    for mix in mixes {
        record.front.reset_counts();
        record.front.on("TransactWriteItems").before(Fault::cancelled(&mix));
        let verdict = record.store().decide_booking(&booking).await.unwrap();
        let Verdict::Decided(decided) = verdict else { panic!("{verdict:?} for {mix:?}") };
        assert_eq!(*decided, booking);
        assert_eq!(record.front.count("TransactWriteItems"), 1);
    }
}

#[tokio::test]
async fn pitfall_53_a_fault_of_ours_is_internal_and_is_not_tried_again() {
    let other = Record::open().await.booking(&PLACES);
    let (none, wrong) = (Reason::none, || Reason::validation("One or more parameter values were invalid"));
    let mixes = [
        [wrong(), none(), none()],
        [none(), wrong(), none()],
        [none(), Reason::conflict(), wrong()],
        [none(), sold_to(&other, "E1"), wrong()],
        [Reason::conflict(), none(), wrong()],
    ];
    for mix in mixes {
        let (record, booking) = cancelled(&mix, 9).await;
        let failure = record.store().decide_booking(&booking).await.unwrap_err();
        assert!(matches!(failure, Failure::Internal { .. }), "{failure:?} for {mix:?}");
        assert_eq!(record.front.count("TransactWriteItems"), 1, "{mix:?}");
        record.assert_nothing_written(&booking).await;
    }
    let record = Record::open().await;
    record.front.on("TransactWriteItems").always().before(Fault::validation("too many items"));
    let failure = record.store().decide_booking(&record.booking(&PLACES)).await.unwrap_err();
    assert!(matches!(failure, Failure::Internal { .. }), "{failure:?}");
    assert_eq!(record.front.count("TransactWriteItems"), 1);
}

#[tokio::test]
async fn pitfall_53_a_token_that_somebody_decides_for_long_is_in_progress() {
    let other = Record::open().await.booking(&PLACES);
    let faults = [
        Fault::cancelled(&[Reason::conflict(), Reason::none(), Reason::none()]),
        Fault::cancelled(&[Reason::conflict(), sold_to(&other, "E1"), Reason::none()]),
        Fault::in_progress(),
    ];
    for fault in faults {
        let record = Record::open().await;
        record.front.on("TransactWriteItems").always().before(fault.clone());
        let booking = record.booking(&PLACES);
        // Long enough for one call of the SDK with all of its own repeats.
        let failure = record.within(Duration::from_millis(1_000)).decide_booking(&booking).await.unwrap_err();
        assert!(matches!(failure, Failure::Undecided), "{failure:?} for {fault:?}");
        assert!(record.front.count("TransactWriteItems") > 3);
        record.assert_nothing_written(&booking).await;
    }
}

#[tokio::test]
async fn pitfall_53_a_place_that_somebody_decides_for_long_is_unavailable() {
    let (record, booking) = cancelled(&[Reason::none(), Reason::conflict(), Reason::none()], usize::MAX).await;
    let failure = record.within(Duration::from_millis(300)).decide_booking(&booking).await.unwrap_err();
    assert!(matches!(failure, Failure::Unavailable { .. }), "{failure:?}");
    record.assert_nothing_written(&booking).await;
}

/// Our own transaction landed between the two looks: nobody is told "sold" because of their own seat.
#[tokio::test]
async fn pitfall_53_never_sold_to_oneself() {
    let record = Record::open().await;
    let (booking, other) = (record.booking(&PLACES), record.booking(&PLACES));
    for mix in [
        [Reason::none(), sold_to(&booking, "E1"), Reason::none()],
        [Reason::none(), sold_to(&other, "E1"), sold_to(&booking, "E2")],
    ] {
        record.front.on("TransactWriteItems").before(Fault::cancelled(&mix));
        let failure = record.store().decide_booking(&booking).await.unwrap_err();
        assert!(matches!(failure, Failure::Unavailable { .. }), "{failure:?} for {mix:?}");
    }
}
