//! What a reconcile asks, and tidies, by the calls of the product.

use holdfast::domain::{Events, HoldToken, PlaceState, Places, Survey, Unloaded, ZoneId};

use super::{House, ga, known};

impl House {
    pub async fn survey(&self) -> Survey {
        known(self.redis.survey_show(self.id()).await)
    }

    /// The tokens that are being confirmed, and how long.
    pub async fn pinned_tokens(&self, first: usize, count: usize) -> Vec<(HoldToken, u64)> {
        let pinned = known(self.redis.list_pinned(self.id(), first, count).await);
        pinned.into_iter().map(|pinned| (pinned.token, pinned.age_ms)).collect()
    }

    /// Each place that is not simply for sale, by its name.
    pub async fn compared(&self, places: &Places) -> Vec<(String, PlaceState)> {
        let states = known(self.redis.compare_places(self.id(), places).await);
        states.into_iter().map(|(index, state)| (places.ids()[index].clone(), state)).collect()
    }

    pub async fn expire(&self, zone: Option<&ZoneId>, dry_run: bool) -> u64 {
        known(self.redis.expire_holds(self.id(), zone, dry_run).await)
    }

    /// Counts and repairs all units of `GA`.
    pub async fn recount(&self, dry_run: bool) -> u64 {
        let mut wrong = 0;
        let capacity = self.show.zones[0].capacity;
        for first in (1..=capacity).step_by(1_000) {
            let last = capacity.min(first + 999);
            wrong += known(self.redis.recount_units(self.id(), &ga(), first, last, dry_run).await);
        }
        wrong
    }

    pub async fn events_after(&self, after: &str, count: usize) -> Events {
        known(self.redis.read_events(self.id(), after, count).await)
    }

    pub async fn unload(&self, epoch: &str, last: &str) -> Unloaded {
        known(self.redis.unload_show(&self.show, epoch, last).await)
    }
}
