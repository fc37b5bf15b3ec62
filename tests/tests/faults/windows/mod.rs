//! The windows of the design, section 7: the process dies here, the reply is lost there, this overtakes that. Each test
//! names its window, and shows what closes it.

mod cancelled;
mod confirming;
mod holding;
mod late_marks;
mod loading;
mod lost_holds;
mod replacing;
mod settled;
mod snapshots;
