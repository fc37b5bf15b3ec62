//! Tests of the harness itself: a judge that cannot condemn, or a proxy that loses nothing, would make every other test
//! worthless.

mod front;
mod invariants;
mod monitor;
mod proxy;
mod refunds;
mod servers;
mod sys;
