//! The arguments of the command.

use serde_json::{Value, json};

const USAGE: &str = "usage: reconcile [--dry-run] [--show ID [--forget]] [--url http://127.0.0.1:3000]";

/// What is asked for.
#[derive(Debug, PartialEq, Eq)]
pub struct Arguments {
    /// One show; `None`: all.
    pub show: Option<String>,
    /// Whether to report only.
    pub dry_run: bool,
    /// Whether Redis is to forget the show first.
    pub forget: bool,
    /// Where the system answers.
    pub url: String,
}

impl Arguments {
    /// Reads what comes after the command.
    ///
    /// # Errors
    ///
    /// How to call it.
    pub fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, &'static str> {
        let mut parsed = Self { show: None, dry_run: false, forget: false, url: "http://127.0.0.1:3000".to_owned() };
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--dry-run" => parsed.dry_run = true,
                "--forget" => parsed.forget = true,
                "--show" => parsed.show = Some(arguments.next().ok_or(USAGE)?),
                "--url" => parsed.url = arguments.next().ok_or(USAGE)?,
                _ => return Err(USAGE),
            }
        }
        Ok(parsed)
    }

    /// The event that asks for it.
    pub fn event(&self) -> Value {
        match &self.show {
            Some(show) => json!({ "showId": show, "dryRun": self.dry_run, "forget": self.forget }),
            None => json!({ "dryRun": self.dry_run, "forget": self.forget }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Arguments, &'static str> {
        Arguments::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn nothing_is_required() {
        let url = "http://127.0.0.1:3000".to_owned();
        assert_eq!(parse(""), Ok(Arguments { show: None, dry_run: false, forget: false, url }));
        let all = Arguments { show: Some("42".to_owned()), dry_run: true, forget: true, url: "http://h:1".to_owned() };
        assert_eq!(parse("--url http://h:1 --show 42 --forget --dry-run"), Ok(all));
    }

    #[test]
    fn what_is_not_understood_is_never_a_real_run() {
        for line in ["--show", "--url", "--dryrun", "42", "--dry-run=true"] {
            assert_eq!(parse(line), Err(USAGE), "{line}");
        }
    }
}
