//! What buyers do, by the calls of the product.

use holdfast::adapters::redis::keys;
use holdfast::domain::payment::Payments;
use holdfast::domain::{
    BookingId, Buyer, Claim, Close, Closing, Ending, Freed, Held, HoldRecord, HoldState, HoldToken, Lease, Pin, Pinned,
    Places, Refusal, Sold, UnitsHeld, ZoneCount,
};
use holdfast_tests::loaded;
use redis::AsyncCommands;

use super::{House, changed, ga, known, names, until};

/// The answer of a pin that succeeds.
#[track_caller]
pub fn pinned(pin: Pin) -> Pinned {
    match pin {
        Pin::Pinned(pinned) => pinned,
        other => panic!("{other:?}"),
    }
}

impl House {
    pub async fn hold(&self, token: HoldToken, ids: &[&str]) -> Result<Held, Refusal> {
        known(
            self.redis.hold_seats(self.id(), &loaded::once(token), &loaded::seats(ids), None, &Buyer::default()).await,
        )
    }

    pub async fn hold_for(&self, token: HoldToken, ids: &[&str], ttl_ms: u64) -> Result<Held, Refusal> {
        known(
            self.redis
                .hold_seats(self.id(), &loaded::once(token), &loaded::seats(ids), Some(ttl_ms), &Buyer::default())
                .await,
        )
    }

    /// A buyer who has these seats.
    pub async fn holder(&self, ids: &[&str]) -> HoldToken {
        let token = loaded::any_token();
        self.hold(token, ids).await.unwrap();
        token
    }

    /// A buyer who had these seats.
    pub async fn late_holder(&self, ids: &[&str]) -> HoldToken {
        let token = loaded::any_token();
        self.hold_for(token, ids, 20).await.unwrap();
        self.lapse(token).await;
        token
    }

    pub async fn take(&self, token: HoldToken, quantity: u64) -> Result<UnitsHeld, Refusal> {
        known(self.redis.take_units(self.id(), &loaded::once(token), &ga(), quantity, None, &Buyer::default()).await)
    }

    /// A buyer who has so many units.
    pub async fn taker(&self, quantity: u64) -> (HoldToken, Places) {
        let token = loaded::any_token();
        let taken = self.take(token, quantity).await.unwrap();
        (token, taken.held.places)
    }

    /// A buyer who had so many units.
    pub async fn late_taker(&self, quantity: u64) -> (HoldToken, Places) {
        let token = loaded::any_token();
        let taken =
            self.redis.take_units(self.id(), &loaded::once(token), &ga(), quantity, Some(20), &Buyer::default()).await;
        let taken = known(taken).unwrap();
        self.lapse(token).await;
        (token, taken.held.places)
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

    pub async fn extend(&self, token: HoldToken, places: &Places, ttl_ms: u64) -> Result<Lease, Refusal> {
        known(self.redis.extend_hold(self.id(), token, places, ttl_ms).await)
    }

    pub async fn release(&self, token: HoldToken, places: &Places) -> Result<(), Refusal> {
        known(self.redis.release_hold(self.id(), token, places).await)
    }

    pub async fn pin(&self, token: HoldToken, places: &Places, claim: &Claim) -> Pin {
        known(self.redis.pin_hold(self.id(), token, places, claim, None).await)
    }

    /// Pins the places of a booking that was cancelled.
    pub async fn restore(&self, token: HoldToken, places: &Places, booking: BookingId) -> Pin {
        known(self.redis.pin_hold(self.id(), token, places, &Claim::default(), Some(booking)).await)
    }

    /// Pins, which has to succeed.
    pub async fn pinned(&self, token: HoldToken, places: &Places) -> Pinned {
        pinned(self.pin(token, places, &Claim::default()).await)
    }

    /// The first version of the token's own booking is told to Redis.
    pub async fn sell(&self, token: HoldToken, places: &Places) -> BookingId {
        let buyer = BookingId::of(self.id(), token);
        let ending = Ending::Confirmed(buyer);
        self.mark(token, Sold { buyer, version: 1, places, count: places.len(), ending, recorded: &Payments::NONE })
            .await;
        buyer
    }

    /// Answers how many it marked.
    pub async fn mark(&self, token: HoldToken, sold: Sold<'_>) -> u64 {
        known(self.redis.mark_sold(self.id(), token, sold).await).places
    }

    /// How the hold of a token ends that its own booking refuses.
    pub fn refused(&self, token: HoldToken) -> Ending {
        Ending::Refused(BookingId::of(self.id(), token))
    }

    /// A version of the token's own booking that does not have the places is told to Redis. Answers how many it freed.
    pub async fn free(&self, token: HoldToken, version: u64, places: &Places) -> u64 {
        let booking = BookingId::of(self.id(), token);
        self.freed(
            token,
            Freed { booking, version, places, ending: Ending::Refused(booking), recorded: &Payments::NONE },
        )
        .await
    }

    pub async fn freed(&self, token: HoldToken, freed: Freed<'_>) -> u64 {
        known(self.redis.free_places(self.id(), token, freed).await)
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
