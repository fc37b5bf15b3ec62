//! A crowd of buyers, spread over eight environments of the functions.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use holdfast_tests::loaded::issued_token;
use holdfast_tests::servers;
use holdfast_tests::sys::{Answer, Client, Sys};
use tokio::sync::{Barrier, Mutex, MutexGuard, Semaphore};
use tokio::task::JoinSet;

/// How many environments there are.
pub const CLIENTS: usize = 8;

/// How many requests are under way at once in a crowd that is not of one instant.
const AT_ONCE: usize = 100;

/// A race asks who wins. How long a busy machine takes over it is no part of the question.
pub const PATIENT: [(&str, &str); 5] = [
    ("REQUEST_BUDGET_MS", "9000"),
    ("REDIS_CONNECT_TIMEOUT_MS", "8000"),
    ("REDIS_RESPONSE_TIMEOUT_MS", "8000"),
    ("DYNAMODB_CONNECT_TIMEOUT_MS", "8000"),
    ("DYNAMODB_RESPONSE_TIMEOUT_MS", "8000"),
];

/// The product on the shared stores, with patience, and eight environments that have their connections.
///
/// Races take turns: two at once would only measure the machine.
pub struct Race {
    sys: Sys,
    /// The environments.
    pub environments: Vec<Client>,
    _turn: MutexGuard<'static, ()>,
}

impl Race {
    /// Waits for its turn.
    pub async fn start() -> Race {
        let sys = Sys::with(&servers::redis().url(), &servers::dynamo().await.endpoint(), &PATIENT);
        Race::on(sys).await
    }

    /// On stores of its own.
    pub async fn on(sys: Sys) -> Race {
        static TURN: Mutex<()> = Mutex::const_new(());
        let turn = TURN.lock().await;
        let environments = sys.clients(CLIENTS);
        for client in &environments {
            // A show that does not exist is looked for in both stores.
            let token = issued_token("none");
            client.hold_status("none", &token).await.expect_problem(404, "show_not_found");
        }
        Race { sys, environments, _turn: turn }
    }

    /// Lets `count` buyers act in the same instant.
    pub async fn at_once<F>(&self, count: usize, act: impl Fn(Client, usize) -> F) -> Vec<F::Output>
    where
        F: Future<Output: Send + 'static> + Send + 'static,
    {
        let start = Arc::new(Barrier::new(count));
        let buyers = (0..count).map(|buyer| {
            let (start, act) = (Arc::clone(&start), act(self.environments[buyer % CLIENTS].clone(), buyer));
            async move {
                start.wait().await;
                act.await
            }
        });
        buyers.collect::<JoinSet<_>>().join_all().await
    }

    /// Lets `count` buyers act as fast as a hundred at a time can.
    pub async fn in_a_rush<F>(&self, count: usize, act: impl Fn(Client, usize) -> F) -> Vec<F::Output>
    where
        F: Future<Output: Send + 'static> + Send + 'static,
    {
        let turns = Arc::new(Semaphore::new(AT_ONCE));
        let buyers = (0..count).map(|buyer| {
            let (turns, act) = (Arc::clone(&turns), act(self.environments[buyer % CLIENTS].clone(), buyer));
            async move {
                let _turn = turns.acquire().await.unwrap();
                act.await
            }
        });
        buyers.collect::<JoinSet<_>>().join_all().await
    }
}

impl Deref for Race {
    type Target = Sys;

    fn deref(&self) -> &Sys {
        &self.sys
    }
}

impl DerefMut for Race {
    fn deref_mut(&mut self) -> &mut Sys {
        &mut self.sys
    }
}

/// How often each status and code was answered.
pub fn tally<'a>(answers: impl IntoIterator<Item = &'a Answer>) -> BTreeMap<(u16, String), usize> {
    let mut tally = BTreeMap::new();
    for answer in answers {
        *tally.entry((answer.status, answer.code().to_owned())).or_default() += 1;
    }
    tally
}

/// Fails the test unless the answers are these: status, code, how often.
#[track_caller]
pub fn assert_tally<'a>(answers: impl IntoIterator<Item = &'a Answer>, wanted: &[(u16, &str, usize)]) {
    let wanted: BTreeMap<_, _> =
        wanted.iter().map(|(status, code, count)| ((*status, (*code).to_owned()), *count)).collect();
    assert_eq!(tally(answers), wanted);
}
