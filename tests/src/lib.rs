//! The harness of Holdfast's tests: real stores, what breaks the lines to them, and the judges.
//!
//! Start with `servers` (a Redis and a DynamoDB for a test process), and `sys` (the product on top of them). `monitor`
//! judges every Redis that is handed out, `proxy` and `dynamo_front` break what lies between, `steps` has both of them
//! lose one call of an operation, `gate` holds a request until the test is ready for it, `poll` waits for a state, `image`
//! compares what Redis has before and after, `invariants` judge what both stores have in the end, `payments` is what became of each payment that was sent. Tests below the routes
//! find a show in `loaded`; `cluster` is Redis as ElastiCache has it. `runtime_api` runs the built binaries as Lambda does, and
//! `cases` are the files of `events/`. `like` compares answers, `template` reads template.yaml. The tiers themselves lie in `tests/tests`.

pub mod cases;
pub mod cluster;
pub mod dynamo_front;
pub mod gate;
pub mod image;
pub mod invariants;
pub mod like;
pub mod loaded;
pub mod monitor;
pub mod payments;
pub mod poll;
pub mod proxy;
pub mod raw;
pub mod runtime_api;
pub mod servers;
pub mod steps;
pub mod sys;
pub mod template;
