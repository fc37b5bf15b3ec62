//! What was answered about each token, so that it can be held against the record in the end.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::chance::Chance;

/// A hold that somebody was answered.
#[derive(Debug)]
pub struct Token {
    pub token: String,
    /// Its places, as a confirm names them: `seats`, or `zone` and `units`.
    pub named: Value,
    /// The reference of its payment, if it is paid for.
    pub reference: Option<String>,
    known: Mutex<Known>,
}

/// What is known of a token by its answers.
#[derive(Debug, Default, Clone)]
pub struct Known {
    /// Somebody sent another payment, or none, or other places than the hold has.
    pub odd: bool,
    /// A cancel was sent; a restore was.
    pub cancel_sent: bool,
    pub restore_sent: bool,
    /// One was answered as done.
    pub cancelled: bool,
    /// The bookings that were answered as confirmed, without what a cancel, a restore and a payment may change.
    pub booked: BTreeSet<String>,
    /// The payments that these were answered with.
    pub paid: BTreeSet<String>,
    /// References of payments whose refunds were answered, with their status.
    pub refunds: BTreeSet<(String, String)>,
    /// When it lapses, as far as its answers tell.
    pub lapses: Option<Instant>,
    /// A process died over it, and nobody cares any more.
    pub left_alone: bool,
    /// Redis was killed since it was answered.
    pub lost: bool,
}

impl Token {
    pub fn new(answer: &Value, reference: Option<String>) -> Token {
        let named = match answer.get("zone") {
            Some(zone) => json!({"zone": zone, "units": answer["units"]}),
            None => json!({"seats": answer["seats"]}),
        };
        let token = answer["holdToken"].as_str().unwrap().to_owned();
        Token { token, named, reference, known: Mutex::default() }
    }

    pub fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap()
    }

    /// Notes how long an answer says that it lasts.
    pub fn lasts(&self, answer: &Value) {
        let left = Duration::from_millis(answer["expiresInMs"].as_u64().unwrap());
        self.known().lapses = Some(Instant::now() + left);
    }

    /// The payment that comes with its confirm, if any.
    pub fn payment(&self) -> Value {
        self.reference.as_ref().map_or(json!({}), |reference| holdfast_tests::sys::paid(reference))
    }
}

/// All tokens.
#[derive(Debug, Default)]
pub struct Pool(Mutex<Vec<Arc<Token>>>);

impl Pool {
    pub fn add(&self, token: Token) {
        self.0.lock().unwrap().push(Arc::new(token));
    }

    pub fn all(&self) -> Vec<Arc<Token>> {
        self.0.lock().unwrap().clone()
    }

    /// One of the last `recent` ones that `wanted` says.
    pub fn one(&self, recent: usize, chance: &mut Chance, wanted: impl Fn(&Known) -> bool) -> Option<Arc<Token>> {
        let tokens = self.0.lock().unwrap();
        let recent = tokens[tokens.len().saturating_sub(recent)..].iter();
        let recent: Vec<&Arc<Token>> = recent.filter(|token| wanted(&token.known())).collect();
        (!recent.is_empty()).then(|| Arc::clone(*chance.one(&recent)))
    }
}
