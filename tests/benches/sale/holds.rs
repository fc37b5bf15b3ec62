//! (a) One-seat holds a second through `ops::hold`: all granted, each another seat, and all refused.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use holdfast::domain::{Buyer, Request, SeatId, ShowId};
use holdfast::ops::hold::{HoldWish, hold};
use holdfast_tests::loaded;

use super::scripts::microseconds_per_call;
use super::shows::{LoadedShow, app, load, stores};

/// Seats of one show.
const SEATS: u32 = 100_000;
/// Holds of one measurement.
const HOLDS: usize = 200_000;

/// Prints the rates and their ratios.
pub async fn run(redis_url: &str, baseline: &HashMap<usize, f64>) {
    for callers in [50, 500] {
        let mut shows = Vec::new();
        for _ in 0..HOLDS.div_ceil(SEATS as usize) {
            shows.push(load(&stores(&app(redis_url)), SEATS).await);
        }
        let wishes: Arc<Vec<(ShowId, SeatId)>> = Arc::new(shows.iter().flat_map(wishes).take(HOLDS).collect());
        // The refused ones are what a rush looks like: everybody wants the same hundred seats.
        let wanted: Arc<Vec<_>> = Arc::new(wishes.iter().take(100).cycle().take(HOLDS).cloned().collect());
        for (outcome, granted, wishes) in [("granted", true, &wishes), ("refused", false, &wanted)] {
            let (rate, us) = measure(redis_url, callers, wishes, granted).await;
            let ratio = rate / baseline[&callers];
            println!(
                "(a) holds {outcome:<8} {callers:>3} callers: {rate:>7.0} a second, {ratio:.2} of redis-benchmark, {us:.1} us of Redis each"
            );
        }
    }
}

fn wishes(show: &LoadedShow) -> impl Iterator<Item = (ShowId, SeatId)> + '_ {
    show.seats.iter().map(|seat| (show.id.clone(), seat.clone()))
}

/// Runs every wish once, from so many callers of one environment.
async fn measure(redis_url: &str, callers: usize, wishes: &Arc<Vec<(ShowId, SeatId)>>, granted: bool) -> (f64, f64) {
    let (app, next) = (Arc::new(app(redis_url)), Arc::new(AtomicUsize::new(0)));
    let reset = microseconds_per_call(redis_url).await;
    let began = Instant::now();
    let callers: Vec<_> = (0..callers)
        .map(|_| {
            let (app, next, wishes) = (Arc::clone(&app), Arc::clone(&next), Arc::clone(wishes));
            tokio::spawn(async move {
                while let Some((show, seat)) = wishes.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let wish = HoldWish {
                        show: show.clone(),
                        seats: vec![seat.clone()],
                        ttl_ms: Some(300_000),
                        buyer: Buyer::default(),
                        request: Request::once(loaded::any_token()),
                    };
                    let held = hold(&stores(&app), &wish).await.expect("an answer");
                    assert_eq!(held.is_ok(), granted);
                }
            })
        })
        .collect();
    for caller in callers {
        caller.await.expect("a caller");
    }
    let rate = wishes.len() as f64 / began.elapsed().as_secs_f64();
    (rate, reset.read().await)
}
