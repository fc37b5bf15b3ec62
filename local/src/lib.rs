//! The stand-in for API Gateway and Lambda on one machine, with both stores: what `make run` starts.
//!
//! - The stores, which tests also use by themselves: [`redis_server`], [`dynamo_server`], [`table`].
//! - API Gateway: [`gateway`] finds a request's route ([`router`]), makes an event of it ([`event`], with what [`authorizer`]
//!   says of the caller), and a response of the function's [`answer`].
//! - Lambda: [`lambda`] runs the functions ([`handlers`]) that [`template`] names; [`invoke_api`] is its own interface.
//! - EventBridge Scheduler: [`scheduler`] calls functions by each [`schedule`] of the template.
//! - [`system`] puts all of it together. Start reading there.
//! - [`reconcile_command`] asks a running system to reconcile, and prints its report.

// A test may stop where it stands.
#![cfg_attr(test, allow(clippy::expect_used))]

pub mod answer;
pub mod authorizer;
pub mod config;
pub mod data_dir;
pub mod demo;
pub mod dynamo_server;
pub mod event;
pub mod gateway;
pub mod handlers;
pub mod invoke_api;
pub mod lambda;
pub mod reconcile_command;
pub mod redis_server;
pub mod router;
pub mod schedule;
pub mod scheduler;
pub mod server;
pub mod stores;
pub mod system;
pub mod table;
pub mod template;
pub mod token_secret;

mod body;
