//! A process that Lambda froze between two requests, while everybody else went on.

use std::time::Duration;

use holdfast_tests::cases::Stores;
use holdfast_tests::proxy::Proxy;
use holdfast_tests::runtime_api::{Deployment, Process};
use holdfast_tests::servers::{self, Redis};
use holdfast_tests::sys::{Sys, paid};
use serde_json::{Value, json};

/// How long it is frozen, in seconds. What the peers do is done at once, so this only adds what time does.
const SECONDS: &str = "FROZEN_SECONDS";

/// Two processes that have served, with lines to both stores that can be cut.
struct Scene {
    sys: Sys,
    show: String,
    /// Of what the frozen confirm is about.
    token: String,
    redis: Proxy,
    dynamo: Proxy,
    deployment: Deployment,
    hold: Process,
    confirm: Process,
    own_redis: Redis,
}

impl Scene {
    async fn open() -> Scene {
        let (own_redis, dynamo) = (servers::own_redis(&[]), servers::dynamo().await.endpoint());
        let redis = Proxy::redis(own_redis.addr()).await;
        let sys = Sys::with(&redis.url(), &dynamo, &[]);
        let show = sys.define(json!({})).await;
        let deployment = Deployment::on(Stores::at(&redis.url(), &dynamo)).await;
        let dynamo = Proxy::tcp(deployment.front("confirm").addr()).await;
        let endpoint = [("AWS_ENDPOINT_URL_DYNAMODB", &*dynamo.endpoint())];
        let hold = deployment.start("hold", &endpoint).await;
        let confirm = deployment.start("confirm", &endpoint).await;
        let mut scene = Scene { sys, show, token: String::new(), redis, dynamo, deployment, hold, confirm, own_redis };
        // Both have lines to both stores: a token that nobody knows is asked for in DynamoDB.
        let unknown = "6f9c0f6e-5b0a-4c7e-9d52-0c1a7d3f2b11";
        let (_, event) = scene.deployment.event("GET", &format!("/shows/{}/holds/{unknown}", scene.show), Value::Null);
        assert_eq!(scene.hold.invoke(&event).await["statusCode"], 404);
        let sold = scene.take("E1", 201).await;
        scene.buy(&sold, 201).await;
        scene.token = scene.take("E2", 201).await;
        scene
    }

    /// Answers the token of a hold; empty if it was refused.
    async fn take(&self, seat: &str, status: u16) -> String {
        let path = format!("/shows/{}/holds", self.show);
        let (_, event) = self.deployment.event("POST", &path, json!({"seats": [seat]}));
        let answer = self.hold.invoke(&event).await;
        assert_eq!(answer["statusCode"], status, "{answer}\n{}", self.hold.log());
        let body: Value = serde_json::from_str(answer["body"].as_str().unwrap()).unwrap();
        body["holdToken"].as_str().unwrap_or_default().to_owned()
    }

    async fn buy(&self, token: &str, status: u16) {
        let mut body = paid(token);
        body["seats"] = json!([if token == self.token { "E2" } else { "E1" }]);
        let path = format!("/shows/{}/holds/{token}/confirm", self.show);
        let (_, event) = self.deployment.event("POST", &path, body);
        let answer = self.confirm.invoke(&event).await;
        assert_eq!(answer["statusCode"], status, "{answer}\n{}", self.confirm.log());
    }

    /// Freezes both, lets something happen, and thaws them.
    async fn freeze_while(&mut self, seconds: u64, happens: impl FnOnce(&mut Redis, &Proxy, &Proxy)) {
        let frozen = (self.hold.freeze().await, self.confirm.freeze().await);
        happens(&mut self.own_redis, &self.redis, &self.dynamo);
        tokio::time::sleep(Duration::from_secs(seconds)).await;
        drop(frozen);
    }

    async fn goes_on(&self) {
        self.take("E3", 201).await;
        self.buy(&self.token, 201).await;
        let status = self.sys.hold_status(&self.show, &self.token).await.expect(200);
        assert_eq!(status["state"], "confirmed");
    }
}

fn seconds() -> u64 {
    std::env::var(SECONDS).map_or(0, |seconds| seconds.parse().unwrap_or_else(|_| panic!("{SECONDS} is a number")))
}

#[tokio::test]
async fn pitfall_35_after_both_peers_closed_the_first_hold_and_the_first_confirm_succeed() {
    let mut scene = Scene::open().await;
    scene
        .freeze_while(0, |_, redis, dynamo| {
            redis.cut_now();
            dynamo.cut_now();
        })
        .await;
    scene.goes_on().await;
}

#[tokio::test]
async fn pitfall_35_after_a_long_time_the_first_hold_and_the_first_confirm_succeed() {
    let mut scene = Scene::open().await;
    scene
        .freeze_while(seconds(), |_, redis, dynamo| {
            redis.cut_now();
            dynamo.cut_now();
        })
        .await;
    scene.goes_on().await;
}

#[tokio::test]
async fn pitfall_35_after_redis_was_replaced_by_an_empty_one_the_first_hold_and_the_first_confirm_succeed() {
    let mut scene = Scene::open().await;
    let replaced = servers::own_redis(&[]);
    scene
        .freeze_while(0, |redis, proxy, dynamo| {
            redis.kill();
            proxy.retarget(replaced.addr());
            dynamo.cut_now();
        })
        .await;
    scene.goes_on().await;
}
