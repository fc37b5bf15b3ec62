//! The stores. Adapters translate between types and commands, and decide nothing.

pub mod dynamo;
pub mod redis;
