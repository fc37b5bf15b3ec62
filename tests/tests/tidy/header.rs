//! The header of a script: what it promises, in the order of the house style.

/// The labels of a header, in order. What comes before the first is the sentence that says what the script does.
pub const LABELS: [&str; 6] = ["Race", "KEYS", "ARGV", "Reply", "Codes", "Keeps"];

/// A header, read.
#[derive(Debug)]
pub struct Header {
    /// What stands after `#!lua`, if there is such a line.
    pub flags: Option<String>,
    /// What the script does.
    pub sentence: String,
    fields: [String; 6],
    /// The first line after the header, from 0.
    pub ends_at: usize,
}

impl Header {
    /// Reads the header of a script.
    ///
    /// # Panics
    /// With the label that is missing, or not in its place.
    pub fn of(name: &str, source: &str) -> Header {
        let shebang = source.lines().next().and_then(|line| line.strip_prefix("#!lua"));
        let flags = shebang.map(str::trim).filter(|flags| !flags.is_empty()).map(str::to_owned);
        let first = usize::from(shebang.is_some());
        let comments = source.lines().skip(first).map_while(|line| line.strip_prefix("--")).map(str::trim);
        let ends_at = first + comments.clone().count();

        let (mut parts, mut labels) = (vec![Vec::new()], LABELS.iter());
        let mut next = labels.next();
        for line in comments {
            if let Some(label) = next
                && let Some(rest) = line.strip_prefix(*label).and_then(|rest| rest.strip_prefix(": "))
            {
                parts.push(vec![rest]);
                next = labels.next();
            } else if line.is_empty() && parts.len() > LABELS.len() {
                break;
            } else if !line.is_empty() {
                parts.last_mut().unwrap().push(line);
            }
        }
        assert_eq!(next, None, "{name}.lua: the header has no {next:?}, or has it in the wrong place");
        let mut texts = parts.into_iter().map(|lines| lines.join(" "));
        let sentence = texts.next().unwrap();
        Header { flags, sentence, fields: std::array::from_fn(|_| texts.next().unwrap()), ends_at }
    }

    /// What stands under a label.
    pub fn field(&self, label: &str) -> &str {
        let index = LABELS.iter().position(|other| *other == label).unwrap();
        &self.fields[index]
    }
}

/// A signature without the parentheses, which are for people.
pub fn without_notes(text: &str) -> String {
    let mut depth = 0;
    let mut kept = String::new();
    for letter in text.chars() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            letter if depth == 0 => kept.push(letter),
            _ => {}
        }
    }
    kept.replace(" ,", ",").trim().to_owned()
}

/// The names of a signature that stand for one key or argument each, and whether more follow: `seat...`.
pub fn fixed_names(signature: &str) -> (Vec<&str>, bool) {
    let names: Vec<&str> = signature.split(", ").filter(|name| !name.is_empty()).collect();
    let fixed: Vec<&str> = names.iter().copied().take_while(|name| !name.ends_with("...")).collect();
    let open = fixed.len() < names.len();
    (fixed, open)
}
