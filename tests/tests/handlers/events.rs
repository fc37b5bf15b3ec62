//! Every file of `events/` through its function.

use holdfast_local::handlers::handlers;
use holdfast_tests::cases::{self, Stores};
use holdfast_tests::template::logical_id;
use serde_json::value::RawValue;

use crate::raw;

#[tokio::test]
async fn every_event_is_answered_as_expected() {
    let mut faults = Vec::new();
    for case in cases::all() {
        let stores = Stores::of(&case).await;
        let sys = stores.sys();
        let functions = handlers(sys.app());
        let function = &functions[logical_id(&case.function).as_str()];
        let invoke = async |event: String| {
            let event: Box<RawValue> = serde_json::from_str(&event).unwrap();
            raw::invoke(function, &event).await
        };
        faults.extend(case.faults(&sys, invoke).await);
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_expectation_has_its_event() {
    assert!(cases::expectations_without_event().is_empty(), "{:?}", cases::expectations_without_event());
}
