//! What there has to be before an operation is called.

use holdfast::adapters::redis::keys;
use holdfast::domain::ShowId;
use holdfast_tests::loaded::{self, deadline};
use holdfast_tests::sys::{Sys, paid};
use redis::AsyncCommands;
use serde_json::{Value, json};

use super::drift;
use super::operation::Operation;

/// What an operation is called on.
#[derive(Debug, Default)]
pub struct Scene {
    pub show: String,
    /// The two seats that it is about.
    pub seats: [String; 2],
    /// The zone that it is about.
    pub zone: String,
    /// The hold of the seats, where the operation needs one.
    pub token: String,
    /// The booking of that hold, where the operation needs one.
    pub booking: String,
    /// The tokens of a show that has come apart.
    pub drift: drift::Tokens,
}

impl Scene {
    /// The seats, as they are asked for.
    pub fn seats(&self) -> [&str; 2] {
        self.seats.each_ref().map(String::as_str)
    }
}

impl Operation {
    /// Makes a show with room for so many cases, and lets Redis know it.
    pub async fn define(self, sys: &Sys, cases: usize) -> String {
        let zones: Vec<Value> = (0..cases).map(|index| json!({"id": zone(index), "capacity": 10})).collect();
        let rows = json!([{"id": "E", "from": 1, "to": 20.max(2 * cases)}]);
        // A zone for each case costs a reconcile much, and only one operation needs it.
        let zones = if self == Operation::Decrement { zones } else { vec![json!({"id": "GA", "capacity": 10})] };
        let mut wanted = json!({"sections": [{"id": "stalls", "rows": rows}], "zones": zones});
        if self == Operation::Schedule {
            wanted["sale"] = json!({"opensAt": "2020-01-01T09:00:00Z", "closesAt": "2020-01-20T19:00:00Z"});
        }
        let show = sys.define(wanted).await;
        let (stores, id) = (sys.app().stores(deadline()), ShowId::parse(&show).unwrap());
        loaded::load(&stores.redis, &stores.record.read_show(&id).await.unwrap().unwrap()).await;
        show
    }

    /// Brings a show to where a case of the operation begins.
    pub async fn prepare(self, sys: &Sys, show: &str, index: usize) -> Scene {
        let seats = if self.is_about_a_show() { [7, 8] } else { [2 * index + 1, 2 * index + 2] };
        let seats = seats.map(|number| format!("E{number}"));
        let mut scene = Scene { show: show.to_owned(), seats, zone: zone(index), ..Scene::default() };
        match self {
            Operation::Hold | Operation::Decrement | Operation::Replace | Operation::Schedule => {}
            Operation::Extend | Operation::Release | Operation::ConfirmPaid | Operation::ConfirmUnpaid => {
                scene.token = sys.hold(show, &scene.seats()).await.text("holdToken").to_owned();
            }
            Operation::Cancel | Operation::Restore => {
                scene.token = sys.hold(show, &scene.seats()).await.text("holdToken").to_owned();
                let booked = sys.confirm(show, &scene.token, paid("pay_1")).await;
                scene.booking = booked.text("bookingId").to_owned();
                if self == Operation::Restore {
                    Operation::Cancel.act(sys, &scene).await.expect(200);
                }
            }
            Operation::Load => {
                let seat = sys.hold(show, &["E1"]).await.text("holdToken").to_owned();
                sys.confirm(show, &seat, paid("pay_seat")).await.expect(201);
                let units = sys.decrement(show, "GA", 2).await.text("holdToken").to_owned();
                sys.confirm(show, &units, json!({})).await.expect(201);
                let mut redis = sys.redis().await;
                let all: Vec<String> = redis.keys(format!("*{{show:{show}}}*")).await.unwrap();
                let _: () = redis.del(all).await.unwrap();
            }
            Operation::Reconcile => scene.drift = drift::tear_apart(sys, show).await,
        }
        scene
    }

    /// A closing mark that nobody takes away is over after ten seconds, the turn of a loader after a second and a half:
    /// here they are.
    pub async fn let_time_pass(self, sys: &Sys, scene: &Scene) {
        let (mut redis, show) = (sys.redis().await, ShowId::parse(&scene.show).unwrap());
        let closing: Option<String> = redis.hget(keys::show(&show), "closing").await.unwrap();
        if let Some((_, mark)) = closing.as_ref().and_then(|closing| closing.split_once(' ')) {
            let _: () = redis.hset(keys::show(&show), "closing", format!("1 {mark}")).await.unwrap();
        }
        let lease: Option<String> = redis.get(keys::load(&show)).await.unwrap();
        if let Some((lease, _)) = lease.as_ref().and_then(|lease| lease.rsplit_once(' ')) {
            let kept = redis::SetOptions::default().with_expiration(redis::SetExpiry::KEEPTTL);
            let _: () = redis.set_options(keys::load(&show), format!("{lease} 1"), kept).await.unwrap();
        }
    }
}

/// The zone of a case.
fn zone(index: usize) -> String {
    format!("G{index}")
}
