//! Each script of `lua/`, in a module of its name: its codes in the order of precedence that its header gives, the same
//! call twice, and the races that its header names.
//!
//! `pin_units` and `pin_restores` go on with what `pin` does, `mark_repairs` with `mark`. `house` is a show in a Redis, with what buyers do to it; `memory`, `arguments` and
//! `format` look at all scripts together.

mod apply_seats;
mod apply_show;
mod arguments;
mod close_seats;
mod close_zone;
mod compare;
mod expire;
mod extend;
mod format;
mod free;
mod hold;
mod hold_status;
mod house;
mod load_begin;
mod load_chunk;
mod load_finish;
mod mark;
mod mark_repairs;
mod memory;
mod pin;
mod pin_lives;
mod pin_restores;
mod pin_units;
mod pinned;
mod read_events;
mod recount;
mod release;
mod rest;
mod scan;
mod stock_decrement;
mod stock_status;
mod survey;
mod unload;
mod walks;
