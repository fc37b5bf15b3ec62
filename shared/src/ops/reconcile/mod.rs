//! Bring Redis and DynamoDB back in step (design, section 5: "Reconcile"). A run goes through the list of shows; for each that
//! asks for it, `show` settles, tidies and compares. It has no writes of its own: pin, mark, free and the scripts that tidy
//! judge everything again, so that runs may be late, doubled or overlapping.

mod compare;
mod drain;
mod layout;
mod position;
mod run;
mod show;

pub use run::{ReconcileWish, reconcile};
