//! What goes wrong: lines that are cut, replies that are dropped, a DynamoDB that is throttled, slow or torn away, a Redis
//! that is killed and comes back empty, and one that forgets a sale as a promoted replica would.

use std::time::Duration;

use holdfast_tests::dynamo_front::{Fault, Reason};
use holdfast_tests::proxy::Mode;
use holdfast_tests::servers::{self, Redis};
use tokio::time::Instant;

use crate::chance::Chance;
use crate::forgetting;
use crate::scene::Scene;

const TRANSACTION: &str = "TransactWriteItems";

/// How often Redis is killed.
const KILLS: u32 = 3;

/// Rages for so long, then clears up. Answers the last Redis.
pub async fn rage(scene: &Scene, mut redis: Redis, length: Duration, mut chance: Chance) -> Redis {
    let begun = Instant::now();
    let mut kills = 0;
    while scene.goes_on() {
        if kills < KILLS && begun.elapsed() > length * (kills + 1) / (KILLS + 1) {
            kills += 1;
            redis = kill(scene, redis, &mut chance).await;
        }
        // What was counted is nobody's business here, and would fill the memory.
        scene.front.reset_counts();
        one_of(scene, &mut chance).await;
        tokio::time::sleep(Duration::from_millis(chance.between(300, 1_500))).await;
    }
    scene.front.clear();
    scene.proxy.set(Mode::Pass);
    redis
}

async fn one_of(scene: &Scene, chance: &mut Chance) {
    let (proxy, front) = (&scene.proxy, &scene.front);
    match chance.below(12) {
        0 => proxy.cut_now(),
        1 => {
            for _ in 0..5 {
                let nth = usize::try_from(chance.between(1, 20)).unwrap();
                proxy.drop_reply(nth, &scene.show);
            }
        }
        2 => {
            proxy.set(Mode::Delay(Duration::from_millis(chance.between(1, 5))));
            tokio::time::sleep(Duration::from_millis(300)).await;
            proxy.set(Mode::Pass);
        }
        3 => front.on(TRANSACTION).times(12).before(Fault::throttling()),
        4 => front.on(TRANSACTION).times(6).before(Fault::cancelled(&[Reason::conflict(), Reason::none()])),
        5 => front.on(TRANSACTION).times(4).after(Fault::Reset),
        6 => front.on(TRANSACTION).times(4).after(Fault::throttling()),
        7 => front.on(TRANSACTION).times(8).before(Fault::Slow(Duration::from_millis(chance.between(50, 800)))),
        8 => front.on_any().times(8).before(Fault::internal()),
        9 => {
            // Nothing is answered for longer than a request may take.
            front.on_any().always().before(Fault::throughput_exceeded());
            tokio::time::sleep(Duration::from_millis(2_200)).await;
            front.clear();
        }
        _ => {}
    }
    for _ in 0..4 {
        forgetting::forget(scene, chance).await;
    }
}

/// Ends Redis in the middle of everything, while transactions are under way; another one, empty, takes its place.
async fn kill(scene: &Scene, mut redis: Redis, chance: &mut Chance) -> Redis {
    scene.front.on(TRANSACTION).times(10).before(Fault::Slow(Duration::from_millis(800)));
    tokio::time::sleep(Duration::from_millis(300)).await;
    redis.kill();
    scene.goals.met("kill of Redis");
    tokio::time::sleep(Duration::from_millis(chance.below(600))).await;
    let next = servers::own_redis(&[]);
    scene.proxy.retarget(next.addr());
    for token in scene.pool.all() {
        token.known().lost = true;
    }
    next
}
