//! `hold.lua`

use holdfast::Touch;
use holdfast::adapters::redis::keys;
use holdfast::domain::{Buyer, Closing, HoldState, Refusal, Request, SeatTaken};
use holdfast_tests::loaded::{self, small_show};
use redis::AsyncCommands;
use serde_json::json;

use crate::house::{House, known, seats, until};

#[tokio::test]
async fn codes_in_order_of_precedence() {
    let mut house = House::unloaded(small_show(6, 5)).await;
    let (id, repeat, new) = (house.id().clone(), loaded::any_token(), loaded::any_token());
    let asked = loaded::seats(&["E1", "E2", "E6"]);
    let ask_by = async |house: &House, request: &Request, ttl_ms| {
        house.redis.hold_seats(house.id(), request, &asked, ttl_ms, &Default::default()).await.unwrap()
    };
    let ask = async |house: &House, token, ttl_ms| ask_by(house, &loaded::once(token), ttl_ms).await;
    assert!(matches!(ask(&house, new, Some(60_001)).await, Touch::NotLoaded));

    // Everything else applies at once: a known token, a seat that is closed, no sale, too many, one held, one sold.
    house.load().await;
    // The first request with a key does not know the epoch yet.
    let key = |body: &str| loaded::keyed(&id, "holds", body);
    assert!(matches!(ask_by(&house, &key("one"), Some(60_001)).await, Touch::Again));
    let (e3, ann) = (loaded::seats(&["E3"]), Buyer::of("ann"));
    let released = house.redis.hold_seats(house.id(), &key("one"), &e3, None, &ann).await;
    let released = known(released).unwrap().token;
    house.release(released, &seats(&["E3"])).await.unwrap();
    house.hold(repeat, &["E1"]).await.unwrap();
    let winner = house.holder(&["E2"]).await;
    house.sell(winner, &seats(&["E2"])).await;
    let no_sale = json!({"sale": {"closesAt": "2020-01-01T00:00:00Z"}, "limits": {"maxPlacesPerHold": 2}});
    house.apply(no_sale, None).await;
    let closing = Closing { version: 3, mark: "mark".to_owned() };
    house.close(&closing, &["E6"]).await;
    let Touch::Known(Err(other_body)) = ask_by(&house, &key("two"), Some(60_001)).await else { panic!("too long") };
    assert_eq!(other_body, Refusal::TtlTooLong { max_ttl_ms: 60_000 });
    let Touch::Known(Err(other_body)) = ask_by(&house, &key("two"), None).await else { panic!("another body") };
    assert_eq!(other_body, Refusal::KeyMismatch);
    let Touch::Known(Err(ended)) = ask_by(&house, &key("one"), Some(60_001)).await else { panic!("it has ended") };
    assert_eq!(ended, Refusal::HoldEnded { token: released, state: HoldState::Released, booking: None });
    // A repeat comes before every rule of the show.
    let Touch::Known(Ok(held)) = ask(&house, repeat, Some(60_001)).await else { panic!("a repeat") };
    assert_eq!((held.state, held.places), (HoldState::Active, seats(&["E1"])));
    let Touch::Known(Err(too_long)) = ask(&house, new, Some(60_001)).await else { panic!("a TTL that is too long") };
    assert_eq!(too_long, Refusal::TtlTooLong { max_ttl_ms: 60_000 });
    let Touch::Closing { left_ms } = ask(&house, new, None).await else { panic!("a seat that is being closed") };
    assert!((1..=10_000).contains(&left_ms), "{left_ms}");

    house.apply(json!({}), Some(&closing)).await;
    let refused = async |house: &House, ids: &[&str]| house.hold(new, ids).await.unwrap_err();
    let unknown = refused(&house, &["E1", "E2", "E6"]).await;
    assert_eq!(unknown, Refusal::UnknownSeat { seats: vec!["E6".to_owned()] });
    let no_sale = refused(&house, &["E1", "E2", "E3"]).await;
    assert_eq!(no_sale, Refusal::NotOnSale { opens_at_ms: None, closes_at_ms: Some(1_577_836_800_000) });
    house.apply(json!({"sale": {}}), None).await;
    assert_eq!(refused(&house, &["E1", "E2", "E3"]).await, Refusal::LimitExceeded { limit: 2, current: 3 });
    house.apply(json!({"limits": {"maxPlacesPerHold": 3}}), None).await;
    assert!(matches!(refused(&house, &["E1", "E2", "E3"]).await, Refusal::SeatUnavailable { .. }));
    house.hold(new, &["E3"]).await.unwrap();
}

#[tokio::test]
async fn the_same_call_twice_holds_once() {
    let house = House::open().await;
    let token = loaded::any_token();
    let call = async || {
        let held = house.hold(token, &["E1", "E2"]).await.unwrap();
        (held.state, held.lease.deadline_ms)
    };
    house.twice(call).await;
    assert_eq!(house.events().await.len(), 1);
    // A repeat that names other seats is answered with the hold that there is: nothing more is taken.
    house.unchanged(async || house.hold(token, &["E3"]).await.unwrap()).await;
}

