//! Each script of `lua/` against its Rust wrapper: a header cannot drift, and the house rules for Lua are kept.

use std::collections::BTreeSet;

use holdfast::adapters::redis::codes::Code;
use holdfast::adapters::redis::scripts::{self, Script};

use crate::header::{Header, fixed_names, without_notes};
use crate::tree::{code_lines, names_in, read};

/// The scripts that a full Redis must still run: they free memory, settle what is decided, move what was gathered, bring
/// it back in step, or only read.
const MUST_RUN_WHEN_FULL: [&str; 15] = [
    "compare",
    "expire",
    "free",
    "hold_status",
    "load_finish",
    "mark",
    "pin",
    "pinned",
    "read_events",
    "recount",
    "release",
    "scan",
    "stock_status",
    "survey",
    "unload",
];

/// Every script with its file.
fn all() -> Vec<(&'static Script, String)> {
    scripts::all().into_iter().map(|script| (script, read(&format!("lua/{}.lua", script.name)))).collect()
}

#[test]
fn every_file_has_a_wrapper() {
    let mut wrapped: Vec<String> = scripts::all().iter().map(|script| format!("{}.lua", script.name)).collect();
    wrapped.sort();
    assert_eq!(names_in("lua", false), wrapped);
}

#[test]
fn headers_say_what_the_wrappers_say() {
    for (script, source) in all() {
        let (name, header) = (script.name, Header::of(script.name, &source));
        assert_eq!(without_notes(header.field("KEYS")), script.keys, "{name}.lua: KEYS");
        assert_eq!(without_notes(header.field("ARGV")), script.args, "{name}.lua: ARGV");
        let codes: Vec<&str> = script.codes.iter().map(|code| code.name()).collect();
        assert_eq!(header.field("Codes"), codes.join(", "), "{name}.lua: Codes");
    }
}

#[test]
fn headers_are_whole() {
    for (script, source) in all() {
        let (name, header) = (script.name, Header::of(script.name, &source));
        let one_sentence = header.sentence.ends_with('.') && !header.sentence.contains(". ");
        assert!(one_sentence, "{name}.lua: {:?} is not one sentence", header.sentence);
        assert!(header.field("Race").ends_with('.'), "{name}.lua: {:?} is no sentence", header.field("Race"));
        assert!(!script.keys.is_empty(), "{name}.lua has no key, so no slot");
        let invariants = header.field("Keeps").split(", ").map(|id| id.strip_prefix("INV-")?.parse::<u8>().ok());
        let invariants: Option<Vec<u8>> = invariants.collect();
        let in_order = invariants.is_some_and(|ids| ids.is_sorted() && ids.iter().all(|id| (1..=12).contains(id)));
        assert!(in_order, "{name}.lua: {:?} is no list of invariants", header.field("Keeps"));
    }
}

#[test]
fn only_what_must_run_when_redis_is_full_says_so() {
    for (script, source) in all() {
        let wanted = MUST_RUN_WHEN_FULL.contains(&script.name).then(|| "flags=allow-oom".to_owned());
        assert_eq!(Header::of(script.name, &source).flags, wanted, "{}.lua", script.name);
        // With this line the server refuses the script before it begins, on a replica and when it is full.
        assert!(source.starts_with("#!lua"), "{}.lua", script.name);
    }
}

#[test]
fn a_code_has_one_name_and_is_never_reused() {
    let numbers: BTreeSet<i64> = Code::TABLE.iter().map(|(code, _)| *code as i64).collect();
    let names: BTreeSet<&str> = Code::TABLE.iter().map(|(_, name)| *name).collect();
    assert_eq!((numbers.len(), names.len()), (Code::TABLE.len(), Code::TABLE.len()));
    let used: BTreeSet<&str> = scripts::all().iter().flat_map(|script| script.codes).map(|code| code.name()).collect();
    assert_eq!(used, names, "codes of scripts, and of the table");
}

#[test]
fn scripts_answer_the_codes_that_they_name() {
    for (script, source) in all() {
        let mut answered: BTreeSet<&str> = replies(&source).iter().flat_map(|reply| codes_of(reply)).collect();
        // It answers what is left in place of OK.
        if script.name == "stock_decrement" {
            answered.insert(Code::Ok.name());
        }
        let named: BTreeSet<&str> = script.codes.iter().map(|code| code.name()).collect();
        assert_eq!(answered, named, "{}.lua", script.name);
    }
}

#[test]
fn replies_have_the_length_that_the_header_names() {
    for (script, source) in all() {
        let reply = without_notes(Header::of(script.name, &source).field("Reply"));
        let fields = reply.split(", ").count();
        assert!(reply.starts_with("code"), "{}.lua: a reply begins with its code", script.name);
        assert_eq!(script.reply.join(", "), reply, "{}.lua: the names that the log uses", script.name);
        for literal in replies(&source) {
            assert_eq!(parts(&literal).len(), fields, "{}.lua: {{{literal}}} is not {reply:?}", script.name);
        }
    }
}

/// The tables that a script answers: what stands in the braces after `return`, or in the call of a function that
/// returns it.
fn replies(source: &str) -> Vec<String> {
    let code = code_lines(source, "--").map(|(_, line)| line).collect::<Vec<_>>().join("\n");
    let starts = ["return {", "closing_or({"].into_iter().flat_map(|start| {
        code.match_indices(start).map(|(at, found)| at + found.len()).collect::<Vec<_>>().into_iter()
    });
    starts.map(|start| inside(&code[start..]).to_owned()).collect()
}

