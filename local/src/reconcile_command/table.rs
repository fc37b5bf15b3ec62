//! The report for people: a row a show, the sums, then what went wrong.

use serde_json::Value;

use super::{Report, ReportError};

/// The columns: what stands above, and where the report has it.
const COLUMNS: [(&str, &str); 14] = [
    ("show", "/showId"),
    ("epoch", "/epoch"),
    ("places", "/checked/places"),
    ("tokens", "/checked/tokens"),
    ("settled", "/repairs/settled"),
    ("marked", "/repairs/marked"),
    ("freed", "/repairs/freed"),
    ("expired", "/repairs/expired"),
    ("holds lost", "/repairs/holdsLost"),
    ("units", "/repairs/unitsRecounted"),
    ("policy", "/repairs/policyUpdated"),
    ("drift", "/drift"),
    ("events", "/eventsDrained"),
    ("missed", "/eventsMissed"),
];

/// How many of its columns are texts, which stand to the left.
const TEXTS: usize = 2;

/// Enough of an epoch to tell it from another.
const EPOCH_WIDTH: usize = 8;

type Row = Vec<String>;

/// The whole report, without a newline at its end.
pub fn table(report: &Report) -> String {
    let heading = COLUMNS.map(|(heading, _)| heading.to_owned()).to_vec();
    let rows = std::iter::once(heading).chain(report.shows.iter().map(row)).chain([sums(&report.shows)]);
    let mut lines = aligned(&rows.collect::<Vec<_>>());
    lines.extend(report.errors.iter().map(|ReportError { show_id, code, detail }| {
        let show = show_id.as_ref().map(|show| format!("show {show}: ")).unwrap_or_default();
        format!("error: {show}{code}: {detail}")
    }));
    lines.push(summary(report));
    lines.join("\n")
}

fn row(show: &Value) -> Row {
    let cell = |(heading, at): (&str, &str)| match show.pointer(at) {
        Some(Value::String(epoch)) if heading == "epoch" => epoch.chars().take(EPOCH_WIDTH).collect(),
        Some(Value::String(text)) => text.clone(),
        None | Some(Value::Null) => "-".to_owned(),
        Some(number) => number.to_string(),
    };
    COLUMNS.map(cell).to_vec()
}

fn sums(shows: &[Value]) -> Row {
    let number = |show: &Value, at: &str| show.pointer(at).and_then(Value::as_u64).unwrap_or_default();
    let sum = |at: &str| shows.iter().map(|show| number(show, at)).sum::<u64>().to_string();
    let texts = ["in all".to_owned(), String::new()].into_iter();
    texts.chain(COLUMNS.iter().skip(TEXTS).map(|(_, at)| sum(at))).collect()
}

/// What kind of run it was, and whether it came to its end.
fn summary(report: &Report) -> String {
    let kind = if report.dry_run { "dry run, nothing was changed" } else { "run" };
    let end = if report.complete { "complete" } else { "not complete" };
    format!("{kind}: {end} after {} ms", report.duration_ms)
}

/// Columns as wide as their widest cell, two spaces apart.
fn aligned(rows: &[Row]) -> Vec<String> {
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(String::len).max();
    let widths: Vec<usize> = (0..COLUMNS.len()).map(|column| width(column).unwrap_or_default()).collect();
    let line = |row: &Row| {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
            if column < TEXTS { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        cells.collect::<Vec<_>>().join("  ")
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn show(id: &str, epoch: Option<&str>, marked: u64) -> Value {
        json!({"showId": id, "epoch": epoch, "checked": {"places": 1500, "tokens": 2},
            "repairs": {"settled": 0, "marked": marked, "freed": 0, "expired": 0, "holdsLost": 0, "unitsRecounted": 0,
                "policyUpdated": 0}, "drift": marked, "eventsDrained": 9, "eventsMissed": 0})
    }

    fn read(answer: Value) -> String {
        table(&serde_json::from_value(answer).expect("a report"))
    }

    #[test]
    fn a_report_is_a_table_with_sums() {
        let shows = [show("42", Some("6f9c0f6e-5b0a-4c7e"), 12), show("hamlet-tonight", None, 0)];
        let error = json!({"showId": "43", "code": "show_not_found", "detail": "There is no such show."});
        let answer = json!({"dryRun": true, "complete": false, "durationMs": 41, "errors": [error], "shows": shows});
        let expected = "\
show            epoch     places  tokens  settled  marked  freed  expired  holds lost  units  policy  drift  events  missed
42              6f9c0f6e    1500       2        0      12      0        0           0      0       0     12       9       0
hamlet-tonight  -           1500       2        0       0      0        0           0      0       0      0       9       0
in all                      3000       4        0      12      0        0           0      0       0     12      18       0
error: show 43: show_not_found: There is no such show.
dry run, nothing was changed: not complete after 41 ms";
        assert_eq!(read(answer), expected);
    }

    #[test]
    fn a_report_of_nothing_has_its_sums() {
        let answer = json!({"dryRun": false, "complete": true, "durationMs": 3, "errors": [], "shows": []});
        let said = read(answer);
        assert_eq!(said.lines().count(), 3, "{said}");
        assert!(said.ends_with("run: complete after 3 ms"), "{said}");
    }
}
