//! The operations, one file each, named like the script, the call and the function that belong to it. An operation says what
//! happens in which order: it calls Redis and the record through [`Stores`](crate::Stores), and reaches a show in Redis
//! through [`loading`].

pub mod booking;
pub mod cancel;
pub mod confirm;
mod deciding;
pub mod define_show;
pub mod extend;
pub mod hold;
pub mod hold_status;
pub mod list_bookings;
pub mod list_refunds;
pub mod list_shows;
pub mod loading;
pub mod paging;
mod payments;
pub mod reconcile;
pub mod release;
pub mod restore;
pub mod settle;
pub mod settle_refund;
pub mod show_status;
pub mod stock_decrement;
pub mod stock_status;

use crate::Failure;
use crate::domain::Refusal;

/// What an operation answers: a decision, or why there is none.
pub type Outcome<T> = Result<Result<T, Refusal>, Failure>;
