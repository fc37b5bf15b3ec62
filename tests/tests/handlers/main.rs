//! The functions on real stores: what a caller sees, whole answers compared.
//!
//! `events` drives the files of `events/` through the functions. The others call the routes, by the gateway, and are
//! named after what they ask about. `expect` and `like` compare.

mod cancel;
mod capacity;
mod confirm;
mod confirm_places;
mod events;
mod expect;
mod first_units;
mod hold;
mod idempotency;
mod idempotency_later;
mod input;
mod input_bodies;
mod input_ids;
mod input_numbers;
mod keys_over_days;
mod life;
mod limits;
mod lists;
mod meanwhile;
mod other_units;
mod precedence;
mod process;
mod raw;
mod refunds;
mod repeats;
mod restore;
mod restore_tokens;
mod roles;
mod routes;
mod show;
mod show_faults;
mod show_replace;
mod tokens;
mod told_again;
mod units_beyond;
mod zone;

use holdfast_tests::like;
