//! The lists of shows and of bookings, page by page. That of refunds is in `refunds`.

use std::collections::BTreeSet;
use std::time::Duration;

use holdfast::Deadline;
use holdfast::domain::{OrderId, ShowId};
use holdfast_tests::dynamo_front::Fault;
use holdfast_tests::servers::{self, fresh_show_id};
use holdfast_tests::sys::{Answer, Sys, paid};
use serde_json::{Value, json};

use crate::expect::{assert_invalid, assert_problem, assert_success};

const LIMIT: &str = "must be an integer from 1 to 100";
const CURSOR: &str = "must be the next of an earlier answer of this list";
const TWICE: &str = "is there twice";

/// A page may take a query of each shard, which takes its time when all tests run at once.
pub const PATIENT: [(&str, &str); 2] = [("REQUEST_BUDGET_MS", "4500"), ("DYNAMODB_RESPONSE_TIMEOUT_MS", "4500")];

/// On the shared stores, with time.
pub async fn shared() -> Sys {
    Sys::with(&servers::redis().url(), &servers::dynamo().await.endpoint(), &PATIENT)
}

/// All entries of a list, page by page; `path` has its query, if only a `?`.
pub async fn all(sys: &Sys, path: &str, name: &str, limit: usize) -> Vec<Value> {
    let (mut found, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = sys.get(&format!("{path}&limit={limit}{cursor}")).await.expect(200);
        let entries = page[name].as_array().unwrap_or_else(|| panic!("no {name} in {page}"));
        assert!(entries.len() <= limit, "{page}");
        found.extend(entries.iter().cloned());
        assert!(found.len() <= 1_000, "it never ends");
        match &page["next"] {
            Value::Null => return found,
            next => cursor = format!("&cursor={}", next.as_str().unwrap()),
        }
    }
}

/// What these entries have under a name. None has the same as another.
#[track_caller]
pub fn each(entries: &[Value], name: &str) -> BTreeSet<String> {
    let found: BTreeSet<String> = entries.iter().map(|entry| entry[name].as_str().unwrap().to_owned()).collect();
    assert_eq!(found.len(), entries.len(), "one came twice: {entries:?}");
    found
}

/// Sells a seat.
pub async fn book(sys: &Sys, show: &str, seat: &str, body: Value) -> Answer {
    let token = sys.hold(show, &[seat]).await.text("holdToken").to_owned();
    sys.confirm(show, &token, body).await
}

#[tokio::test]
async fn every_show_is_listed_once() {
    let sys = Sys::own(&[], &PATIENT).await;
    assert_success(&sys.get("/shows").await, 200, json!({"shows": []}));
    let mut shows = BTreeSet::new();
    for _ in 0..7 {
        shows.insert(sys.define(json!({})).await);
    }
    for limit in [1, 3, 7, 100] {
        assert_eq!(each(&all(&sys, "/shows?", "shows", limit).await, "showId"), shows, "limit {limit}");
    }
}

#[tokio::test]
async fn a_show_is_listed_as_it_is_now() {
    let sys = Sys::own(&[], &PATIENT).await;
    let show = sys.define(json!({})).await;
    let entry = json!({"showId": show, "name": "Hamlet", "places": 30, "version": 1});
    assert_success(&sys.get("/shows").await, 200, json!({"shows": [entry]}));
    let (starts, opens) = ("2027-01-20T19:30:00Z", "2026-12-01T09:00:00Z");
    let next = json!({"name": "Macbeth", "startsAt": starts, "sale": {"opensAt": opens}, "zones": [{"id": "GA", "capacity": 12}]});
    sys.call("PUT", &format!("/shows/{show}"), next).await.expect(200);
    let entry = json!({
        "showId": show, "name": "Macbeth", "startsAt": starts, "sale": {"opensAt": opens}, "places": 12, "version": 2,
    });
    assert_success(&sys.get("/shows?limit=1").await, 200, json!({"shows": [entry]}));
}

