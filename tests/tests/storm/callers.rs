//! A caller: does one thing after another, mostly with what it or somebody else was answered just now.

use std::sync::Arc;
use std::time::Duration;

use holdfast::Deadline;
use holdfast::domain::{Buyer, HoldToken, Payment, Places, ShowId};
use holdfast::ops::confirm::{ConfirmWish, confirm};
use holdfast_tests::image::booking_of;
use holdfast_tests::sys::{Answer, Client, paid};
use serde_json::{Value, json};
use tokio::time::Instant;
use uuid::Uuid;

use crate::chance::Chance;
use crate::contract::{adds_up, judge, names_some_of};
use crate::pool::{Known, Token};
use crate::scene::{EXTRA, SEATS, Scene, ZONES, layout};

/// Tokens that are still worth something, mostly.
const RECENT: usize = 60;

/// Acts until the storm is over.
pub async fn act(scene: Scene, mut chance: Chance) {
    while scene.goes_on() {
        let client = chance.one(&scene.environments).clone();
        let caller = Caller { scene: &scene, client };
        caller.once(&mut chance).await;
        tokio::time::sleep(Duration::from_millis(chance.below(40))).await;
    }
}

struct Caller<'a> {
    scene: &'a Scene,
    client: Client,
}

impl Caller<'_> {
    async fn once(&self, chance: &mut Chance) {
        let roll = chance.below(100);
        match roll {
            0..20 => return self.hold(chance).await,
            20..30 => return self.decrement(chance).await,
            30..33 => return self.stock(chance).await,
            33..39 => return self.cancel(chance).await,
            39..40 => return self.replace(chance).await,
            _ => {}
        }
        // Now and then one from long ago.
        let recent = if chance.percent(10) { usize::MAX } else { RECENT };
        let Some(token) = self.scene.pool.one(recent, chance, |known| !known.left_alone) else { return };
        match roll {
            40..51 => self.extend(&token, chance).await,
            51..55 => self.release(&token).await,
            55..61 => self.status(&token).await,
            61..65 => self.dies_while_it_confirms(&token, chance).await,
            65..94 => self.confirm(&token, chance).await,
            _ => self.restore(&token).await,
        }
    }

    fn judge(&self, call: &str, answer: &Answer) {
        judge(&self.scene.goals, call, answer);
    }

    fn show(&self) -> &str {
        &self.scene.show
    }

    async fn hold(&self, chance: &mut Chance) {
        let mut seats: Vec<String> = (1..=SEATS).map(|number| format!("A{number}")).collect();
        if chance.percent(10) {
            seats = (1..=EXTRA).map(|number| format!("X{number}")).collect();
        }
        let count = chance.between(1, 3);
        let asked = chance.some(&seats, usize::try_from(count).unwrap());
        let body = json!({"seats": asked, "ttlSeconds": chance.between(1, 3)});
        let answer = self.ask(&format!("/shows/{}/holds", self.show()), &body, chance).await;
        self.judge("hold", &answer);
        match answer.status {
            201 => {
                assert_eq!(answer.body["seats"], json!(asked), "{}", answer.body);
                self.keep(&answer, chance);
            }
            404 | 409 => names_some_of(&answer, &asked),
            _ => {}
        }
    }

    async fn decrement(&self, chance: &mut Chance) {
        let (zone, _) = *chance.one(&ZONES);
        let (quantity, ttl) = (chance.between(1, 3), chance.between(1, 3));
        let body = json!({"quantity": quantity, "ttlSeconds": ttl});
        let answer = self.ask(&format!("/shows/{}/stock/{zone}/decrement", self.show()), &body, chance).await;
        self.judge("decrement", &answer);
        if answer.status == 201 {
            assert_eq!(
                answer.body["units"].as_array().map(Vec::len),
                usize::try_from(quantity).ok(),
                "{}",
                answer.body
            );
            self.keep(&answer, chance);
        }
    }

    /// Sends a request; with a key now and then, and then twice at once: one hold.
    async fn ask(&self, path: &str, body: &Value, chance: &mut Chance) -> Answer {
        if !chance.percent(15) {
            return self.client.call("POST", path, body.clone()).await;
        }
        let key = Uuid::new_v4().to_string();
        let headers = [("idempotency-key", key.as_str()), ("content-type", "application/json")];
        let other = chance.one(&self.scene.environments);
        let (one, two) = tokio::join!(
            self.client.call_raw("POST", path, &headers, body.to_string()),
            other.call_raw("POST", path, &headers, body.to_string())
        );
        if (one.status, two.status) == (201, 201) {
            assert_eq!(one.text("holdToken"), two.text("holdToken"), "one key is one hold");
            self.scene.goals.met("hold again under its key");
        }
        if one.status == 201 { one } else { two }
    }

    fn keep(&self, answer: &Answer, chance: &mut Chance) {
        let reference = chance.percent(75).then(|| format!("pay_{}", Uuid::new_v4()));
        let token = Token::new(&answer.body, reference);
        token.lasts(&answer.body);
        // What may go is only looked at: once it is sold it stays.
        token.known().left_alone = token.named["seats"][0].as_str().is_some_and(|seat| seat.starts_with('X'));
        self.scene.pool.add(token);
    }

    async fn stock(&self, chance: &mut Chance) {
        let (zone, _) = chance.one(&ZONES);
        let answer = self.client.get(&format!("/shows/{}/stock/{zone}", self.show())).await;
        self.judge("stock", &answer);
        if answer.status == 200 {
            adds_up(&answer.body);
        }
    }

    async fn extend(&self, token: &Token, chance: &mut Chance) {
        let answer = self.client.extend(self.show(), &token.token, chance.between(1, 5)).await;
        self.judge("extend", &answer);
        if answer.status == 200 {
            token.lasts(&answer.body);
        }
    }

    async fn release(&self, token: &Token) {
        let answer = self.client.release(self.show(), &token.token).await;
        self.judge("release", &answer);
    }

    async fn status(&self, token: &Token) {
        let answer = self.client.hold_status(self.show(), &token.token).await;
        self.judge("status", &answer);
        if answer.status == 200 {
            let state = answer.text("state");
            self.scene.goals.met(format!("status {state}"));
        }
    }

    async fn confirm(&self, token: &Arc<Token>, chance: &mut Chance) {
        let mut body = token.payment();
        let mut other = None;
        if chance.percent(50) {
            body.as_object_mut().unwrap().extend(token.named.as_object().unwrap().clone());
        }
        // Oddities are noted before they are sent: from then on a mismatch is no surprise.
        if chance.percent(4) {
            token.known().odd = true;
            let reference = format!("pay_{}", Uuid::new_v4());
            body["payment"] = paid(&reference)["payment"].clone();
            other = Some(reference);
        } else if chance.percent(2) {
            token.known().odd = true;
            ["zone", "units"].iter().for_each(|name| drop(body.as_object_mut().unwrap().remove(*name)));
            body["seats"] = json!(["A1", "A2", "A3", "A4"]);
        }
        let (before, sent_at) = (token.known().clone(), Instant::now());
        let answer = self.client.confirm(self.show(), &token.token, body).await;
        self.judge("confirm", &answer);
        let sent = other.as_ref().or(token.reference.as_ref());
        let mut known = token.known();
        if matches!(answer.status, 200 | 201) {
            known.booked.insert(identity(&answer.body));
            known.paid.extend(Some(&answer.body["payment"]).filter(|payment| !payment.is_null()).map(Value::to_string));
            assert_eq!(answer.body["bookingId"], booking_of(self.show(), &token.token).to_string());
        }
        if answer.status == 201 && !before.lost && before.lapses.is_some_and(|at| at < sent_at) {
            self.scene.goals.met("rescue of a hold that lapsed");
        }
        if answer.status == 201 && before.lost {
            self.scene.goals.met("rescue of a hold that Redis lost");
        }
        if answer.status == 422 {
            assert!(known.odd, "nothing odd was ever sent: {}", answer.body);
        }
        let refund = &answer.body["refund"];
        if !refund.is_null() {
            self.scene.goals.met("refund due");
            assert_eq!(refund["reference"], json!(sent), "{}", answer.body);
            known.refunds.insert((sent.unwrap().clone(), refund["status"].as_str().unwrap().to_owned()));
        }
        // Every final refusal says what becomes of the payment; one that is booked stays booked, whatever places are named.
        let is_booked = answer.code() == "hold_mismatch" && !answer.body["bookingId"].is_null();
        let is_final = matches!(answer.status, 409 | 422) && answer.code() != "in_progress" && !is_booked;
        assert_eq!(!refund.is_null(), is_final && sent.is_some(), "{sent:?}: {}", answer.body);
    }

    /// The process ends somewhere in the middle of a confirm.
    async fn dies_while_it_confirms(&self, token: &Token, chance: &mut Chance) {
        let stores = self.client.app().stores(Deadline::after(Duration::from_secs(2)));
        let payment = token.payment()["payment"].clone();
        let wish = ConfirmWish {
            show: ShowId::parse(self.show()).unwrap(),
            token: HoldToken::from_stored(&token.token).unwrap(),
            payment: serde_json::from_value::<Option<Payment>>(payment).unwrap(),
            order: None,
            places: None::<Places>,
            buyer: Buyer::default(),
        };
        let dying = tokio::spawn(async move { confirm(&stores, &wish).await.map(drop) });
        tokio::time::sleep(Duration::from_micros(chance.below(8_000))).await;
        dying.abort();
        if dying.await.is_err() {
            self.scene.goals.met("confirm that died");
            token.known().left_alone = chance.percent(50);
        }
    }

    async fn cancel(&self, chance: &mut Chance) {
        // Mostly what somebody was told to be booked: others have nothing to cancel.
        let any = chance.percent(5);
        let is_booked = |known: &Known| any || !known.booked.is_empty() && !known.cancelled;
        let Some(token) = self.scene.pool.one(usize::MAX, chance, is_booked) else { return };
        token.known().cancel_sent = true;
        let path = format!("/bookings/{}/cancel", booking_of(self.show(), &token.token));
        let answer = self.client.call("POST", &path, json!({"refunded": chance.percent(20)})).await;
        self.judge("cancel", &answer);
        if answer.status == 200 {
            assert_eq!(answer.text("status"), "cancelled");
            token.known().cancelled = true;
        }
    }

    async fn restore(&self, token: &Token) {
        if !token.known().cancel_sent {
            return;
        }
        token.known().restore_sent = true;
        let path = format!("/bookings/{}/restore", booking_of(self.show(), &token.token));
        let answer = self.client.call("POST", &path, json!({})).await;
        self.judge("restore", &answer);
        if answer.status == 200 {
            assert_eq!(answer.text("status"), "confirmed");
            token.known().cancelled = false;
        }
    }

    async fn replace(&self, chance: &mut Chance) {
        let body = layout(usize::from(chance.percent(70)), chance.percent(30));
        let answer = self.client.call("PUT", &format!("/shows/{}", self.show()), body).await;
        self.judge("replace", &answer);
    }
}

/// What no repeat may change of a booking. A restore may have had to take other units.
fn identity(booking: &Value) -> String {
    let seats = &booking["seats"];
    let places = if seats.is_null() {
        json!([booking["zone"], booking["units"].as_array().map(Vec::len)])
    } else {
        seats.clone()
    };
    json!([booking["bookingId"], booking["confirmedAt"], places]).to_string()
}
