//! Lambda's Runtime API, of the tests' own: it runs the built binaries of the functions as Lambda does.
//!
//! A [`Process`] is one execution environment: the binary with the environment of template.yaml, which asks a
//! [`RuntimeApi`] for events, one at a time or several at once. [`Deployment`] is all functions on the stores of a test,
//! behind the routes of the template, and notes what each of them asks of DynamoDB ([`actions`]).
//!
//! A process ends with its test, also when that is killed: it loses its Runtime API, and a runtime without one ends. What
//! is frozen cannot notice, so a shell watches over it.

pub mod actions;
mod deployment;
mod environment;
mod process;
mod server;

pub use deployment::Deployment;
pub use process::{Frozen, Process};
pub use server::{Failed, RuntimeApi, trace_id};
