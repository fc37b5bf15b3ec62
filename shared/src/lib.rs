//! What the functions of Holdfast share.
//!
//! - [`domain`]: the words and the rules that need no store.
//! - [`ops`]: one file per operation: what happens, in which order, and what is answered.
//! - [`adapters`]: the calls to Redis and DynamoDB, which [`Stores`] lends to the operations.
//! - [`http`]: a request becomes typed values, a decision becomes an answer of the contract.
//! - [`lambda`]: the layer around every handler: panics, time, request id, log line.
//!
//! To follow one hold: `functions/hold`, [`ops::hold`], `lua/hold.lua`.

pub mod adapters;
pub mod app;
pub mod config;
pub mod deadline;
pub mod domain;
mod failure;
pub mod http;
pub mod lambda;
pub mod ops;
pub mod telemetry;
mod touch;

pub use app::{App, Stores};
pub use config::Config;
pub use deadline::Deadline;
pub use failure::Failure;
pub use touch::{Touch, Touched};
