//! Buyers who go on buying, each in a process of its own, and what they were answered when.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use holdfast_tests::poll::until;
use holdfast_tests::sys::{Answer, Client, paid};
use tokio::task::JoinSet;
use tokio::time::Instant;

/// The budget of a request in these tests, and what a busy machine takes besides.
const BOUND: Duration = Duration::from_millis(5_500);

/// An answer that a buyer got.
#[derive(Debug, Clone)]
pub struct Got {
    pub buyer: usize,
    pub asked_at: Instant,
    pub answered_at: Instant,
    pub what: &'static str,
    pub status: u16,
    pub code: String,
}

/// Buyers of one show.
pub struct Load {
    buyers: JoinSet<()>,
    count: usize,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    enough: AtomicBool,
    got: Mutex<Vec<Got>>,
}

impl Load {
    /// Each client is a buyer, from now on. What is neither a success, nor taken, nor 503 fails the test at [`Load::end`].
    pub fn start(clients: Vec<Client>, show: &str) -> Load {
        let (shared, count) = (Arc::new(Shared::default()), clients.len());
        let mut buyers = JoinSet::new();
        for (number, client) in clients.into_iter().enumerate() {
            let buyer = Buyer { number, client, show: show.to_owned(), shared: Arc::clone(&shared) };
            buyers.spawn(buyer.buy());
        }
        Load { buyers, count, shared }
    }

    /// Waits until each buyer was answered with a success that was asked for after this instant.
    pub async fn each_succeeds_after(&self, since: Instant) {
        until("each buyer succeeds", || async {
            let got = self.shared.got.lock().unwrap();
            let succeeded = |buyer| {
                got.iter().any(|got| got.buyer == buyer && got.asked_at > since && matches!(got.status, 201 | 204))
            };
            (0..self.count).all(succeeded).then_some(())
        })
        .await;
    }

    /// Waits until each buyer was answered something that was asked for after now.
    pub async fn each_is_answered(&self) {
        let since = Instant::now();
        until("each buyer is answered", || async {
            let got = self.shared.got.lock().unwrap();
            let answered = |buyer| got.iter().any(|got| got.buyer == buyer && got.asked_at > since);
            (0..self.count).all(answered).then_some(())
        })
        .await;
    }

    /// Ends the buying, and answers all that was answered.
    pub async fn end(self) -> Vec<Got> {
        self.shared.enough.store(true, Ordering::Relaxed);
        self.buyers.join_all().await;
        std::mem::take(&mut self.shared.got.lock().unwrap())
    }
}

struct Buyer {
    number: usize,
    client: Client,
    show: String,
    shared: Arc<Shared>,
}

impl Buyer {
    /// Wants every other seat, and starts at another one than others do, so that it meets theirs.
    async fn buy(self) {
        for step in 0.. {
            if self.shared.enough.load(Ordering::Relaxed) {
                return;
            }
            let (client, show) = (&self.client, self.show.as_str());
            let seat = format!("E{}", (self.number * 11 + step) % 2_000 + 1);
            let held = match step % 4 {
                0 => self.told("decrement", client.decrement(show, "GA", 1)).await,
                _ => self.told("hold", client.hold(show, &[&seat])).await,
            };
            if held.status != 201 {
                continue;
            }
            let token = held.text("holdToken").to_owned();
            if step % 4 == 1 {
                self.told("release", client.release(show, &token)).await;
            } else {
                let payment = paid(&format!("pay_{}_{step}", self.number));
                self.told("confirm", client.confirm(show, &token, payment)).await;
            }
        }
    }

    async fn told(&self, what: &'static str, call: impl Future<Output = Answer>) -> Answer {
        let asked_at = Instant::now();
        let answer = call.await;
        let (answered_at, code) = (Instant::now(), answer.code().to_owned());
        let (buyer, status) = (self.number, answer.status);
        assert!(
            matches!((status, code.as_str()), (201 | 204, _) | (409, _) | (503, "unavailable")),
            "{what}: {status} {}",
            answer.body
        );
        assert!(answered_at - asked_at < BOUND, "{what}: {status} after {:?}", answered_at - asked_at);
        self.shared.got.lock().unwrap().push(Got { buyer, asked_at, answered_at, what, status, code });
        answer
    }
}

/// From the first to the last 503; `None`: there was none.
pub fn unavailable(got: &[Got]) -> Option<Duration> {
    let of = || got.iter().filter(|got| got.status == 503);
    Some(of().map(|got| got.answered_at).max()? - of().map(|got| got.asked_at).min()?)
}

/// Fails the test unless everything went on as if nothing had happened.
#[track_caller]
pub fn assert_undisturbed(got: &[Got]) {
    let refused: Vec<&Got> = got.iter().filter(|got| !matches!(got.status, 201 | 204 | 409)).collect();
    assert!(refused.is_empty(), "{} of {}: {}", refused.len(), got.len(), told(&refused));
    assert_none_lost(got);
}

/// Fails the test if somebody was told that what he had is gone.
#[track_caller]
pub fn assert_none_lost(got: &[Got]) {
    let lost: Vec<&Got> = got.iter().filter(|got| got.status == 409 && got.code != "seat_unavailable").collect();
    assert!(lost.is_empty(), "{} of {}: {}", lost.len(), got.len(), told(&lost));
}

fn told(got: &[&Got]) -> String {
    got.iter().map(|got| format!("{} {} {}", got.what, got.status, got.code)).collect::<Vec<_>>().join(", ")
}
