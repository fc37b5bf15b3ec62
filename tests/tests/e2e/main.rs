//! The built binaries of the functions, under a Runtime API of the tests' own, on real stores; `emulator` has them under AWS'
//! own. `make e2e` builds and runs them; `zz_policies` then compares what they asked of DynamoDB with what template.yaml lets
//! them.

mod concurrent;
mod crowd;
mod emulator;
mod events;
mod first_touch;
mod frozen;
mod gateway;
mod log;
mod malformed;
mod roles;
mod sale;
