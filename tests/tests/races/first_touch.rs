//! A hundred first requests meet a show that Redis does not know.

use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::sys::{Sys, paid};
use serde_json::json;

use super::crowd::{PATIENT, Race, assert_tally};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_first_touches_load_a_show_once_and_sell_what_is_left() {
    let mut sys = Race::on(Sys::own(&[], &PATIENT).await).await;
    let show = sys.define(json!({})).await;
    let token = sys.hold(&show, &["E1"]).await.text("holdToken").to_owned();
    sys.confirm(&show, &token, paid("pay_1")).await.expect(201);
    let mut redis = sys.redis().await;
    let _: () = redis::cmd("FLUSHALL").query_async(&mut redis).await.unwrap();
    let _: () = redis::cmd("SCRIPT").arg("FLUSH").query_async(&mut redis).await.unwrap();

    let mark = sys.own_redis().monitor().mark();
    let answers = sys
        .at_once(100, |client, buyer| {
            let (show, seat) = (show.clone(), format!("E{}", buyer % 20 + 1));
            async move { client.hold(&show, &[&seat]).await }
        })
        .await;
    assert_tally(&answers, &[(201, "", 19), (409, "seat_unavailable", 81)]);
    let of_sold = answers.iter().filter(|answer| answer.body["seats"][0]["seat"] == "E1");
    assert!(of_sold.map(|answer| &answer.body["seats"][0]["reason"]).eq(std::iter::repeat_n(&json!("sold"), 5)));
    let seen = sys.own_redis().monitor().seen_of_show(mark, &show);
    // One finished it. The first to try met an empty cache of scripts, and sent it again.
    let finished = seen.iter().filter(|command| command.script == Some("load_finish") && command.name == "EVAL");
    assert_eq!(finished.count(), 1);
    assert!(seen.iter().filter(|command| command.script == Some("load_finish")).count() <= 2);
    assert_agreement(&sys, &show).await;
}
