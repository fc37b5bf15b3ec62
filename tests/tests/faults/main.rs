//! Faults: a store that is gone, mute, full of old connections, or that answers what nobody expects; and what a process
//! that dies in the middle leaves behind. Each test makes one thing go wrong at one place, and asks what a user sees.

mod dynamo_down;
mod dynamo_reasons;
mod dynamo_replies;
mod idempotency;
mod outages;
mod pitfalls;
mod promotion;
mod redis_connections;
mod redis_replies;
mod redis_scripts;
mod refunds;
mod restores;
mod steps;
mod switch;
mod windows;
