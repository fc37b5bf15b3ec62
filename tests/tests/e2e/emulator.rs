//! What [`events`](super::events) and [`sale`](super::sale) ask, asked under AWS' runtime interface emulator.

use holdfast_tests::runtime_api::Host;

#[tokio::test]
async fn every_event_is_answered_as_expected_cold_and_warm() {
    super::events::every_event(Host::Emulator).await;
}

#[tokio::test]
async fn a_whole_sale() {
    super::sale::whole(Host::Emulator).await;
}
