//! Reads one line of Redis' MONITOR.
//!
//! `+1700000000.123456 [0 127.0.0.1:40404] "SET" "k" "v"` is a command of a client, `[0 lua]` one that a script called.

/// Who sent a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A client, by its address.
    Client(String),
    /// The script that runs.
    Script,
}

/// A command as MONITOR shows it.
#[derive(Debug, PartialEq, Eq)]
pub struct Line {
    /// Who sent it.
    pub source: Source,
    /// The command's name and its arguments, as the bytes they were.
    pub words: Vec<Vec<u8>>,
}

/// Parses a line; `None` for one that is no command (`+OK`).
pub fn parse(line: &[u8]) -> Option<Line> {
    let open = line.iter().position(|byte| *byte == b'[')?;
    let close = open + line[open..].iter().position(|byte| *byte == b']')?;
    let (_db, from) = std::str::from_utf8(&line[open + 1..close]).ok()?.split_once(' ')?;
    let source = if from == "lua" { Source::Script } else { Source::Client(from.to_owned()) };
    let words = words(&line[close + 1..]);
    (!words.is_empty()).then_some(Line { source, words })
}

/// Takes the quoted words apart, and undoes the quoting of `sdscatrepr`.
fn words(mut rest: &[u8]) -> Vec<Vec<u8>> {
    let mut words = Vec::new();
    while let Some(start) = rest.iter().position(|byte| *byte == b'"') {
        let (word, used) = unquote(&rest[start + 1..]);
        words.push(word);
        rest = &rest[start + 1 + used..];
    }
    words
}

/// The bytes up to the closing quote, and how many bytes of input they took, that quote included.
fn unquote(input: &[u8]) -> (Vec<u8>, usize) {
    let mut out = Vec::new();
    let mut at = 0;
    while at < input.len() {
        match input[at] {
            b'"' => return (out, at + 1),
            b'\\' => {
                let (byte, used) = escaped(&input[at + 1..]);
                out.push(byte);
                at += 1 + used;
            }
            byte => {
                out.push(byte);
                at += 1;
            }
        }
    }
    (out, at)
}

/// What follows a backslash: the byte that is meant, and how many bytes spell it.
fn escaped(input: &[u8]) -> (u8, usize) {
    match input.first() {
        Some(b'n') => (b'\n', 1),
        Some(b'r') => (b'\r', 1),
        Some(b't') => (b'\t', 1),
        Some(b'a') => (0x07, 1),
        Some(b'b') => (0x08, 1),
        Some(b'x') => {
            let digits = input.get(1..3).and_then(|hex| std::str::from_utf8(hex).ok());
            (digits.and_then(|hex| u8::from_str_radix(hex, 16).ok()).unwrap_or(b'?'), 3)
        }
        Some(other) => (*other, 1),
        None => (b'\\', 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_and_a_script_are_told_apart() {
        let line = parse(br#"+1.5 [0 127.0.0.1:4] "SET" "a" "b c""#).unwrap();
        assert_eq!(line.source, Source::Client("127.0.0.1:4".to_owned()));
        assert_eq!(line.words, [b"SET".to_vec(), b"a".to_vec(), b"b c".to_vec()]);
        assert_eq!(parse(br#"+1.5 [0 lua] "GET" "a""#).unwrap().source, Source::Script);
        assert_eq!(parse(b"+OK"), None);
    }

    #[test]
    fn quoting_is_undone() {
        let line = parse(br#"+1.5 [0 lua] "SET" "q\"\\\x00\n" "[]" """#).unwrap();
        assert_eq!(line.words[1..], [b"q\"\\\0\n".to_vec(), b"[]".to_vec(), Vec::new()]);
    }
}
