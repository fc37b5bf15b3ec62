//! A booking that is cancelled, and restored: the record of each, and what is in its way.

use holdfast::adapters::dynamo::keys;
use holdfast::domain::{Booking, BookingId, Cancellation, Payment, RefundId, RefundStatus, RefusedBecause, Verdict};
use holdfast_tests::dynamo_front::Fault;

use crate::record::Record;

/// When it was cancelled.
const AT_MS: i64 = 1_796_000_100_000;

/// The same booking, cancelled.
pub fn cancelled(booking: &Booking, reason: Option<&str>, refunded: bool) -> Booking {
    let reason = reason.map(ToOwned::to_owned);
    booking.cancelled(Cancellation { reason, refunded, at_ms: AT_MS })
}

/// The refund of a booking's own payment.
fn refund_of(booking: BookingId) -> RefundId {
    RefundId::of(booking, "pay_1")
}

/// The same booking, restored.
fn restored(booking: &Booking) -> Booking {
    booking.restored()
}

impl Record {
    async fn writes(&self, booking: &Booking) {
        let verdict = self.store().decide_booking(booking).await.unwrap();
        assert!(matches!(verdict, Verdict::Written), "{verdict:?} for {booking:?}");
        assert_eq!(self.decided(booking.id).await.as_ref(), Some(booking));
    }

    async fn answers(&self, asked: &Booking, on_record: &Booking) {
        let verdict = self.store().decide_booking(asked).await.unwrap();
        let Verdict::Decided(found) = verdict else { panic!("{verdict:?} for {asked:?}") };
        assert_eq!(*found, *on_record);
    }

    /// Where the refund of the booking's own payment stands, and whether it is listed as due.
    async fn refund(&self, booking: &Booking) -> (Option<RefundStatus>, bool) {
        let record = self.sound().read_refund(refund_of(booking.id)).await.unwrap();
        let entry = self.item(&keys::refund_entry(refund_of(booking.id))).await;
        (record.map(|record| record.status), entry.is_some())
    }
}

const DUE: (Option<RefundStatus>, bool) = (Some(RefundStatus::Due), true);
const WITHDRAWN: (Option<RefundStatus>, bool) = (Some(RefundStatus::Withdrawn), false);
const SETTLED: (Option<RefundStatus>, bool) = (Some(RefundStatus::Settled), false);

#[tokio::test]
async fn a_cancel_gives_every_place_back_and_makes_the_refund_due() {
    let record = Record::open().await;
    let (booking, other) = (record.sold(&["E1", "E2"]).await, record.sold(&["E3"]).await);
    let cancel = cancelled(&booking, Some("rain"), false);
    record.writes(&cancel).await;
    assert_eq!(record.all_sold().await.into_values().collect::<Vec<_>>(), [other.id.to_string()]);
    assert_eq!(record.refund(&booking).await, DUE);
    let refund = record.sound().read_refund(refund_of(booking.id)).await.unwrap().unwrap();
    assert_eq!((refund.reason.as_str(), refund.created_at_ms, refund.hold_found), ("cancelled", AT_MS, true));
    assert_eq!((refund.show, refund.booking), (record.show.clone(), booking.id));
    assert_eq!(Some(refund.payment), booking.payment);
    // Somebody else may buy them now.
    record.sold(&["E2", "E1"]).await;
}

#[tokio::test]
async fn a_cancel_of_what_is_refunded_or_was_never_paid_makes_nothing_due() {
    let record = Record::open().await;
    let refunded = record.sold(&["E1"]).await;
    record.writes(&cancelled(&refunded, None, true)).await;
    assert_eq!(record.refund(&refunded).await, (None, false));
    let unpaid = Booking { payment: None, ..record.booking(&["E2"]) };
    record.writes(&unpaid).await;
    record.writes(&cancelled(&unpaid, None, false)).await;
    assert_eq!(record.refund(&unpaid).await, (None, false));
    assert!(record.all_sold().await.is_empty());
}

/// Whatever comes for another version than the one on record is answered with that one, and writes nothing.
#[tokio::test]
async fn a_decision_is_taken_in_the_version_before_it_or_not_at_all() {
    let record = Record::open().await;
    let booking = record.sold(&["E1"]).await;
    let first = cancelled(&booking, Some("first"), false);
    record.writes(&first).await;
    for late in [first.clone(), cancelled(&booking, Some("second"), true), booking.clone()] {
        record.answers(&late, &first).await;
    }
    record.answers(&Booking { version: 4, ..first.clone() }, &first).await;
    let again = restored(&first);
    record.writes(&again).await;
    for late in [first, again.clone(), booking] {
        record.answers(&late, &again).await;
    }
    assert_eq!(record.refund(&again).await, WITHDRAWN);
    assert_eq!(record.all_sold().await.len(), 1);
}

#[tokio::test]
async fn a_refused_booking_is_not_cancelled_and_not_restored() {
    let record = Record::open().await;
    let refused = record.refusal(RefusedBecause::HoldLost);
    record.writes(&refused).await;
    record.answers(&cancelled(&refused, None, false), &refused).await;
    record.answers(&restored(&refused), &refused).await;
    record.answers(&Booking { version: 3, ..restored(&refused) }, &refused).await;
    assert_eq!(record.refund(&refused).await, DUE);
    assert!(record.all_sold().await.is_empty());
}

/// What was never confirmed cannot be cancelled.
#[tokio::test]
async fn a_cancel_of_nothing_writes_nothing() {
    let record = Record::open().await;
    let never = record.booking(&["E1"]);
    record.store().decide_booking(&cancelled(&never, None, false)).await.unwrap_err();
    record.assert_nothing_written(&never).await;
    assert_eq!(record.refund(&never).await, (None, false));
}

