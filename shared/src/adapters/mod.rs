//! The stores. Adapters translate between ports and commands, and decide nothing.

pub mod dynamo;
pub mod redis;
