//! Reconcile: what it repairs, and that a dry run tells it before; whom it looks at; how it stops, and gives way.

mod alone;
mod audit;
mod drift;
mod dry_run;
mod errors;
mod forget;
mod house;
mod layouts;
mod lease;
mod left_behind;
mod overtaken;
mod refused_restores;
mod repeats;
mod snapshot;
mod stops;
mod undrained;
mod wanted;
