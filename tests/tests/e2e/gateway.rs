//! The same requests as API Gateway hands them over in other set-ups: under the name of a stage, by a custom domain that maps
//! a path, with a body in base64, in payload 1.0. Each is answered as the file of `events/` that it was made from.

mod variants;

use holdfast_tests::cases::{self, Stores};
use holdfast_tests::runtime_api::Deployment;
use serde_json::Value;

use variants::headers_of_payload_1;

async fn every_event_as(variant: impl Fn(&str) -> Option<Value>) {
    let shared = Deployment::on(Stores::shared().await).await;
    let (mut faults, mut compared) = (Vec::new(), 0);
    for case in cases::all().iter().filter(|case| case.function != "reconcile") {
        if variant(&case.event()).is_none() {
            continue;
        }
        let own = if case.is_about_everything() { Some(Deployment::on(Stores::own().await).await) } else { None };
        let deployment = own.as_ref().unwrap_or(&shared);
        let process = deployment.serving(&case.function).await;
        let invoke = async |event: String| {
            let answer = process.invoke(&variant(&event).unwrap().to_string()).await;
            headers_of_payload_1(answer)
        };
        faults.extend(case.faults(&deployment.stores().sys(), invoke).await);
        compared += 1;
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(compared > 10, "{compared}");
}

#[tokio::test]
async fn under_the_name_of_a_stage() {
    every_event_as(variants::of_a_stage).await;
}

#[tokio::test]
async fn by_a_custom_domain_that_maps_a_path() {
    every_event_as(|event| variants::of_a_domain(event, "/v1")).await;
}

#[tokio::test]
async fn by_a_custom_domain_that_maps_a_longer_path() {
    every_event_as(|event| variants::of_a_domain(event, "/shows/v1")).await;
}

#[tokio::test]
async fn with_a_body_in_base64() {
    every_event_as(variants::in_base64).await;
}

#[tokio::test]
async fn in_payload_1() {
    every_event_as(variants::of_payload_1).await;
}

#[tokio::test]
async fn in_payload_1_under_the_name_of_a_stage() {
    let both = |event: &str| variants::of_a_stage(event).map(|event: Value| event.to_string());
    every_event_as(move |event| variants::of_payload_1(&both(event)?)).await;
}
