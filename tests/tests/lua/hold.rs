//! `hold.lua`

use holdfast::domain::{Buyer, HoldToken, Refusal, Request, SeatTaken};
use holdfast::ports::{Closing, HoldSeats, HoldState, Touch};
use holdfast_tests::loaded::{self, small_show};
use serde_json::json;

use crate::house::{House, known, seats, until};

#[tokio::test]
async fn codes_in_order_of_precedence() {
    let mut house = House::unloaded(small_show(6, 5)).await;
    let (repeat, new) = (HoldToken::random(), HoldToken::random());
    let asked = loaded::seats(&["E1", "E2", "E6"]);
    let ask = async |house: &House, token, ttl_ms| {
        house.redis.hold_seats(house.id(), &loaded::once(token), &asked, ttl_ms, &Default::default()).await.unwrap()
    };
    assert!(matches!(ask(&house, new, Some(60_001)).await, Touch::NotLoaded));

    // Everything else applies at once: a known token, a seat that is closed, no sale, too many, one held, one sold.
    house.load().await;
    house.hold(repeat, &["E1"]).await.unwrap();
    let winner = house.holder(&["E2"]).await;
    house.sell(winner, &seats(&["E2"])).await;
    let no_sale = json!({"sale": {"closesAt": "2020-01-01T00:00:00Z"}, "limits": {"maxPlacesPerHold": 2}});
    house.apply(no_sale, None).await;
    let closing = Closing { version: 3, mark: "mark".to_owned() };
    house.close(&closing, &["E6"]).await;
    for token in [repeat, new] {
        let Touch::Known(Err(refusal)) = ask(&house, token, Some(60_001)).await else {
            panic!("a TTL that is too long")
        };
        assert_eq!(refusal, Refusal::TtlTooLong { max_ttl_ms: 60_000 });
    }
    let other = Request { token: repeat, digest: "another body".to_owned(), ..Request::once() };
    let mismatch = house.redis.hold_seats(house.id(), &other, &asked, None, &Default::default()).await;
    assert_eq!(known(mismatch).unwrap_err(), Refusal::KeyMismatch);
    let Touch::Known(Ok(held)) = ask(&house, repeat, None).await else { panic!("a repeat") };
    assert_eq!(held.state, HoldState::Active);
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
    let token = HoldToken::random();
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
async fn a_repeat_tells_what_became_of_the_hold_and_takes_nothing_again() {
    let house = House::open().await;
    let released = house.holder(&["E1"]).await;
    house.release(released, &seats(&["E1"])).await.unwrap();
    let lapsed = house.late_holder(&["E2"]).await;
    let sold = house.holder(&["E3"]).await;
    house.sell(sold, &seats(&["E3"])).await;
    let ends = [(released, HoldState::Released), (lapsed, HoldState::Expired), (sold, HoldState::Confirmed)];
    for (token, state) in ends {
        let again = house.unchanged(async || house.hold(token, &["E1", "E2", "E3"]).await.unwrap()).await;
        assert_eq!((again.state, again.lease.expires_in_ms), (state, 0));
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
        house.unchanged(async || house.hold(HoldToken::random(), &wish).await.unwrap_err()).await;
    }
    house.holder(&["E1", "E3"]).await;
}

#[tokio::test]
async fn each_refused_seat_has_its_reason() {
    let house = House::open().await;
    house.hold_for(HoldToken::random(), &["E2"], 20_000).await.unwrap();
    let winner = house.holder(&["E4"]).await;
    house.sell(winner, &seats(&["E4"])).await;
    let refusal = house.hold(HoldToken::random(), &["E1", "E4", "E3", "E2"]).await.unwrap_err();
    let Refusal::SeatUnavailable { seats } = refusal else { panic!("{refusal:?}") };
    let [sold, held] = seats.as_slice() else { panic!("{seats:?}") };
    assert_eq!(*sold, SeatTaken { seat: "E4".to_owned(), frees_in_ms: None });
    assert_eq!(held.seat, "E2");
    assert!(held.frees_in_ms.is_some_and(|ms| (10_000..=20_000).contains(&ms)), "{held:?}");
}

#[tokio::test]
async fn a_lapsed_seat_is_free_once_its_key_is_gone_and_not_before() {
    let house = House::open().await;
    let first = house.hold_for(HoldToken::random(), &["E1", "E2"], 60).await.unwrap();
    let next = HoldToken::random();
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
    let refusal = house.unchanged(async || house.hold(HoldToken::random(), &["E1", "E2"]).await.unwrap_err()).await;
    assert!(matches!(refusal, Refusal::SeatUnavailable { .. }), "{refusal:?}");
}

#[tokio::test]
async fn lock_record_and_index_end_together_and_the_record_outlives_them_by_a_day() {
    let house = House::open().await;
    for (ttl_ms, expected) in [(Some(5_000), 5_000), (None, 30_000)] {
        let (token, id) = (HoldToken::random(), if ttl_ms.is_some() { "E1" } else { "E2" });
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
    let refusal = house.hold(HoldToken::random(), &["E1"]).await.unwrap_err();
    assert_eq!(refusal, Refusal::NotOnSale { opens_at_ms: Some(4_070_908_800_000), closes_at_ms: None });
    house.apply(json!({"sale": {"opensAt": "2020-01-01T00:00:00Z"}}), None).await;
    house.holder(&["E1"]).await;
}

/// What the body asked for is part of the request: the same key with another body is no repeat, whatever became of it.
#[tokio::test]
async fn a_repeat_with_a_key_has_to_ask_for_the_same() {
    let house = House::open().await;
    let request = |digest: &str| Request { token: HoldToken::random(), digest: digest.to_owned(), ..Request::once() };
    let hold = async |request: &Request, ids: &[&str]| {
        known(house.redis.hold_seats(house.id(), request, &loaded::seats(ids), None, &Buyer::default()).await)
    };
    let first = request("one");
    let held = house.twice(async || hold(&first, &["E1"]).await.unwrap().lease.deadline_ms).await;
    let others = [Request { digest: "two".to_owned(), ..first.clone() }, loaded::once(first.token)];
    for other in &others {
        let refusal = house.unchanged(async || hold(other, &["E2"]).await.unwrap_err()).await;
        assert_eq!(refusal, Refusal::KeyMismatch);
    }
    assert_eq!(house.status(first.token).await.unwrap().lease.deadline_ms, held);
    house.release(first.token, &seats(&["E1"])).await.unwrap();
    assert_eq!(hold(&others[0], &["E1"]).await.unwrap_err(), Refusal::KeyMismatch);
    assert_eq!(hold(&first, &["E1"]).await.unwrap().state, HoldState::Released);
    // One that came without a key is not found by somebody's key.
    let keyless = house.holder(&["E3"]).await;
    let guess = Request { token: keyless, digest: "one".to_owned(), ..Request::once() };
    assert_eq!(hold(&guess, &["E3"]).await.unwrap_err(), Refusal::KeyMismatch);
}