#[tokio::test]
async fn a_repeat_of_a_hold_that_has_ended_is_refused_and_takes_nothing_again() {
    let house = House::open().await;
    let released = house.holder(&["E1"]).await;
    house.release(released, &seats(&["E1"])).await.unwrap();
    let lapsed = house.late_holder(&["E2"]).await;
    let sold = house.holder(&["E3"]).await;
    let booking = house.sell(sold, &seats(&["E3"])).await;
    let ends = [
        (released, HoldState::Released, None),
        (lapsed, HoldState::Expired, None),
        (sold, HoldState::Confirmed, Some(booking)),
    ];
    for (token, state, booking) in ends {
        let again = house.unchanged(async || house.hold(token, &["E1", "E2", "E3"]).await.unwrap_err()).await;
        assert_eq!(again, Refusal::HoldEnded { token, state, booking });
    }
    let confirming = house.holder(&["E4"]).await;
    house.pinned(confirming, &seats(&["E4"])).await;
    let again = house.hold(confirming, &["E4"]).await.unwrap();
    assert_eq!(again.state, HoldState::Confirming);
    assert!(again.lease.expires_in_ms > 100_000, "{again:?}");
}

#[tokio::test]
async fn a_hold_takes_all_or_nothing() {
    let house = House::open().await;
    house.holder(&["E2"]).await;
    for wish in [["E1", "E2", "E3"], ["E2", "E1", "E3"], ["E3", "E1", "E2"]] {
        house.unchanged(async || house.hold(loaded::any_token(), &wish).await.unwrap_err()).await;
    }
    house.holder(&["E1", "E3"]).await;
}

#[tokio::test]
async fn each_refused_seat_has_its_reason() {
    let house = House::open().await;
    house.hold_for(loaded::any_token(), &["E2"], 20_000).await.unwrap();
    let winner = house.holder(&["E4"]).await;
    house.sell(winner, &seats(&["E4"])).await;
    let refusal = house.hold(loaded::any_token(), &["E1", "E4", "E3", "E2"]).await.unwrap_err();
    let Refusal::SeatUnavailable { seats } = refusal else { panic!("{refusal:?}") };
    let [sold, held] = seats.as_slice() else { panic!("{seats:?}") };
    assert_eq!(*sold, SeatTaken { seat: "E4".to_owned(), frees_in_ms: None });
    assert_eq!(held.seat, "E2");
    assert!(held.frees_in_ms.is_some_and(|ms| (10_000..=20_000).contains(&ms)), "{held:?}");
}

#[tokio::test]
async fn a_lapsed_seat_is_free_once_its_key_is_gone_and_not_before() {
    let house = House::open().await;
    let first = house.hold_for(loaded::any_token(), &["E1", "E2"], 60).await.unwrap();
    let next = loaded::any_token();
    let granted = until("the seat frees", async || match house.hold(next, &["E2", "E3"]).await {
        Ok(held) => Some(held),
        Err(Refusal::SeatUnavailable { seats }) => {
            assert!(seats[0].frees_in_ms.is_some_and(|ms| ms <= 60), "{seats:?}");
            None
        }
        Err(other) => panic!("{other:?}"),
    })
    .await;
    let taken_at_ms = granted.lease.deadline_ms - 30_000;
    // Redis expires by the clock as it was when the script began, which may be a millisecond behind.
    assert!(taken_at_ms + 1 >= first.lease.deadline_ms, "taken at {taken_at_ms}, held until {first:?}");
    assert_eq!(house.lock("E2").await.0, Some(next.to_string()));
}

/// Around the instant of expiry the record and the key differ: for others the key counts.
#[tokio::test]
async fn a_seat_whose_deadline_has_passed_is_not_free_while_its_key_is_there() {
    let house = House::open().await;
    let token = house.holder(&["E1"]).await;
    house.shift(token, "deadline", -30_001).await;
    assert_eq!(house.state(token).await, HoldState::Expired);
    let refusal = house.unchanged(async || house.hold(loaded::any_token(), &["E1", "E2"]).await.unwrap_err()).await;
    assert!(matches!(refusal, Refusal::SeatUnavailable { .. }), "{refusal:?}");
}

