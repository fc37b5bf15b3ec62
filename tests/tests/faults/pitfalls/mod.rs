//! What went wrong for others, where a store fails and a reconcile comes after it.

mod capacity;
mod killed;
mod killing;
mod money;
mod overrun;
mod parallel;
mod redis_states;
mod throttled;
