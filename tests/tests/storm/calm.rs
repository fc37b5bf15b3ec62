//! After the storm: one reconcile, and everything is true again.

use std::collections::BTreeMap;

use holdfast::Touch;
use holdfast::adapters::redis::keys;
use holdfast::domain::places::{SHARDS, unit_number};
use holdfast::domain::{BookingId, RefundId, RefundStatus, Repairs, Replacement, ShowId, ZoneId};
use holdfast_tests::image::booking_of;
use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::loaded::deadline;
use holdfast_tests::poll::until;
use serde_json::{Value, json};

use crate::contract::adds_up;
use crate::pool::Token;
use crate::scene::{Scene, ZONES};

/// Fails the test unless both stores agree, with each other and with all that was answered.
pub async fn judge(scene: &Scene) {
    let show = ShowId::parse(&scene.show).unwrap();
    holds_lapse(scene, &show).await;
    no_replacement_is_under_way(scene, &show).await;
    let report = scene.sys.reconcile(json!({})).await;
    println!("{report}");
    assert_eq!((&report["complete"], &report["errors"]), (&json!(true), &json!([])), "{report}");

    assert_agreement(&scene.sys, &scene.show).await;
    zones_add_up(scene, &show).await;
    let dry = scene.sys.reconcile(json!({"dryRun": true})).await;
    assert_eq!(dry["complete"], true, "{dry}");
    let told = &dry["shows"][0];
    assert_eq!((&told["repairs"], &told["drift"]), (&json!(Repairs::default()), &json!(0)), "{dry}");
    for token in scene.pool.all() {
        answers_are_on_record(scene, &token).await;
    }
}

/// Waits until no hold is left that would lapse between two looks. Those that are pinned last longer, and are settled.
async fn holds_lapse(scene: &Scene, show: &ShowId) {
    scene.sys.get(&format!("/shows/{show}/stock/GA")).await.expect(200);
    until("the holds lapse", || async {
        let mut redis = scene.sys.redis().await;
        let (seconds, micros): (i64, i64) = redis::cmd("TIME").query_async(&mut redis).await.unwrap();
        let now_ms = seconds * 1000 + micros / 1000;
        let soon: u64 = redis::cmd("ZCOUNT")
            .arg(keys::held(show))
            .arg(now_ms - 50)
            .arg(now_ms + 15_000)
            .query_async(&mut redis)
            .await
            .unwrap();
        (soon == 0).then_some(())
    })
    .await;
}

/// Waits until the closing mark of a PUT that died has run out: until then reconcile leaves the show to that PUT.
async fn no_replacement_is_under_way(scene: &Scene, show: &ShowId) {
    until("the replacement is given up", || async {
        let survey = scene.sys.app().stores(deadline()).redis.survey_show(show).await.unwrap();
        match survey {
            Touch::Known(survey) => (survey.replacement != Replacement::UnderWay).then_some(()),
            other => panic!("{other:?}"),
        }
    })
    .await;
}

/// left + held + sold = capacity, and what is sold is what the record has.
async fn zones_add_up(scene: &Scene, show: &ShowId) {
    let mut sold = BTreeMap::from(ZONES.map(|(zone, _)| (zone, 0_u64)));
    let stores = scene.sys.app().stores(deadline());
    for shard in 0..SHARDS {
        for place in stores.record.list_sold(show, shard).await.unwrap() {
            let zone =
                sold.iter_mut().find(|(zone, _)| unit_number(&ZoneId::parse(zone).unwrap(), &place.place).is_some());
            if let Some((_, count)) = zone {
                *count += 1;
            }
        }
    }
    for (zone, count) in sold {
        let stock = scene.sys.get(&format!("/shows/{show}/stock/{zone}")).await.expect(200);
        adds_up(&stock);
        assert_eq!((&stock["held"], &stock["sold"]), (&json!(0), &json!(count)), "{zone}: {stock}");
    }
}

/// What was answered as a success is on record, or was taken back; and no payment is both.
async fn answers_are_on_record(scene: &Scene, token: &Token) {
    let known = token.known().clone();
    let id: BookingId = booking_of(&scene.show, &token.token);
    assert!(known.booked.len() <= 1 && known.paid.len() <= 1, "one token, two bookings: {known:?}");
    let read = scene.sys.get(&format!("/bookings/{id}")).await;
    if known.booked.is_empty() && known.refunds.is_empty() {
        return;
    }
    let booking: Value = read.expect(200);
    let status = booking["status"].as_str().unwrap();
    if !known.booked.is_empty() {
        let allowed: &[&str] = match (known.cancel_sent, known.cancelled, known.restore_sent) {
            (false, ..) => &["confirmed"],
            (true, true, false) => &["cancelled"],
            _ => &["confirmed", "cancelled"],
        };
        assert!(allowed.contains(&status), "{token:?} ends as {booking}");
        // What was booked without a payment may have one by now, and none is given up.
        let payment = booking["payment"].to_string();
        assert!(known.paid.iter().all(|paid| *paid == payment), "{known:?} ends as {booking}");
    }
    let stores = scene.sys.app().stores(deadline());
    for (reference, told) in &known.refunds {
        let refund = stores.record.read_refund(RefundId::of(id, reference)).await.unwrap().map(|refund| refund.status);
        let is_own = booking["payment"]["reference"] == json!(reference);
        let allowed = match refund {
            Some(RefundStatus::Due | RefundStatus::Settled) => !is_own || status != "confirmed",
            // A restore took it back, or it was paid back by the caller of a later cancel.
            Some(RefundStatus::Withdrawn) => is_own && known.restore_sent,
            // The caller of the cancel had paid it back.
            None => is_own && (told == "settled" || known.restore_sent),
        };
        assert!(allowed, "{reference} was answered as {told}, and is {refund:?}: {token:?}, {booking}");
    }
}
