//! Every step of every operation is lost, in every way, by construction.
//!
//! An operation is run once as it should be, and the calls that it makes to both stores are recorded: they have to be
//! those of [`TABLE`]. Then each of them is lost (`case`, `every`): its request, or its reply after the store has done the
//! work; and either only that one call, or it and everything after it, as when the process is killed. The caller comes
//! again, or never does. Then one reconcile runs, the judges look at both stores, and a second reconcile finds nothing to
//! do. What an operation is, is in `operation` and `scenes`; what its user sees of it in the end, in `verdicts`.

mod case;
mod drift;
mod every;
mod lane;
mod operation;
mod scenes;
mod verdicts;

use std::collections::BTreeSet;

use holdfast::adapters::redis::scripts;

use operation::Operation;

/// The operations, and the calls of each: how often each is made, if more than once, in the order of their first ones.
const TABLE: [(Operation, &[(&str, usize)]); 12] = [
    // The first request with a key tells the process the epoch of the show.
    (Operation::Hold, &[("hold", 2)]),
    (Operation::Decrement, &[("stock_decrement", 2)]),
    (Operation::Extend, &[("hold_status", 1), ("extend", 1)]),
    (Operation::Release, &[("hold_status", 1), ("release", 1)]),
    (Operation::ConfirmPaid, &[("hold_status", 1), ("pin", 1), ("TransactWriteItems", 1), ("mark", 1)]),
    (Operation::ConfirmUnpaid, &[("hold_status", 1), ("pin", 1), ("TransactWriteItems", 1), ("mark", 1)]),
    (Operation::Cancel, &[("GetItem booking", 1), ("Query reference", 1), ("TransactWriteItems", 1), ("free", 1)]),
    (Operation::Restore, &[("GetItem booking", 1), ("free", 1), ("pin", 1), ("TransactWriteItems", 1), ("mark", 1)]),
    (
        Operation::Load,
        &[
            ("hold", 3),
            ("GetItem show", 1),
            ("load_begin", 1),
            ("load_chunk", 8),
            ("Query sold", 64),
            ("load_finish", 1),
        ],
    ),
    (
        Operation::Replace,
        &[
            ("GetItem show", 1),
            ("close_seats", 1),
            ("close_zone", 1),
            ("Query sold", 64),
            ("TransactWriteItems", 1),
            ("apply_seats", 1),
            ("apply_show", 1),
        ],
    ),
    (
        Operation::Reconcile,
        &[
            ("GetItem show", 2),
            ("survey", 1),
            ("GetItem drained", 1),
            ("read_events", 1),
            ("BatchWriteItem", 1),
            ("PutItem drained", 1),
            ("recount", 1),
            ("scan", 2),
            ("compare", 28),
            ("close_seats", 1),
            ("apply_seats", 1),
            ("apply_show", 1),
            ("expire", 2),
            ("pinned", 1),
            ("hold_status", 3),
            ("GetItem booking", 4),
            ("pin", 2),
            ("TransactWriteItems", 2),
            ("mark", 3),
            ("free", 2),
            ("Query sold", 64),
            ("UpdateItem shows", 1),
        ],
    ),
    (
        Operation::Schedule,
        &[
            ("UpdateItem lease", 2),
            ("Query shows", 64),
            ("GetItem show", 1),
            ("survey", 1),
            ("GetItem drained", 1),
            ("read_events", 1),
            ("PutItem drained", 1),
            ("recount", 1),
            ("expire", 2),
            ("pinned", 1),
            ("scan", 1),
            ("Query sold", 64),
            ("compare", 27),
            ("UpdateItem shows", 1),
            ("unload", 1),
            ("Query refunds", 64),
        ],
    ),
];

macro_rules! every_step_of {
    ($($test:ident $operation:ident;)*) => {
        $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $test() {
            every::every_step(Operation::$operation).await;
        })*

        /// An operation that has no test would be failed at no step.
        #[test]
        fn every_operation_of_the_table_is_tested() {
            let tested = [$(Operation::$operation),*];
            assert_eq!(TABLE.map(|(operation, _)| operation).as_slice(), tested.as_slice());
        }
    };
}

every_step_of! {
    a_hold_that_dies_at_any_step Hold;
    a_decrement_that_dies_at_any_step Decrement;
    an_extension_that_dies_at_any_step Extend;
    a_release_that_dies_at_any_step Release;
    pitfall_4_a_paid_confirm_that_dies_at_any_step ConfirmPaid;
    pitfall_4_a_confirm_without_payment_that_dies_at_any_step ConfirmUnpaid;
    a_cancel_that_dies_at_any_step Cancel;
    a_restore_that_dies_at_any_step Restore;
    a_load_that_dies_at_any_step Load;
    a_replacement_that_dies_at_any_step Replace;
    a_reconcile_that_dies_at_any_step Reconcile;
    a_scheduled_run_that_dies_at_any_step Schedule;
}

/// A script that is no step of any operation is one whose loss nobody has tried.
#[test]
fn every_script_is_a_step_of_an_operation() {
    // They change nothing, and a reader asks again.
    const READS: [&str; 1] = ["stock_status"];
    let steps: BTreeSet<&str> = TABLE.iter().flat_map(|(_, steps)| steps.iter().map(|(name, _)| *name)).collect();
    let scripts = scripts::all().into_iter().map(|script| script.name);
    let untried: Vec<&str> = scripts.filter(|name| !steps.contains(name) && !READS.contains(name)).collect();
    assert!(untried.is_empty(), "no operation of the table has {untried:?}");
}
