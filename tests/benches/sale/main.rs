//! `make bench`: what a sale costs, as ratios within one run on one machine. See `docs/ARCHITECTURE.md` for what the numbers
//! mean. Each part prints its own lines:
//!
//! - (a) [`holds`]: one-seat holds through `ops::hold`, against `redis-benchmark` in the same run;
//! - (b) [`http`]: the same over HTTP;
//! - (c) [`on_sale`]: a thousand buyers for a hundred places;
//! - (d) [`scripts`]: microseconds that Redis spends on each script;
//! - (e) [`mod@reconcile`]: time and memory of a reconcile of the largest show;
//! - (f) [`cold_start`]: first and warm answers, memory and size of each function as it is deployed, beside a hello's.
//!
//! `make bench PARTS="a d"` runs only those. `make bench` builds what (f) measures, and finds the emulator.

mod cold_start;
mod holds;
mod http;
mod memory;
mod on_sale;
mod reconcile;
mod redis_benchmark;
mod scripts;
mod shows;

use std::collections::HashMap;

use holdfast_local::config::LocalConfig;
use holdfast_local::redis_server::RedisServer;
use holdfast_local::system::System;

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let wants = |part: &str| asked.is_empty() || asked.iter().any(|one| one == part);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    if let Some(show) = std::env::args().find_map(|arg| arg.strip_prefix(reconcile::ALONE).map(ToOwned::to_owned)) {
        return runtime.block_on(reconcile::in_its_own_process(&show));
    }

    // A Redis of this run's own, under all parts.
    let redis = RedisServer::start(None, &[]).expect("a Redis");
    let baseline: HashMap<usize, f64> =
        [50, 500].into_iter().map(|clients| (clients, redis_benchmark::set_nx_px(redis.port(), clients))).collect();
    for (clients, rate) in [(50, baseline[&50]), (500, baseline[&500])] {
        println!("baseline  redis-benchmark -c {clients}: {rate:.0} SET NX PX a second");
    }
    if wants("a") {
        runtime.block_on(holds::run(&redis.url(), &baseline));
    }
    if wants("d") {
        runtime.block_on(scripts::run(&redis.url()));
    }
    if wants("e") {
        runtime.block_on(reconcile::run(&redis.url()));
    }
    if wants("f") {
        runtime.block_on(cold_start::run(&redis.url()));
    }
    if wants("b") || wants("c") {
        // The system on a runtime of its own, as its own process would be.
        let served = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
        let vars = HashMap::from([("PORT".to_owned(), "0".to_owned()), ("REDIS_URL".to_owned(), redis.url())]);
        let config = LocalConfig::from_vars(vars).expect("a configuration");
        let system = served.block_on(System::start(config)).expect("a system");
        let address = system.url().replace("http://", "");
        if wants("b") {
            runtime.block_on(http::run(&address, &redis.url(), &baseline));
        }
        if wants("c") {
            runtime.block_on(on_sale::run(&address));
        }
        served.block_on(system.stop());
    }
}
