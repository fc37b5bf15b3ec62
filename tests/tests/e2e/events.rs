//! Every file of `events/` through its function's binary.

use holdfast_tests::cases::{self, Case, Stores};
use holdfast_tests::runtime_api::{Deployment, Host};

/// As the first event of a process, and as the second one where the stores may have something else, too.
async fn cold_then_warm(host: Host, case: &Case) -> Vec<String> {
    let stores = Stores::of(case).await;
    let sys = stores.sys();
    let deployment = Deployment::under(host, stores).await;
    let process = deployment.open(&case.function).await;
    let mut faults = case.faults(&sys, async |event| process.invoke(&event).await).await;
    if !case.is_about_everything() {
        let warm = case.faults(&sys, async |event| process.invoke(&event).await).await;
        faults.extend(warm.into_iter().map(|fault| format!("warm: {fault}")));
    }
    faults
}

/// As the second event, after one that found nothing.
async fn warm_on_its_own(host: Host, case: &Case) -> Vec<String> {
    let stores = Stores::of(case).await;
    let sys = stores.sys();
    let deployment = Deployment::under(host, stores).await;
    let process = deployment.open(&case.function).await;
    process.invoke(&case.event()).await;
    let faults = case.faults(&sys, async |event| process.invoke(&event).await).await;
    faults.into_iter().map(|fault| format!("warm: {fault}")).collect()
}

/// Fails unless every event is answered as expected, cold and warm.
pub async fn every_event(host: Host) {
    let mut faults = Vec::new();
    for case in cases::all() {
        faults.extend(cold_then_warm(host, &case).await);
        if case.is_about_everything() {
            faults.extend(warm_on_its_own(host, &case).await);
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[tokio::test]
async fn every_event_is_answered_as_expected_cold_and_warm() {
    every_event(Host::RuntimeApi).await;
}
