//! Lambda's Runtime API, of the tests' own: it runs the built binaries of the functions as Lambda does.
//!
//! A [`Process`] is one execution environment: the binary with the environment of template.yaml, which asks a
//! [`RuntimeApi`] for events, one at a time or several at once. [`Deployment`] is all functions on the stores of a test,
//! behind the routes of the template, and notes what each of them asks of DynamoDB ([`actions`]). An [`Emulator`] is AWS' own
//! stand-in around an environment; whoever only has events answered takes a [`Hosted`], and a [`Host`] says which it is.
//!
//! A process ends with its test, also when that is killed: it loses its Runtime API, and a runtime without one ends. What
//! is frozen cannot notice, and an emulator has no peer, so a shell watches over these.

pub mod actions;
mod deployment;
mod emulator;
mod hosted;
mod log;
mod process;
mod server;
mod variables;

pub use deployment::{Deployment, SIGNED};
pub use emulator::Emulator;
pub use hosted::{Host, Hosted};
pub use process::{Frozen, Process, binary};
pub use server::{Failed, RuntimeApi, trace_id};
pub use variables::deployed_name;
