//! What a script answers about a show that Redis may not have.

use crate::Failure;

/// What a script says of a show that it may not know.
#[derive(Debug)]
pub enum Touch<T> {
    /// Redis knows the show, and this is the answer.
    Known(T),
    /// Redis does not know the show.
    NotLoaded,
    /// A part of the work is done, as much as one call may: call again.
    Again,
    /// The answer depends on a replacement of the show: under way for so many ms or, when negative, given up.
    Closing {
        /// What is left of the closing mark.
        left_ms: i64,
    },
}

/// An answer of Redis.
pub type Touched<T> = Result<Touch<T>, Failure>;
