//! (e) A reconcile of the largest show: 100,000 seats, 50,000 of them sold. The function has a process of its own, which is
//! this binary again, so that its peak of memory is its own; both stores are elsewhere.

use std::process::Stdio;
use std::time::{Duration, Instant};

use holdfast::domain::show::Show;
use holdfast::domain::{Booking, BookingId, Buyer, Decision, Places, SeatId, ShowId};
use holdfast::ops::reconcile::{ReconcileWish, reconcile};
use holdfast::{App, Config, Deadline, Stores};
use holdfast_tests::loaded;
use holdfast_tests::servers::{TABLE, own_dynamo};
use redis::AsyncCommands;
use serde_json::json;
use tokio::task::JoinSet;

use super::memory::peak_kib;

const SEATS: usize = 100_000;
const SOLD: usize = 50_000;
const SEATS_PER_BOOKING: usize = 10;
const BOOKINGS_AT_ONCE: usize = 32;

/// What the process of its own is told by.
pub const ALONE: &str = "--reconcile=";

/// What may be spent.
const LIMIT: &str = "10,000 ms, 100 MB";

/// Prints what each run took.
pub async fn run(redis_url: &str) {
    let dynamo = own_dynamo().await;
    let vars = [
        ("REDIS_URL", redis_url.to_owned()),
        ("AWS_ENDPOINT_URL_DYNAMODB", dynamo.endpoint()),
        ("TABLE_NAME", TABLE.to_owned()),
        ("TOKEN_SECRET", "0123456789abcdef0123456789abcdef".to_owned()),
        ("LOG_LEVEL", "error".to_owned()),
    ];
    let config = vars.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    let app = App::new(Config::from_vars(&config).expect("a configuration"));
    let stores = app.stores(Deadline::after(Duration::from_secs(600)));

    let began = Instant::now();
    let (show, seats) = sell(&stores).await;
    println!(
        "(e) {SOLD} of {SEATS} seats are sold, after {:.1} s; the limit of a run is {LIMIT}",
        began.elapsed().as_secs_f64()
    );
    alone("of a show that Redis has lost", &show, &vars).await;
    alone("that finds nothing", &show, &vars).await;
    wipe(redis_url, &show, &seats[..SOLD]).await;
    alone("that marks what is sold", &show, &vars).await;
}

/// Puts the show up, and sells half of it.
async fn sell(stores: &Stores) -> (ShowId, Vec<SeatId>) {
    let id = ShowId::parse(&uuid::Uuid::new_v4().to_string()).unwrap();
    let rows: Vec<_> = (1..=SEATS / 100).map(|row| json!({"id": format!("R{row}-"), "from": 1, "to": 100})).collect();
    let show: Show = serde_json::from_value(json!({
        "showId": id, "name": "bench", "version": 1, "sections": [{"id": "all", "rows": rows}], "zones": [],
        "hold": {"defaultTtlSeconds": 300, "maxTtlSeconds": 900, "maxLifetimeSeconds": 7200},
        "limits": {"maxPlacesPerHold": 10}, "lateConfirm": "rescue",
        "waitingRoom": {"enabled": false, "admitPerMinute": 600, "passTtlSeconds": 600},
    }))
    .unwrap();
    assert!(stores.record.write_show(&show).await.unwrap());
    let seats: Vec<SeatId> = show.seats().map(|seat| SeatId::parse(&seat).unwrap()).collect();
    let mut selling = JoinSet::new();
    for places in seats[..SOLD].chunks(SEATS_PER_BOOKING) {
        if selling.len() == BOOKINGS_AT_ONCE {
            selling.join_next().await.unwrap().unwrap();
        }
        let (stores, booking) = (stores.clone(), booking(&id, places));
        selling.spawn(async move { drop(stores.record.decide_booking(&booking).await.unwrap()) });
    }
    selling.join_all().await;
    (id, seats)
}

fn booking(show: &ShowId, seats: &[SeatId]) -> Booking {
    Booking {
        id: BookingId::of(show, loaded::any_token()),
        show: show.clone(),
        decision: Decision::Confirmed,
        places: Some(Places::Seats(seats.to_vec())),
        first: None,
        buyer: Buyer::default(),
        payment: None,
        order: None,
        decided_at_ms: 1_796_000_000_123,
        hold_found: true,
        version: 1,
        sold_version: 1,
    }
}

/// Lets Redis forget what is sold.
async fn wipe(redis_url: &str, show: &ShowId, sold: &[SeatId]) {
    let mut redis =
        redis::Client::open(redis_url).unwrap().get_multiplexed_async_connection().await.expect("a connection");
    for chunk in sold.chunks(1_000) {
        let fields: Vec<(&str, &str)> = chunk.iter().map(|seat| (seat.as_str(), "")).collect();
        let _: () = redis.hset_multiple(holdfast::adapters::redis::keys::seats(show), &fields).await.unwrap();
    }
}

/// One run in a process of its own.
async fn alone(what: &str, show: &ShowId, vars: &[(&str, String)]) {
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    child.arg(format!("{ALONE}{show}")).envs(vars.iter().map(|(name, value)| (*name, value))).stderr(Stdio::inherit());
    let ended = tokio::task::spawn_blocking(move || child.output()).await.unwrap().unwrap();
    let told = String::from_utf8_lossy(&ended.stdout).trim().to_owned();
    assert!(ended.status.success(), "a run {what}: {told}");
    println!("(e) reconcile {what}: {told}");
}

/// The process of its own: reconciles a show, and prints what it took.
pub async fn in_its_own_process(show: &str) {
    let show = Some(ShowId::parse(show).expect("a show"));
    let app = App::from_env().expect("a configuration");
    let wish = ReconcileWish { show, ..ReconcileWish::default() };
    let began = Instant::now();
    let report = reconcile(&app.stores(Deadline::after(Duration::from_secs(60))), &wish).await;
    let took = began.elapsed().as_millis();
    assert!(report.complete && report.errors.is_empty(), "{report:?}");
    let of = &report.shows[0];
    println!("{took} ms, {}, {} places, {} marked", peak(), of.checked.places, of.repairs.marked);
}

/// The most memory that this process had.
fn peak() -> String {
    let kib = peak_kib("self");
    kib.map_or("memory is not known here".to_owned(), |kib| format!("{} MB at its peak", kib.div_ceil(1024)))
}