#[tokio::test]
async fn a_restore_takes_the_places_again_and_withdraws_the_refund() {
    let record = Record::open().await;
    let booking = record.sold(&["E1", "E2"]).await;
    let cancel = cancelled(&booking, None, false);
    record.writes(&cancel).await;
    let again = restored(&cancel);
    record.writes(&again).await;
    for seat in ["E1", "E2"] {
        let item = record.item(&keys::sold_place(&record.show, seat)).await.unwrap();
        assert_eq!(
            (item["booking"].as_s().unwrap(), item["version"].as_n().unwrap().as_str()),
            (&booking.id.to_string(), "3")
        );
    }
    assert_eq!(record.refund(&booking).await, WITHDRAWN);
    // And a later cancel makes it due again.
    let cancel = cancelled(&again, Some("snow"), false);
    record.writes(&cancel).await;
    assert_eq!((cancel.version, record.refund(&booking).await), (4, DUE));
    assert!(record.all_sold().await.is_empty());
    record.writes(&restored(&cancel)).await;
    assert_eq!((record.refund(&booking).await, record.all_sold().await.len()), (WITHDRAWN, 2));
}

#[tokio::test]
async fn what_was_refunded_is_not_restored() {
    let record = Record::open().await;
    let booking = record.sold(&["E1"]).await;
    let cancel = cancelled(&booking, None, false);
    record.writes(&cancel).await;
    record.store().settle_refund(refund_of(booking.id)).await.unwrap();
    assert_eq!(record.refund(&booking).await, SETTLED);
    // The money is what is told of, also when the seat is gone besides.
    for rival in [None, Some(["E1"])] {
        if let Some(seat) = rival {
            record.sold(&seat).await;
        }
        let verdict = record.store().decide_booking(&restored(&cancel)).await.unwrap();
        assert!(matches!(verdict, Verdict::RefundSettled), "{verdict:?}");
        assert_eq!(record.decided(booking.id).await.as_ref(), Some(&cancel));
        assert_eq!(record.refund(&booking).await, SETTLED);
    }
}

#[tokio::test]
async fn a_place_that_was_sold_again_is_named_and_nothing_is_written() {
    let record = Record::open().await;
    let booking = record.sold(&["E1", "E2"]).await;
    let cancel = cancelled(&booking, None, false);
    record.writes(&cancel).await;
    let rival = record.sold(&["E2"]).await;
    let verdict = record.store().decide_booking(&restored(&cancel)).await.unwrap();
    let Verdict::Taken(taken) = verdict else { panic!("{verdict:?}") };
    assert_eq!(
        taken.iter().map(|sold| (&*sold.place, &*sold.booking)).collect::<Vec<_>>(),
        [("E2", &*rival.id.to_string())]
    );
    assert_eq!(record.decided(booking.id).await, Some(cancel));
    assert_eq!((record.refund(&booking).await, record.all_sold().await.len()), (DUE, 1));
}

/// Pitfall 55: all or nothing, at the most that a booking can have.
#[tokio::test]
async fn pitfall_55_the_largest_booking_is_cancelled_and_restored_in_one_transaction_each() {
    let record = Record::open().await;
    let ids: Vec<String> = (1..=96).map(|n| format!("E{n}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let order = Some(holdfast::domain::OrderId::parse("order 4711").unwrap());
    // A payment that no other test knows: no other booking is read for it.
    let payment = Payment { reference: format!("pay_{}", record.show), amount: None, currency: None };
    let booking = Booking { order, payment: Some(payment), ..record.booking(&ids) };
    record.writes(&booking).await;
    assert_eq!(record.all_sold().await.len(), 96);
    let cancel = cancelled(&booking, Some(&"r".repeat(500)), false);
    record.writes(&cancel).await;
    assert!(record.all_sold().await.is_empty());
    record.writes(&restored(&cancel)).await;
    assert_eq!(record.all_sold().await.len(), 96);
    // The cancel asks which other booking stands on its payment.
    let asked = ["TransactWriteItems", "Query", "TransactWriteItems", "TransactWriteItems"];
    assert_eq!(record.front.operations(), asked);
    let largest = record.front.requests("TransactWriteItems");
    let largest = largest.iter().map(|request| request["TransactItems"].as_array().unwrap().len()).max();
    assert!(largest.is_some_and(|writes| (97..=100).contains(&writes)), "{largest:?}");
    // The same with one of them sold meanwhile.
    let cancel = cancelled(&restored(&cancel), None, false);
    record.writes(&cancel).await;
    record.sold(&["E96"]).await;
    let verdict = record.store().decide_booking(&restored(&cancel)).await.unwrap();
    assert!(matches!(&verdict, Verdict::Taken(taken) if taken.len() == 1), "{verdict:?}");
    assert_eq!(record.all_sold().await.len(), 1);
}

/// Of a cancel and a restore whose reply was lost, the repeat finds its own.
#[tokio::test]
async fn a_lost_reply_of_ones_own_decision_is_that_decision() {
    let record = Record::open().await;
    let booking = record.sold(&["E1"]).await;
    let cancel = cancelled(&booking, None, false);
    for decision in [&cancel, &restored(&cancel)] {
        record.front.on("TransactWriteItems").times(4).after(Fault::Reset);
        let verdict = record.store().decide_booking(decision).await.unwrap();
        let own = match verdict {
            Verdict::Written => true,
            Verdict::Decided(found) => *found == *decision,
            _ => false,
        };
        assert!(own && record.front.strikes_left() == 0);
    }
    assert_eq!((record.refund(&booking).await, record.all_sold().await.len()), (WITHDRAWN, 1));
}
