//! What the functions of Holdfast share.
//!
//! - [`domain`]: the words and the rules that need no store.
//! - [`ops`]: one file per operation: what happens, in which order, and what is answered.
//! - [`ports`]: what an operation needs of the stores, one verb each; `adapters` fulfil them with Redis and DynamoDB.
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
pub mod ports;
pub mod telemetry;

pub use app::{App, Stores};
pub use config::Config;
pub use deadline::Deadline;
pub use failure::Failure;
