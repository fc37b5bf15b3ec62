//! Every route with every method, and what there is no route for.

use holdfast::http::routes::{ROUTES, methods_of};
use holdfast_tests::sys::Sys;
use serde_json::{Value, json};

use crate::expect::assert_problem;

const METHODS: [&str; 9] = ["GET", "PUT", "POST", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "BREW"];

#[tokio::test]
async fn pitfall_38_a_method_that_a_path_does_not_have_does_nothing() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E1"]).await.text("holdToken").to_owned();
    let sold = sys.hold(&show, &["E2"]).await.text("holdToken").to_owned();
    let booking = sys.confirm(&show, &sold, Value::Null).await.text("bookingId").to_owned();
    let real = |path: &str| {
        let path = path.replace("{showId}", &show).replace("{zoneId}", "GA");
        path.replace("{holdToken}", &token).replace("{bookingId}", &booking)
    };
    let state = async || {
        let mut hold = sys.hold_status(&show, &token).await.expect(200);
        hold["expiresInMs"] = Value::Null;
        let stock = sys.get(&format!("/shows/{show}/stock/GA")).await.expect(200);
        let (show, booking) =
            (sys.get(&format!("/shows/{show}")).await, sys.get(&format!("/bookings/{booking}")).await);
        [hold, stock, show.expect(200), booking.expect(200)]
    };
    let before = state().await;

    let mut missed = 0;
    for (_, pattern) in ROUTES {
        for method in METHODS.iter().filter(|method| !ROUTES.contains(&(method, pattern))) {
            let answer =
                sys.call(method, &real(pattern), json!({"seats": ["E3"], "quantity": 1, "ttlSeconds": 600})).await;
            let allow = methods_of(pattern).join(", ");
            let detail = format!("This path allows {allow}.");
            assert_problem(&answer, "method_not_allowed", json!({"detail": detail}));
            assert_eq!(answer.header("allow"), allow, "{method} {pattern}");
            missed += 1;
        }
    }
    assert!(missed > 60, "{missed}");
    assert_eq!(state().await, before);
    sys.hold(&show, &["E3"]).await.expect(201);
}

#[tokio::test]
async fn pitfall_38_a_path_that_is_not_there_is_404_by_every_method() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E1"]).await.text("holdToken").to_owned();
    for path in [
        "/".to_owned(),
        "/shows/".to_owned(),
        "/holds".to_owned(),
        "/SHOWS/demo".to_owned(),
        "/bookings".to_owned(),
        "/refunds/".to_owned(),
        "/refunds/pay_1/settle/again".to_owned(),
        format!("/shows/{show}/"),
        format!("/shows/{show}/seats"),
        format!("/shows/{show}//holds"),
        format!("/shows/{show}/holds/"),
        format!("/shows/{show}/holds/{token}/"),
        format!("/shows/{show}/holds/{token}/confirm/again"),
        format!("/shows/{show}/stock/GA/increment"),
    ] {
        for method in METHODS {
            let answer = sys.call(method, &path, json!({})).await;
            assert_problem(&answer, "not_found", json!({}));
        }
    }
    assert_eq!(sys.hold_status(&show, &token).await.expect(200)["state"], "active");
}

#[tokio::test]
async fn parameters_that_nobody_knows_are_ignored() {
    let sys = Sys::shared().await;
    let show = sys.define(json!({})).await;
    let path = format!("/shows/{show}/holds?ttlSeconds=0&seats=E9&x=%00");
    let answer = sys.call("POST", &path, json!({"seats": ["E1"]})).await;
    crate::expect::assert_success(&answer, 201, crate::hold::held(&show, &["E1"]));
}
