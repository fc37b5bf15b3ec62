//! How much time a request has left. One deadline is made when the request arrives, and every call to a store, every
//! retry and every wait ends by it.

use std::time::Duration;

use tokio::time::Instant;

/// The instant by which a request must be answered.
#[derive(Clone, Copy, Debug)]
pub struct Deadline(Instant);

impl Deadline {
    /// That long from now.
    #[must_use]
    pub fn after(budget: Duration) -> Self {
        Self(Instant::now() + budget)
    }

    /// The earlier of this deadline and an instant that long from now.
    #[must_use]
    pub fn or_after(self, limit: Duration) -> Self {
        Self(self.0.min(Instant::now() + limit))
    }

    /// The instant.
    #[must_use]
    pub fn instant(self) -> Instant {
        self.0
    }

    /// What is left.
    #[must_use]
    pub fn left(self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }

    /// Waits before the `attempt`-th repeat (from 0): at random half to the whole of `base * 2^attempt`, 200 ms at most, so
    /// that callers who met the same trouble do not return together. Answers whether there is time left to try again.
    pub async fn back_off(self, attempt: u32, base: Duration) -> bool {
        let ceiling = base.saturating_mul(1 << attempt.min(8)).min(Duration::from_millis(200));
        let wait = ceiling.mul_f64(rand::random_range(0.5..1.0));
        if wait >= self.left() {
            return false;
        }
        tokio::time::sleep(wait).await;
        true
    }
}
