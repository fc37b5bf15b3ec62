//! JSON that is as expected, but for what nobody can foresee: `"<uuid>"`, `"<time>"` and `"<int>"` stand for any of
//! their kind.

use serde_json::Value;

/// Fails unless `actual` is like `expected`, with every place where it is not.
///
/// # Panics
/// When it is not.
#[track_caller]
pub fn assert_like(actual: &Value, expected: &Value) {
    let faults = faults(actual, expected);
    assert!(faults.is_empty(), "{}\nin {actual:#}", faults.join("\n"));
}

/// Every place where `actual` is not like `expected`.
pub fn faults(actual: &Value, expected: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    compare("", actual, expected, &mut faults);
    faults
}

fn compare(at: &str, actual: &Value, expected: &Value, faults: &mut Vec<String>) {
    match (actual, expected) {
        (Value::Object(actual), Value::Object(expected)) => {
            for (name, value) in expected {
                match actual.get(name) {
                    Some(actual) => compare(&format!("{at}.{name}"), actual, value, faults),
                    None => faults.push(format!("{at}.{name} is missing")),
                }
            }
            let unasked = actual.iter().filter(|(name, _)| !expected.contains_key(*name));
            faults.extend(unasked.map(|(name, value)| format!("{at}.{name} is there: {value}")));
        }
        (Value::Array(actual), Value::Array(expected)) if actual.len() == expected.len() => {
            for (index, (actual, expected)) in actual.iter().zip(expected).enumerate() {
                compare(&format!("{at}[{index}]"), actual, expected, faults);
            }
        }
        _ if is_like(actual, expected) => {}
        _ => faults.push(format!("{at} is {actual} and not {expected}")),
    }
}

fn is_like(actual: &Value, expected: &Value) -> bool {
    match expected.as_str() {
        Some("<uuid>") => actual.as_str().is_some_and(is_uuid),
        Some("<time>") => actual.as_str().is_some_and(is_time),
        Some("<int>") => actual.is_u64(),
        _ => actual == expected,
    }
}

/// Canonical: lower case, with hyphens.
pub fn is_uuid(text: &str) -> bool {
    has_shape(text, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx")
}

/// RFC 3339, in UTC, to the millisecond.
fn is_time(text: &str) -> bool {
    has_shape(text, "0000-00-00T00:00:00.000Z")
}

/// Whether each character is the one of the shape; `0` is any digit, `x` any hexadecimal one in lower case.
fn has_shape(text: &str, shape: &str) -> bool {
    let fits = |(letter, wanted): (char, char)| match wanted {
        '0' => letter.is_ascii_digit(),
        'x' => letter.is_ascii_digit() || ('a'..='f').contains(&letter),
        wanted => letter == wanted,
    };
    text.len() == shape.len() && text.chars().zip(shape.chars()).all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_placeholder_takes_its_own_kind_only() {
        let (uuid, time) = ("6f9c0f6e-5b0a-4c7e-9d52-0c1a7d3f2b11", "2026-12-01T09:05:00.123Z");
        for (value, kind) in [(uuid.into(), "<uuid>"), (time.into(), "<time>"), (Value::from(7), "<int>")] {
            for other in ["<uuid>", "<time>", "<int>"] {
                assert_eq!(is_like(&value, &other.into()), other == kind, "{value} as {other}");
            }
        }
        assert!(!is_like(&"6F9C0F6E-5B0A-4C7E-9D52-0C1A7D3F2B11".into(), &"<uuid>".into()));
        assert!(!is_like(&(-1).into(), &"<int>".into()));
    }
}
