//! What buyers do, by the ports.

use holdfast::adapters::redis::keys;
use holdfast::domain::{BookingId, Buyer, HoldToken, Places};
use holdfast::ports::{
    Claim, Close, Closing, CountZone, Decision, ExtendHold, FindHold, FreePlaces, Held, HoldRecord, HoldSeats,
    HoldState, Lease, MarkSold, Pin, PinHold, ReleaseHold, ReplaceShow, Sold, TakeUnits, UnitsHeld, ZoneCount,
};
use holdfast_tests::loaded;
use redis::AsyncCommands;

use super::{House, changed, ga, known, names, until};

impl House {
    pub async fn hold(&self, token: HoldToken, ids: &[&str]) -> Decision<Held> {
        known(self.redis.hold_seats(self.id(), token, &loaded::seats(ids), None, &Buyer::default()).await)
    }

    pub async fn hold_for(&self, token: HoldToken, ids: &[&str], ttl_ms: u64) -> Decision<Held> {
        known(self.redis.hold_seats(self.id(), token, &loaded::seats(ids), Some(ttl_ms), &Buyer::default()).await)
    }

    /// A buyer who has these seats.
    pub async fn holder(&self, ids: &[&str]) -> HoldToken {
        let token = HoldToken::random();
        self.hold(token, ids).await.unwrap();
        token
    }

    /// A buyer who had these seats.
    pub async fn late_holder(&self, ids: &[&str]) -> HoldToken {
        let token = HoldToken::random();
        self.hold_for(token, ids, 20).await.unwrap();
        self.lapse(token).await;
        token
    }

    pub async fn take(&self, token: HoldToken, quantity: u64) -> Decision<UnitsHeld> {
        known(self.redis.take_units(self.id(), token, &ga(), quantity, None, &Buyer::default()).await)
    }

    /// A buyer who has so many units.
    pub async fn taker(&self, quantity: u64) -> (HoldToken, Places) {
        let token = HoldToken::random();
        let taken = self.take(token, quantity).await.unwrap();
        (token, taken.units)
    }

    /// A buyer who had so many units.
    pub async fn late_taker(&self, quantity: u64) -> (HoldToken, Places) {
        let token = HoldToken::random();
        let taken = self.redis.take_units(self.id(), token, &ga(), quantity, Some(20), &Buyer::default()).await;
        let taken = known(taken).unwrap();
        self.lapse(token).await;
        (token, taken.units)
    }

    /// Waits until the hold has lapsed, by Redis' clock, and its locks are gone.
    pub async fn lapse(&self, token: HoldToken) {
        let record = until("the hold lapses", async || {
            self.status(token).await.filter(|record| record.state == HoldState::Expired)
        });
        let Places::Seats(places) = record.await.places else { return };
        let locks: Vec<String> = places.iter().map(|seat| keys::seat_hold(self.id(), seat)).collect();
        until("the locks go", async || {
            let mine: Vec<Option<String>> = self.raw().mget(&locks).await.unwrap();
            (!mine.contains(&Some(token.to_string()))).then_some(())
        })
        .await;
    }

    pub async fn status(&self, token: HoldToken) -> Option<HoldRecord> {
        known(self.redis.find_hold(self.id(), token).await)
    }

    pub async fn state(&self, token: HoldToken) -> HoldState {
        self.status(token).await.unwrap().state
    }

    pub async fn extend(&self, token: HoldToken, places: &Places, ttl_ms: u64) -> Decision<Lease> {
        known(self.redis.extend_hold(self.id(), token, places, ttl_ms).await)
    }

    pub async fn release(&self, token: HoldToken, places: &Places) -> Decision<()> {
        known(self.redis.release_hold(self.id(), token, places).await)
    }

    pub async fn pin(&self, token: HoldToken, places: &Places, claim: &Claim) -> Pin {
        known(self.redis.pin_hold(self.id(), token, places, claim).await)
    }

    /// Pins, which has to succeed, and answers when the first pin was.
    pub async fn pinned(&self, token: HoldToken, places: &Places) -> i64 {
        match self.pin(token, places, &Claim::default()).await {
            Pin::Pinned { confirmed_at_ms, .. } => confirmed_at_ms,
            other => panic!("{other:?}"),
        }
    }

    /// The first version of the token's own booking is told to Redis.
    pub async fn sell(&self, token: HoldToken, places: &Places) -> BookingId {
        let buyer = BookingId::of(self.id(), token);
        self.mark(token, Sold { buyer, version: 1, places, count: places.len() }).await;
        buyer
    }

    pub async fn mark(&self, token: HoldToken, sold: Sold<'_>) {
        known(self.redis.mark_sold(self.id(), token, sold).await);
    }

    pub async fn free(&self, token: HoldToken, version: u64, places: &Places) {
        known(self.redis.free_places(self.id(), token, version, places).await);
    }

    pub async fn count(&self) -> ZoneCount {
        known(self.redis.count_zone(self.id(), &ga()).await).unwrap()
    }

    pub async fn close(&self, closing: &Closing, ids: &[&str]) -> Close {
        known(self.redis.close_seats(self.id(), closing, &names(ids)).await)
    }

    /// The next version of the show, with these fields replaced, is told to Redis. Ends `closing`.
    pub async fn apply(&mut self, changes: serde_json::Value, closing: Option<&Closing>) {
        self.show = changed(&self.show, &changes);
        self.show.version += 1;
        known(self.redis.apply_show(&self.show, &[], closing).await);
    }
}
