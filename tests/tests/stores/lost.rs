//! Replies that are lost, and transactions that land late.

use std::time::{Duration, Instant};

use holdfast::Failure;
use holdfast::domain::{Booking, RefusedBecause, Verdict};
use holdfast_tests::dynamo_front::Fault;

use crate::record::Record;

/// That the verdict is a success for the caller: written by this call, or by itself before.
fn assert_own(verdict: Verdict, booking: &Booking) {
    match verdict {
        Verdict::Written => {}
        Verdict::Decided(decided) => assert_eq!(*decided, *booking),
        Verdict::Taken(taken) => panic!("sold to oneself: {taken:?}"),
        Verdict::RefundSettled => panic!("a first booking has no refund"),
    }
}

/// One reply is lost, all that the SDK waits for in one call, and some more.
#[tokio::test]
async fn pitfall_50_a_lost_reply_of_ones_own_booking_is_a_success() {
    let record = Record::open().await;
    let mut bookings = Vec::new();
    for (seat, times) in [("E1", 1), ("E2", 3), ("E3", 5)] {
        for (index, fault) in [Fault::Reset, Fault::internal()].into_iter().enumerate() {
            let seat = format!("{seat}{index}");
            let booking = record.booking(&[&seat]);
            record.front.on("TransactWriteItems").times(times).after(fault);
            assert_own(record.store().decide_booking(&booking).await.unwrap(), &booking);
            assert_eq!(record.front.strikes_left(), 0);
            assert_eq!(record.decided(booking.id).await.as_ref(), Some(&booking));
            let rival = record.booking(&[&seat]);
            let Verdict::Taken(taken) = record.store().decide_booking(&rival).await.unwrap() else { panic!("sold") };
            assert_eq!(taken[0].booking, booking.id.to_string());
            bookings.push(booking);
        }
    }
    assert_eq!(record.all_sold().await.len(), bookings.len());
}

/// The SDK keeps its token over its own repeats of one call, and takes another for the next call.
#[tokio::test]
async fn a_client_request_token_is_of_one_call() {
    let record = Record::open().await;
    record.front.on("TransactWriteItems").times(4).before(Fault::Reset);
    record.store().decide_booking(&record.booking(&["E1"])).await.unwrap();
    let requests = record.front.requests("TransactWriteItems");
    let tokens: Vec<&str> = requests.iter().map(|request| request["ClientRequestToken"].as_str().unwrap()).collect();
    let [a, b, c, d, e] = tokens.as_slice() else { panic!("{tokens:?}") };
    assert_eq!((a, b, d), (b, c, e));
    assert_ne!(a, d);
}

/// Two calls for one token: the first one's transaction is slow, and lands when the second has decided.
#[tokio::test]
async fn pitfall_51_a_repeat_that_overtakes_the_first_is_no_rival() {
    let record = Record::open().await;
    let booking = record.booking(&["E1", "E2"]);
    let gate = record.front.on("TransactWriteItems").hold_before();
    let (slow, fast) = (record.store(), record.store());
    let (first, second) = tokio::join!(slow.decide_booking(&booking), async {
        gate.reached().await;
        let second = fast.decide_booking(&booking).await;
        gate.open();
        second
    });
    assert!(matches!(second.unwrap(), Verdict::Written));
    assert_own(first.unwrap(), &booking);
    assert_eq!(record.all_sold().await.len(), 2);
}

/// Its caller gave up, and the token was refused meanwhile: one of the two wins, and it is the first on record.
#[tokio::test]
async fn a_slow_transaction_that_lands_after_the_refusal_sells_nothing() {
    let record = Record::open().await;
    let booking = record.booking(&["E1"]);
    let refused = Booking { id: booking.id, ..record.refusal(RefusedBecause::HoldLost) };
    let gate = record.front.on("TransactWriteItems").hold_before();
    let (slow, fast) = (record.store(), record.store());
    let (first, second) = tokio::join!(slow.decide_booking(&booking), async {
        gate.reached().await;
        let second = fast.decide_booking(&refused).await;
        gate.open();
        second
    });
    assert!(matches!(second.unwrap(), Verdict::Written));
    let Verdict::Decided(decided) = first.unwrap() else { panic!("the refusal was first") };
    assert_eq!(*decided, refused);
    assert!(record.all_sold().await.is_empty());
}

/// A store that is mute, or takes the connection away again and again.
#[tokio::test]
async fn pitfall_61_a_store_that_does_not_answer_is_unavailable_in_time() {
    let record = Record::open().await;
    let budget = Duration::from_millis(700);
    for fault in [Fault::Mute, Fault::Reset, Fault::Slow(Duration::from_secs(5))] {
        record.front.on_any().always().before(fault.clone());
        let booking = record.booking(&["E1"]);
        let begun = Instant::now();
        let failure = record.within(budget).decide_booking(&booking).await.unwrap_err();
        assert!(matches!(failure, Failure::Unavailable { .. }), "{failure:?} for {fault:?}");
        assert!(begun.elapsed() < budget + Duration::from_millis(300), "{:?} for {fault:?}", begun.elapsed());
        record.front.clear();
        assert!(matches!(
            record.store().decide_booking(&booking).await.unwrap(),
            Verdict::Written | Verdict::Decided(_)
        ));
        let rest = record.sound();
        assert!(matches!(rest.decide_booking(&record.booking(&["E1"])).await.unwrap(), Verdict::Taken(_)));
        break_up(&record).await;
    }
}

/// Frees the seat of the round before.
async fn break_up(record: &Record) {
    let key = holdfast::adapters::dynamo::keys::sold_place(&record.show, "E1");
    let delete = record.raw().await.delete_item().table_name(holdfast_tests::servers::TABLE);
    delete.set_key(Some(key.attributes())).send().await.unwrap();
}
