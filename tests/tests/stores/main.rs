//! The adapters of both stores: what DynamoDB keeps and answers, what each of its refusals comes to, and what happens when
//! a store, or the line to it, is not as it should be.
//!
//! `record` is a DynamoDB with a front that can break it, `arbiter` a Redis with a show in it.

mod arbiter;
mod cancel;
mod decide;
mod garbage;
mod items;
mod lines;
mod lost;
mod reasons;
mod record;
mod refunds;
mod server_states;
mod shows;
