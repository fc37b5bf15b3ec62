//! A show that another release has loaded in a layout of its own.

use holdfast::Failure;
use holdfast::adapters::redis::keys;
use holdfast::adapters::redis::scripts;
use holdfast::domain::Buyer;
use holdfast_tests::loaded;
use redis::{AsyncCommands, Value};

use crate::house::House;

/// `load_chunk` writes what nobody has loaded yet, and touches no show.
const TOUCHES_NO_SHOW: &str = "load_chunk";

#[tokio::test]
async fn a_show_in_another_layout_is_refused_by_every_script_and_stays_as_it_is() {
    let house = House::open().await;
    let show = keys::show(house.id());
    let layout: String = house.raw().hget(&show, "format").await.unwrap();
    assert_eq!(layout, scripts::FORMAT);
    let _: usize = house.raw().hset(&show, "format", "2").await.unwrap();
    house
        .unchanged(async || {
            for script in scripts::all().into_iter().filter(|script| script.name != TOUCHES_NO_SHOW) {
                let keys: Vec<String> = script.keys.split(", ").map(|_| show.clone()).collect();
                let args = ["1"; 12];
                let mut call = redis::cmd("EVAL");
                call.arg(&script.source).arg(keys.len()).arg(&keys).arg(&args);
                let refused = call.query_async::<Value>(&mut house.raw()).await.unwrap_err();
                assert_eq!(refused.code(), Some("FORMAT"), "{}: {refused}", script.name);
            }
        })
        .await;
}

/// 503 and not 500: a function of the other release answers what this one cannot.
#[tokio::test]
async fn it_is_unavailable_until_it_is_in_a_layout_that_is_known() {
    let house = House::open().await;
    let show = keys::show(house.id());
    let hold = async || {
        let (request, seats) = (loaded::once(loaded::any_token()), loaded::seats(&["E1"]));
        house.redis.hold_seats(house.id(), &request, &seats, None, &Buyer::default()).await
    };
    let _: usize = house.raw().hset(&show, "format", "2").await.unwrap();
    let Err(Failure::OtherLayout { source: Some(source), .. }) = hold().await else { panic!("it was understood") };
    assert!(source.to_string().contains("layout 2"), "{source}");
    let _: usize = house.raw().hset(&show, "format", scripts::FORMAT).await.unwrap();
    hold().await.unwrap();
}
