//! The stand-in for API Gateway and Lambda on one machine, with both stores: what `make run` starts.
//!
//! The stores come first (`redis_server`, `dynamo_server`, `table`); the tests use these by themselves.

pub mod data_dir;
pub mod dynamo_server;
pub mod redis_server;
pub mod table;