#[tokio::test]
async fn lock_record_and_index_end_together_and_the_record_outlives_them_by_a_day() {
    let house = House::open().await;
    for (ttl_ms, expected) in [(Some(5_000), 5_000), (None, 30_000)] {
        let (token, id) = (loaded::any_token(), if ttl_ms.is_some() { "E1" } else { "E2" });
        let held = match ttl_ms {
            Some(ttl_ms) => house.hold_for(token, &[id], ttl_ms).await.unwrap(),
            None => house.hold(token, &[id]).await.unwrap(),
        };
        assert_eq!(held.lease.expires_in_ms, expected);
        let deadline_ms = held.lease.deadline_ms;
        assert_eq!(house.indexed(id).await, Some(deadline_ms as f64));
        let (owner, left_ms) = house.lock(id).await;
        assert_eq!(owner, Some(token.to_string()));
        let lock_ends = house.now_ms().await + left_ms;
        assert!((lock_ends - deadline_ms).abs() < 500, "the lock ends at {lock_ends}, the hold at {deadline_ms}");
        let record = holdfast::adapters::redis::keys::hold(house.id(), token);
        let record_left: i64 = redis::AsyncCommands::pttl(&mut house.raw(), record).await.unwrap();
        assert!((record_left - left_ms - 86_400_000).abs() < 500, "{record_left}");
    }
    let expected = [("held", "E1"), ("held", "E2")].map(|(what, seat)| (what.to_owned(), seat.to_owned()));
    assert_eq!(house.events().await, expected);
}

#[tokio::test]
async fn a_sale_opens_at_its_instant() {
    let mut house = House::with(json!({"sale": {"opensAt": "2099-01-01T00:00:00Z"}})).await;
    let refusal = house.hold(loaded::any_token(), &["E1"]).await.unwrap_err();
    assert_eq!(refusal, Refusal::NotOnSale { opens_at_ms: Some(4_070_908_800_000), closes_at_ms: None });
    house.apply(json!({"sale": {"opensAt": "2020-01-01T00:00:00Z"}}), None).await;
    house.holder(&["E1"]).await;
}

/// What the body asked for is part of the request: the same key with another body is no repeat, whatever the hold's state.
#[tokio::test]
async fn a_repeat_with_a_key_has_to_ask_for_the_same() {
    let house = House::open().await;
    let key = |body: &str| loaded::keyed(house.id(), "holds", body);
    let hold = async |request: &Request, ids: &[&str]| loop {
        let held = house.redis.hold_seats(house.id(), request, &loaded::seats(ids), None, &Buyer::default()).await;
        match held.unwrap() {
            Touch::Known(held) => break held,
            Touch::Again => {}
            other => panic!("{other:?}"),
        }
    };
    let first = hold(&key("one"), &["E1"]).await.unwrap();
    let again = house.unchanged(async || hold(&key("one"), &["E1"]).await.unwrap()).await;
    assert_eq!((again.token, again.lease.deadline_ms), (first.token, first.lease.deadline_ms));
    let refusal = house.unchanged(async || hold(&key("two"), &["E2"]).await.unwrap_err()).await;
    assert_eq!(refusal, Refusal::KeyMismatch);
    house.release(first.token, &seats(&["E1"])).await.unwrap();
    assert_eq!(hold(&key("two"), &["E1"]).await.unwrap_err(), Refusal::KeyMismatch);
    let ended = house.unchanged(async || hold(&key("one"), &["E1"]).await.unwrap_err()).await;
    assert_eq!(ended, Refusal::HoldEnded { token: first.token, state: HoldState::Released, booking: None });
}

/// The record of a hold that was rescued after a loss does not know what its request asked for: then the places count.
#[tokio::test]
async fn a_repeat_of_a_rescued_hold_has_to_name_its_seats() {
    let house = House::open().await;
    let token = loaded::any_token();
    house.pinned(token, &seats(&["E1", "E2"])).await;
    let held = house.unchanged(async || house.hold(token, &["E1", "E2"]).await.unwrap()).await;
    assert_eq!((held.state, held.places), (HoldState::Confirming, seats(&["E1", "E2"])));
    for other in [&["E1"][..], &["E1", "E3"], &["E2", "E1"]] {
        let refusal = house.unchanged(async || house.hold(token, other).await.unwrap_err()).await;
        assert_eq!(refusal, Refusal::KeyMismatch, "{other:?}");
    }
}

/// A show that was loaded anew has another epoch: what a key stood for before is not what it stands for now.
#[tokio::test]
async fn a_key_is_of_one_epoch() {
    let house = House::open().await;
    let take = async || {
        let request = loaded::keyed(house.id(), "holds", "one");
        house.redis.hold_seats(house.id(), &request, &loaded::seats(&["E1"]), None, &Buyer::default()).await.unwrap()
    };
    assert!(matches!(take().await, Touch::Again));
    let Touch::Known(Ok(first)) = take().await else { panic!("a hold") };
    let _: i64 = house.raw().del(keys::show(house.id())).await.unwrap();
    house.load().await;
    assert!(matches!(take().await, Touch::Again), "the tokens are derived from another epoch");
    let Touch::Known(Err(taken)) = take().await else { panic!("the seat is still locked") };
    assert!(matches!(taken, Refusal::SeatUnavailable { .. }), "{taken:?}");
    house.release(first.token, &seats(&["E1"])).await.unwrap();
    let Touch::Known(Ok(second)) = take().await else { panic!("a hold") };
    assert_ne!(first.token, second.token);
}
