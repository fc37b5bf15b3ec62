//! (f) A cold start: from the start of a process to its first answer, what a warm one takes, its memory, and the size of its
//! binary, of every function as it is deployed and of a hello that was built in the same way. The processes take turns, a hello
//! before each function, so that what else the machine does strikes all alike.

mod requests;
mod samples;

use std::collections::BTreeMap;

use holdfast_tests::cases::Stores;
use holdfast_tests::runtime_api::{Deployment, Emulator, binary};
use holdfast_tests::servers::own_dynamo;

use requests::Requests;
use samples::{Samples, median};

/// How often each function is started, under the Runtime API of the tests' own, and under the emulator.
const ROUNDS: usize = 30;
const EMULATED_ROUNDS: usize = 10;
/// How many events each process answers after its first.
const WARM: usize = 10;

/// What it is measured by. It stands in the place of a function: `hold`.
const HELLO: &str = "hello";
const IN_PLACE_OF: &str = "hold";

/// What a first answer may take longer than hello's, in milliseconds.
const FIRST: [(&str, f64); 2] = [("hold", 4.0), ("confirm", 8.0)];
/// What a warm answer may take longer, outside the stores.
const OUTSIDE: f64 = 0.5;
/// What each may have of memory, in MB.
const MEMORY: f64 = 24.0;

/// Prints a line a function, and each target with what became of it.
pub async fn run(redis_url: &str) {
    let dynamo = own_dynamo().await;
    let stores = Stores::at(redis_url, &dynamo.endpoint());
    let sys = stores.sys();
    let mut requests = Requests::about_a_show(sys, Deployment::on(stores).await).await;
    let mut functions: Vec<String> =
        holdfast_tests::template::functions().values().map(|function| function.binary().to_owned()).collect();
    functions.sort();
    let mut all: BTreeMap<String, Samples> = BTreeMap::new();
    for round in 0..ROUNDS {
        for function in &functions {
            for program in [HELLO, function] {
                let place = if program == HELLO { IN_PLACE_OF } else { program };
                let events = requests.events(place, 1 + WARM).await;
                let samples = all.entry(program.to_owned()).or_default();
                samples.take(requests.deployment(), program, place, &events).await;
                if round < EMULATED_ROUNDS && Emulator::is_there() {
                    let events = requests.events(place, 1 + WARM).await;
                    samples.take_emulated(requests.deployment(), program, place, &events).await;
                }
            }
        }
    }

    let hello = &all[HELLO];
    println!(
        "(f) medians of {ROUNDS} processes each, of {} for hello, and of {WARM} more answers each;",
        hello.first.len()
    );
    println!("    +: longer than hello; outside: without the waits for stores; emulated: what the emulator reports");
    print_line(HELLO, hello, hello);
    for function in &functions {
        print_line(function, &all[function], hello);
    }
    print_targets(&all, hello);
}

fn print_line(program: &str, samples: &Samples, hello: &Samples) {
    let ms = |of: fn(&Samples) -> &Vec<f64>| {
        let (own, of_hello) = (median(of(samples)), median(of(hello)));
        if own.is_nan() { "not told".to_owned() } else { format!("{own:.2} ms ({:+.2})", own - of_hello) }
    };
    let size = std::fs::metadata(binary(program)).map_or(f64::NAN, |data| data.len() as f64 / 1e6);
    println!(
        "(f) {program:<15} first {}, warm {}, outside {}, {:.1} MB of memory, {size:.1} MB of binary; emulated: first {}, warm {}",
        ms(|samples| &samples.first),
        ms(|samples| &samples.warm),
        ms(|samples| &samples.outside),
        memory(samples),
        ms(|samples| &samples.emulated_first),
        ms(|samples| &samples.emulated_warm),
    );
}

fn print_targets(all: &BTreeMap<String, Samples>, hello: &Samples) {
    let print = |what: &str, value: f64, most: f64, unit: &str| {
        let became = if value.is_nan() {
            "not known here"
        } else if value <= most {
            "met"
        } else {
            "MISSED"
        };
        println!("(f) target {what}: {value:.2} of at most {most} {unit}: {became}");
    };
    for (function, most) in FIRST {
        let more = median(&all[function].first) - median(&hello.first);
        print(&format!("first answer of {function}, longer than hello's"), more, most, "ms");
    }
    // Reconcile's log does not tell its waits: it is none of these.
    let others = || all.iter().filter(|(program, _)| *program != HELLO);
    let most_of = |of: &dyn Fn(&Samples) -> f64| others().map(|(_, samples)| of(samples)).fold(f64::NAN, f64::max);
    let outside = most_of(&|samples| median(&samples.outside) - median(&hello.outside));
    print("warm answer outside the stores, longer than hello's, the slowest", outside, OUTSIDE, "ms");
    print("memory at its peak, the largest", most_of(&memory), MEMORY, "MB");
}

/// In MB, as Lambda counts them.
fn memory(samples: &Samples) -> f64 {
    median(&samples.peak_kib) / 1024.0
}