#[tokio::test]
async fn every_booking_of_a_show_is_listed_once_as_it_is() {
    let sys = shared().await;
    let (show, other) = (sys.define(json!({})).await, sys.define(json!({})).await);
    let path = format!("/shows/{show}/bookings?");
    assert_success(&sys.get(&path).await, 200, json!({"bookings": []}));

    book(&sys, &other, "E1", paid("pay_other")).await.expect(201);
    let mut bookings = BTreeSet::new();
    for number in 1..=6 {
        let body = if number % 2 == 0 { Value::Null } else { paid(&format!("pay_{number}")) };
        let booked = book(&sys, &show, &format!("E{number}"), body).await;
        bookings.insert(booked.text("bookingId").to_owned());
    }
    // One of a zone, one that is cancelled, one that was refused.
    let units = sys.decrement(&show, "GA", 2).await.text("holdToken").to_owned();
    bookings.insert(sys.confirm(&show, &units, paid("pay_units")).await.text("bookingId").to_owned());
    let cancelled = bookings.first().unwrap();
    sys.call("POST", &format!("/bookings/{cancelled}/cancel"), Value::Null).await.expect(200);
    let mut other_seats = paid("pay_refused");
    other_seats["seats"] = json!(["E19"]);
    book(&sys, &show, "E20", other_seats).await.expect_problem(422, "hold_mismatch");

    for limit in [1, 3, 100] {
        let found = all(&sys, &path, "bookings", limit).await;
        let ids = each(&found, "bookingId");
        assert!(ids.is_superset(&bookings) && ids.len() == bookings.len() + 1, "limit {limit}: {found:?}");
        for booking in found {
            let id = booking["bookingId"].as_str().unwrap();
            assert_eq!(sys.get(&format!("/bookings/{id}")).await.expect(200), booking);
        }
    }
}

#[tokio::test]
async fn a_booking_is_found_by_its_payment() {
    let sys = shared().await;
    let show = sys.define(json!({})).await;
    let mut wanted = BTreeSet::new();
    for (seat, reference) in
        [("E1", "pay_1"), ("E2", "pay_1"), ("E3", "pay_1"), ("E4", "pay_10"), ("E5", "pay_"), ("E6", "-")]
    {
        let booking = book(&sys, &show, seat, paid(reference)).await.expect(201);
        if reference == "pay_1" {
            wanted.insert(booking["bookingId"].as_str().unwrap().to_owned());
        }
    }
    book(&sys, &show, "E7", Value::Null).await.expect(201);
    for limit in [1, 2, 3, 100] {
        let found = all(&sys, &format!("/shows/{show}/bookings?reference=pay_1"), "bookings", limit).await;
        assert_eq!(each(&found, "bookingId"), wanted, "limit {limit}");
        assert!(found.iter().all(|booking| booking["payment"]["reference"] == "pay_1"), "{found:?}");
    }
    let none = sys.get(&format!("/shows/{show}/bookings?reference=pay_2")).await;
    assert_success(&none, 200, json!({"bookings": []}));
}

#[tokio::test]
async fn a_booking_is_found_by_its_order() {
    let sys = shared().await;
    let show = sys.define(json!({})).await;
    let mut wanted = BTreeSet::new();
    for (seat, order) in [("E1", "A #1/&?"), ("E2", "A #1/&?"), ("E3", "A #1"), ("E4", "B")] {
        let booking = book(&sys, &show, seat, json!({"orderId": order})).await.expect(201);
        if order == "A #1/&?" {
            wanted.insert(booking["bookingId"].as_str().unwrap().to_owned());
        }
    }
    for limit in [1, 2, 100] {
        let path = format!("/shows/{show}/bookings?orderId=A+%231%2F%26%3F");
        assert_eq!(each(&all(&sys, &path, "bookings", limit).await, "bookingId"), wanted, "limit {limit}");
    }
    assert_success(&sys.get(&format!("/shows/{show}/bookings?orderId=C")).await, 200, json!({"bookings": []}));
}

#[tokio::test]
async fn the_bookings_of_no_show_are_not_found() {
    let sys = shared().await;
    for query in ["", "?reference=pay_1", "?orderId=1"] {
        let answer = sys.get(&format!("/shows/{}/bookings{query}", fresh_show_id())).await;
        assert_problem(&answer, "show_not_found", json!({}));
    }
}

#[tokio::test]
async fn what_a_list_is_asked_wrongly_is_told_before_any_store_is_asked() {
    let (sys, _proxy, front) = Sys::fragile(&PATIENT).await;
    for path in ["/shows", "/shows/42/bookings", "/refunds"] {
        for limit in ["", "0", "101", "-1", "%2B1", "01", "1.0", "1e1", "ten", "1,1"] {
            assert_invalid(&sys.get(&format!("{path}?limit={limit}")).await, &[("limit", LIMIT)]);
        }
        for cursor in ["", "next", "%00", "AAAA", "c2hvd3M"] {
            assert_invalid(&sys.get(&format!("{path}?cursor={cursor}")).await, &[("cursor", CURSOR)]);
        }
        let both = sys.get(&format!("{path}?limit=0&cursor=0")).await;
        assert_invalid(&both, &[("limit", LIMIT), ("cursor", CURSOR)]);
        assert_invalid(&sys.get(&format!("{path}?limit=5&limit=5")).await, &[("limit", TWICE)]);
    }
    let reference = "must be 1 to 128 printable ASCII characters without space";
    for bad in ["", "pay%201", "a%09b", "%C3%A9", &"x".repeat(129)] {
        assert_invalid(&sys.get(&format!("/shows/42/bookings?reference={bad}")).await, &[("reference", reference)]);
    }
    for bad in ["", "%0A", "%C3%A9", &"x".repeat(129)] {
        let order = "must be 1 to 128 printable ASCII characters";
        assert_invalid(&sys.get(&format!("/shows/42/bookings?orderId={bad}")).await, &[("orderId", order)]);
    }
    let both = sys.get("/shows/42/bookings?reference=a&orderId=b").await;
    assert_invalid(&both, &[("orderId", "cannot be there together with reference")]);
    let show = "must be 1 to 64 of A-Z a-z 0-9 _ -, beginning with a letter or digit";
    assert_invalid(&sys.get("/shows/-/bookings?limit=0&cursor=0").await, &[("showId", show), ("limit", LIMIT)]);
    assert_eq!(front.operations(), [""; 0]);
}

