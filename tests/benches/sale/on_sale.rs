//! (c) The on-sale: a hundred places, a thousand buyers, ten for each place; each holds, and who got it confirms.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use serde_json::{Value, json};

use super::http::{Client, hold_body};

const PLACES: usize = 100;
const BUYERS: usize = 1_000;

/// What one caller saw.
struct Seen {
    sold: usize,
    holds: Histogram<u64>,
    confirms: Histogram<u64>,
}

/// Prints what was sold, and how long it took.
pub async fn run(address: &str) {
    for callers in [100, 500] {
        let show = uuid::Uuid::new_v4().to_string();
        let layout =
            json!({"name": "on-sale", "sections": [{"id": "all", "rows": [{"id": "A", "from": 1, "to": PLACES}]}]});
        let (status, answer) =
            Client::connect(address).await.send("PUT", &format!("/shows/{show}"), &layout.to_string()).await;
        assert_eq!(status, 201, "{answer}");
        // The first touch loads the show. It is told by itself: it happens once, and not in a rush.
        let began = Instant::now();
        let stranger = format!("/shows/{show}/holds/{}", uuid::Uuid::new_v4());
        assert_eq!(Client::connect(address).await.send("GET", &stranger, "").await.0, 404);
        println!("(c) first touch of a show: {:.1} ms", began.elapsed().as_secs_f64() * 1000.0);

        let next = Arc::new(AtomicUsize::new(0));
        let began = Instant::now();
        let at_work: Vec<_> =
            (0..callers).map(|_| tokio::spawn(buyers(address.to_owned(), show.clone(), Arc::clone(&next)))).collect();
        let mut all = Seen::nothing();
        for caller in at_work {
            all.add(&caller.await.expect("a caller"));
        }
        let took = began.elapsed();
        let requests = all.holds.len() + all.confirms.len();
        let rate = requests as f64 / took.as_secs_f64();
        println!("(c) on-sale {callers:>3} callers: {} of {PLACES} places sold, {rate:.0} requests a second", all.sold);
        println!("    hold    {}", quantiles(&all.holds));
        println!("    confirm {}", quantiles(&all.confirms));
        assert_eq!(all.sold, PLACES);
    }
}

/// Buyers one after another, until all have had their turn.
async fn buyers(address: String, show: String, next: Arc<AtomicUsize>) -> Seen {
    let (mut client, mut seen) = (Client::connect(&address).await, Seen::nothing());
    loop {
        let buyer = next.fetch_add(1, Ordering::Relaxed);
        if buyer >= BUYERS {
            return seen;
        }
        let seat = format!("A{}", buyer % PLACES + 1);
        let began = Instant::now();
        let (status, answer) = client.send("POST", &format!("/shows/{show}/holds"), &hold_body(&seat)).await;
        seen.holds.saturating_record(microseconds(began.elapsed()));
        if status == 409 {
            continue;
        }
        assert_eq!(status, 201, "{answer}");
        let held: Value = serde_json::from_str(&answer).expect("JSON");
        let token = held["holdToken"].as_str().expect("a token");
        let payment = json!({"payment": {"reference": format!("pay_{buyer}"), "amount": "55000", "currency": "KRW"}});
        let began = Instant::now();
        let path = format!("/shows/{show}/holds/{token}/confirm");
        let (status, answer) = client.send("POST", &path, &payment.to_string()).await;
        seen.confirms.saturating_record(microseconds(began.elapsed()));
        assert_eq!(status, 201, "{answer}");
        seen.sold += 1;
    }
}

impl Seen {
    fn nothing() -> Seen {
        let histogram = || Histogram::new_with_bounds(1, 60_000_000, 3).expect("a histogram");
        Seen { sold: 0, holds: histogram(), confirms: histogram() }
    }

    fn add(&mut self, other: &Seen) {
        self.sold += other.sold;
        self.holds.add(&other.holds).expect("equal bounds");
        self.confirms.add(&other.confirms).expect("equal bounds");
    }
}

fn microseconds(took: Duration) -> u64 {
    u64::try_from(took.as_micros()).unwrap_or(u64::MAX)
}

fn quantiles(histogram: &Histogram<u64>) -> String {
    let ms = |quantile: f64| histogram.value_at_quantile(quantile) as f64 / 1000.0;
    format!("p50 {:.1} ms, p95 {:.1} ms, p99 {:.1} ms", ms(0.50), ms(0.95), ms(0.99))
}
