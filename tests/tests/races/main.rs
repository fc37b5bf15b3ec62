//! Races: many buyers in the same instant, from eight environments with connections of their own, judged by their
//! answers and by the invariants on what both stores have in the end.

mod cancels;
mod confirms;
mod crowd;
mod expiry;
mod first_touch;
mod groups;
mod one_seat;
mod replace;
mod stale_owner;
mod zones;
