//! A dry run tells what the run straight after it repairs, of every kind of drift, and a second run repairs nothing.

use holdfast::adapters::redis::keys;
use holdfast::domain::Repairs;
use holdfast_tests::sys::Sys;
use serde_json::{Value, json};

use crate::drift::{Drift, sum};
use crate::house::{House, Plot};

/// One kind of drift by itself.
async fn alone(drift: Drift) {
    let (house, plot) = House::open().await;
    let made = drift.make(&house, plot).await;
    house.is_repaired(made.repairs).await;
    drift.judge(&house, plot, &made.about).await;
    is_in_order(&house).await;
}

/// What a judge has held meanwhile is no drift either.
async fn is_in_order(house: &House) {
    let told = house.reconcile(true).await;
    assert_eq!((&told["repairs"], &told["drift"]), (&json!(Repairs::default()), &json!(0)), "{told}");
}

macro_rules! each_alone {
    ($($name:ident = $kind:ident,)*) => {
        $(#[tokio::test] async fn $name() { alone(Drift::$kind).await; })*

        #[test]
        fn every_kind_of_drift_has_its_test() {
            assert_eq!(Drift::ALL, [$(Drift::$kind),*]);
        }
    };
}

each_alone! {
    an_older_version_is_replaced = OlderVersion,
    a_paid_confirm_that_died_becomes_a_booking = PinnedAndPaid,
    a_paid_confirm_of_units_that_died_becomes_a_booking = PinnedUnits,
    an_unpaid_confirm_that_died_is_refused = PinnedUnpaid,
    a_confirm_that_died_after_its_transaction_is_that_booking = PinnedAndBooked,
    a_confirm_that_died_and_whose_seat_was_sold_is_refused_with_refund = PinnedAndSoldToAnother,
    a_restore_that_died_is_restored = PinnedRestore,
    seats_that_only_the_record_has_as_sold_are_marked = SeatsUnmarked,
    units_that_only_the_record_has_as_sold_are_marked = UnitsUnmarked,
    a_cancelled_booking_whose_free_was_lost_is_freed = CancelledNotFreed,
    a_seat_of_no_booking_is_freed = SeatOfNoBooking,
    a_unit_of_no_booking_is_freed = UnitOfNoBooking,
    a_seat_that_was_sold_to_another_booking_is_that_bookings = SoldToAnother,
    a_hold_of_a_sold_seat_ends_as_a_whole = HoldOfASoldSeat,
    a_hold_of_a_seat_that_is_marked_ends_as_a_whole = HoldOfAMarkedSeat,
    a_hold_of_a_sold_unit_gets_another_one = HoldOfASoldUnit,
    lapsed_seats_are_tidied_away = LapsedSeats,
    lapsed_units_are_tidied_away = LapsedUnits,
    torn_units_are_whole_again = TornUnits,
    a_wrong_stock_is_counted_anew = WrongStock,
    a_seat_that_is_missing_is_there_again = SeatMissing,
    a_seat_that_the_show_does_not_have_goes = SeatTooMany,
    a_replacement_that_was_given_up_is_ended = GivenUp,
}

#[tokio::test]
async fn all_kinds_of_drift_at_once() {
    let plots: Vec<Plot> = ('A'..).map(Plot).take(Drift::ALL.len()).collect();
    let house = House::on(Sys::shared().await, &plots).await;
    let mut made = Vec::new();
    for (drift, plot) in Drift::ALL.iter().zip(plots) {
        made.push((*drift, plot, drift.make(&house, plot).await));
    }
    let report = house.is_repaired(sum(made.iter().map(|(.., made)| made.repairs))).await;
    assert_eq!(report["checked"], json!({"places": Drift::ALL.len() * 15, "tokens": 6}));
    for (drift, plot, made) in made {
        drift.judge(&house, plot, &made.about).await;
    }
    is_in_order(&house).await;
}

/// A dry run of a show that Redis does not have tells so, and does not load it.
#[tokio::test]
async fn a_dry_run_loads_nothing() {
    let (house, _) = House::open().await;
    for _ in 0..2 {
        let told = house.reconcile(true).await;
        assert_eq!((&told["epoch"], &told["checked"]["places"]), (&Value::Null, &json!(0)));
    }
    let loaded = house.reconcile(false).await;
    assert_eq!((&loaded["drift"], &loaded["checked"]["places"]), (&json!(0), &json!(15)));
    assert_eq!(house.reconcile(true).await["epoch"], loaded["epoch"]);
    assert!(loaded["epoch"].is_string());
}

/// Events are drained once, and what was trimmed before is counted.
#[tokio::test]
async fn events_that_are_gone_are_counted_as_missed() {
    let (house, plot) = House::open().await;
    for number in 1..=5 {
        house.are_for_sale(plot, &[number]).await;
    }
    house.raw(redis::cmd("XTRIM").arg(keys::events(&house.id)).arg("MAXLEN").arg(4)).await;
    let told = house.reconcile(true).await;
    assert_eq!((&told["eventsDrained"], &told["eventsMissed"]), (&json!(4), &json!(6)));
    assert_eq!(house.reconcile(false).await, told);
    // Told once; and what comes next is told by itself.
    house.are_for_sale(plot, &[1]).await;
    let next = house.reconcile(false).await;
    assert_eq!((&next["eventsDrained"], &next["eventsMissed"]), (&json!(2), &json!(0)));
    let none = house.reconcile(false).await;
    assert_eq!((&none["eventsDrained"], &none["eventsMissed"]), (&json!(0), &json!(0)));
}