/// What stands before the brace that closes an open one.
fn inside(code: &str) -> &str {
    let mut depth = 1;
    let end = code.find(|letter| {
        depth += i32::from(letter == '{') - i32::from(letter == '}');
        depth == 0
    });
    &code[..end.expect("a brace is closed")]
}

/// The parts of a list, by the commas that are in no parentheses, braces or brackets.
fn parts(list: &str) -> Vec<&str> {
    let (mut depth, mut quoted) = (0, false);
    let parts = list.split(|letter| {
        match letter {
            '\'' => quoted = !quoted,
            '(' | '{' | '[' if !quoted => depth += 1,
            ')' | '}' | ']' if !quoted => depth -= 1,
            _ => {}
        }
        letter == ',' && depth == 0 && !quoted
    });
    parts.map(str::trim).collect()
}

/// The code of a reply that is a number in the source.
/// The codes that a reply may begin with: one, or those of an `and … or …`.
fn codes_of(reply: &str) -> Vec<&'static str> {
    let first = parts(reply)[0].to_owned();
    let numbers = first.split_ascii_whitespace().filter_map(|word| word.parse().ok());
    let code = |number| Code::of(number).unwrap_or_else(|| panic!("{{{reply}}} has a code that is in no table"));
    numbers.map(|number| code(number).name()).collect()
}

#[test]
fn scripts_never_swallow_an_error() {
    let lib = names_in("lua/lib", false).into_iter().map(|name| read(&format!("lua/lib/{name}")));
    for source in all().into_iter().map(|(_, source)| source).chain(lib) {
        assert!(!source.contains("pcall"), "{source}");
    }
}

/// The lines between the header and the first command: where every key and argument gets its name.
struct Locals {
    lines: String,
    rest: String,
}

impl Locals {
    fn of(name: &str, source: &str) -> Locals {
        let body: Vec<&str> = source.lines().skip(Header::of(name, source).ends_at).collect();
        let ends = |line: &&str| line.contains("redis.call") || line.contains("clock()") || **line == *"-- Check pass.";
        let end = body.iter().position(ends).unwrap_or(body.len());
        Locals { lines: body[..end].join("\n"), rest: body[end..].join("\n") }
    }

    /// Name and value of each local: `local a, b = KEYS[1], tonumber(ARGV[2])` gives two.
    fn assigned(&self) -> Vec<(&str, &str)> {
        let statements = self.lines.split("local ").filter_map(|statement| statement.split_once('='));
        statements.flat_map(|(names, values)| names.split(',').map(str::trim).zip(parts(values))).collect()
    }
}

#[test]
fn first_of_all_a_script_names_what_it_is_given() {
    for (script, source) in all() {
        let locals = Locals::of(script.name, &source);
        for (array, signature) in [("KEYS", script.keys), ("ARGV", script.args)] {
            // Whoever takes all of them at once need not tell them apart.
            if array == "KEYS" && locals.rest.contains("unpack(KEYS)") {
                continue;
            }
            let (fixed, open) = fixed_names(signature);
            for (index, given) in (1..).zip(&fixed) {
                check_local(script.name, &locals, array, index, given);
            }
            if open {
                let first = (fixed.len() + 1).to_string();
                assert!(is_first(&locals, array, &first), "{}.lua: no FIRST_ of the rest of {array}", script.name);
            }
            let raw = (0..=9).find(|digit| locals.rest.contains(&format!("{array}[{digit}")));
            assert_eq!(raw, None, "{}.lua reads {array} by number after the first lines", script.name);
        }
    }
}

/// Whether a `FIRST_` of KEYS or of ARGV has this value. Those of KEYS are called after keys or locks.
fn is_first(locals: &Locals, array: &str, value: &str) -> bool {
    firsts(locals, array).contains(&value)
}

fn firsts<'a>(locals: &'a Locals, array: &str) -> Vec<&'a str> {
    let of_keys = |name: &str| name.contains("KEY") || name.contains("LOCK");
    let firsts = locals.assigned().into_iter().filter(|(name, _)| name.starts_with("FIRST_"));
    firsts.filter(|(name, _)| of_keys(name) == (array == "KEYS")).map(|(_, value)| value).collect()
}

fn check_local(script: &str, locals: &Locals, array: &str, index: usize, given: &str) {
    let (raw, number) = (format!("{array}[{index}]"), format!("tonumber({array}[{index}])"));
    let (flag, assigned) = (format!("{raw} == '1'"), locals.assigned());
    let Some((name, value)) = assigned.iter().find(|(_, value)| [&raw, &number, &flag].contains(&&(*value).to_owned()))
    else {
        // The library counts the keys of places on from the first of them.
        let from = firsts(locals, array).into_iter().filter_map(|first| first.parse::<usize>().ok()).min();
        let by_first = from.is_some_and(|first| if array == "KEYS" { first <= index } else { first == index });
        assert!(by_first, "{script}.lua does not name {raw}, {given:?}");
        return;
    };
    if array == "KEYS" {
        assert!(name.ends_with("_key"), "{script}.lua: {name} is a key by another name");
        return;
    }
    assert_eq!(*name, given, "{script}.lua: {raw} is called otherwise in the header");
    let is_number = ["_ms", "count", "version", "quantity", "step", "capacity"].iter().any(|end| given.ends_with(end));
    assert!(!is_number || *value == number, "{script}.lua: {given} is a number and stays a text");
}