#[tokio::test]
async fn a_cursor_is_of_one_list_and_one_search() {
    let sys = shared().await;
    let (show, other) = (sys.define(json!({})).await, sys.define(json!({})).await);
    for seat in ["E1", "E2"] {
        let mut body = paid("pay_1");
        body["orderId"] = "1".into();
        book(&sys, &show, seat, body).await.expect(201);
    }
    let bookings = format!("/shows/{show}/bookings");
    let lists = [
        "/shows?".to_owned(),
        format!("{bookings}?"),
        format!("{bookings}?reference=pay_1&"),
        format!("{bookings}?orderId=1&"),
        format!("/shows/{other}/bookings?"),
        "/refunds?".to_owned(),
    ];
    for list in &lists[..4] {
        let next = sys.get(&format!("{list}limit=1")).await.text("next").to_owned();
        for asked in &lists {
            let answer = sys.get(&format!("{asked}cursor={next}")).await;
            if asked == list {
                answer.expect(200);
            } else {
                assert_invalid(&answer, &[("cursor", CURSOR)]);
            }
        }
    }
}

/// A cursor is only encoded: a caller can make one up. It may lead anywhere in its own list, and nowhere else.
#[tokio::test]
async fn a_cursor_that_was_made_up_leads_to_no_fault() {
    let sys = shared().await;
    let id = sys.define(json!({})).await;
    book(&sys, &id, "E1", json!({"payment": {"reference": "pay_1"}, "orderId": "1"})).await.expect(201);
    let stores = sys.app().stores(Deadline::after(Duration::from_secs(4)));
    let (show, order) = (ShowId::parse(&id).unwrap(), OrderId::parse("1").unwrap());
    for (after, found) in [(" ", 1), ("~", 0), ("pay_1", 0), ("\u{10ffff}", 0)] {
        let by_reference = stores.record.find_by_reference(&show, "pay_1", Some(after), 9).await.unwrap();
        let by_order = stores.record.find_by_order(&show, &order, Some(after), 9).await.unwrap();
        assert_eq!((by_reference.len(), by_order.len()), (found, found), "after {after:?}");
        stores.record.list_bookings(&show, 0, Some(after), 9).await.unwrap();
    }
}

#[tokio::test]
async fn a_parameter_that_nobody_knows_is_ignored() {
    let sys = shared().await;
    let show = sys.define(json!({})).await;
    let answer = sys.get(&format!("/shows/{show}/bookings?colour=red&colour=blue&Limit=0")).await;
    assert_success(&answer, 200, json!({"bookings": []}));
}

/// DynamoDB may answer a part of a batch, and leave out the rest.
#[tokio::test]
async fn records_that_a_batch_left_out_are_asked_for_again() {
    let (sys, _proxy, front) = Sys::fragile(&[]).await;
    let show = sys.define(json!({})).await;
    let booking = book(&sys, &show, "E1", json!({"orderId": "1"})).await.expect(201);
    let path = format!("/shows/{show}/bookings?orderId=1");
    sys.get(&path).await.expect(200);
    let asked = front.requests("BatchGetItem").remove(0);
    let none = json!({"Responses": {}, "UnprocessedKeys": asked["RequestItems"]});
    let left_out = Fault::Answer(200, none.to_string().into());
    front.on("BatchGetItem").times(2).before(left_out.clone());
    assert_success(&sys.get(&path).await, 200, json!({"bookings": [booking]}));
    assert_eq!(front.count("BatchGetItem"), 4);
    // Never a list that lacks what is there.
    front.on("BatchGetItem").always().before(left_out);
    assert_problem(&sys.get(&path).await, "unavailable", json!({}));
}
