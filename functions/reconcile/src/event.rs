//! What an event asks for.

use holdfast::domain::ShowId;
use holdfast::http::Problem;
use holdfast::http::input::fields::{Faults, Fields, boolean, text};
use holdfast::http::json::Json;
use holdfast::ops::reconcile::ReconcileWish;

/// Fields that every event of EventBridge has, of its scheduler and of its rules, and that nobody sends by hand.
const OF_THE_SCHEDULE: [&str; 2] = ["source", "detail-type"];

/// Reads an event: of the schedule, whatever else it says, or by hand, which is read strictly.
///
/// # Errors
/// The 400 with every fault.
pub fn wish(event: &str) -> Result<ReconcileWish, Problem> {
    let entries = match serde_json::from_str(event) {
        Ok(Json::Object(entries)) => entries,
        Ok(_) => return Err(Problem::invalid_field("event", "must be an object")),
        // It is JSON, or it would not have come this far: a number that is none, or a depth beyond reason.
        Err(_) => return Err(Problem::invalid_field("event", "cannot be read")),
    };
    if entries.iter().any(|(name, _)| OF_THE_SCHEDULE.contains(&name.as_str())) {
        return Ok(ReconcileWish { scheduled: true, ..ReconcileWish::default() });
    }
    let mut faults = Faults::default();
    let mut fields = Fields::new("", &entries, &mut faults);
    let show = fields.optional("showId", text(ShowId::parse));
    let dry_run = fields.optional("dryRun", boolean).unwrap_or_default();
    let forget = fields.optional("forget", boolean).unwrap_or_default();
    fields.finish();
    if forget && (dry_run || !entries.iter().any(|(name, _)| name == "showId")) {
        faults.add("forget", "goes with a showId, and is no dry run");
    }
    faults.finish(Some(ReconcileWish { show, dry_run, forget, scheduled: false }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(event: &str) -> String {
        wish(event).expect_err("must be refused").detail
    }

    #[test]
    fn what_the_schedule_sends_asks_for_every_show() {
        let scheduled = ReconcileWish { scheduled: true, ..ReconcileWish::default() };
        for event in [
            r#"{"version": "0", "detail-type": "Scheduled Event", "source": "aws.scheduler", "detail": "{}"}"#,
            r#"{"source": "aws.events", "detail": {}, "showId": 42, "dryRun": true, "source": "twice"}"#,
            r#"{"detail-type": null}"#,
        ] {
            assert_eq!(wish(event).expect(event), scheduled);
        }
    }

    #[test]
    fn by_hand_all_fields_are_optional() {
        let show = || ShowId::parse("42").ok();
        for (event, show, dry_run, forget) in [
            ("{}", None, false, false),
            (r#"{"showId": "42"}"#, show(), false, false),
            (r#"{"dryRun": true, "forget": false}"#, None, true, false),
            (r#"{"dryRun": false, "showId": "42"}"#, show(), false, false),
            (r#"{"forget": true, "showId": "42"}"#, show(), false, true),
        ] {
            assert_eq!(wish(event).expect(event), ReconcileWish { show, dry_run, forget, scheduled: false });
        }
    }

    #[test]
    fn every_fault_is_named() {
        let grammar = "must be 1 to 64 of A-Z a-z 0-9 _ -, beginning with a letter or digit";
        assert_eq!(
            fault(r#"{"showId": "a b", "dryRun": "true", "all": 1}"#),
            format!("showId {grammar}; dryRun must be true or false; all is not a field of this request")
        );
        assert_eq!(fault(r#"{"dryRun": true, "dryRun": true}"#), "dryRun is there twice");
        assert_eq!(fault(r#"{"showId": null, "dryRun": 1}"#), "showId must be a text; dryRun must be true or false");
        for event in ["[]", "null", "7", "\"{}\""] {
            assert_eq!(fault(event), "event must be an object", "{event}");
        }
        assert_eq!(fault(r#"{"dryRun": 1e400}"#), "event cannot be read");
        for event in [r#"{"forget": true}"#, r#"{"showId": "42", "dryRun": true, "forget": true}"#] {
            assert_eq!(fault(event), "forget goes with a showId, and is no dry run", "{event}");
        }
    }
}
