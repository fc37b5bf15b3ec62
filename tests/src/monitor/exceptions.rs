//! What the monitor lets pass, each with its reason. The shorter these tables, the better.

use super::coverage::Ending;

/// Faults that are none: part of the message, and why.
pub const FAULTS: &[(&str, &str)] = &[];

/// Endings that a script cannot reach: the script, the ending, and why.
pub const ENDINGS: &[(&str, Ending, &str)] = &[
    ("compare", Ending::Granted, READS),
    ("hold_status", Ending::Granted, READS),
    ("pinned", Ending::Granted, READS),
    ("read_events", Ending::Granted, READS),
    ("scan", Ending::Granted, READS),
    ("stock_status", Ending::Granted, READS),
    ("survey", Ending::Granted, READS),
];

const READS: &str = "it only reads";

/// Whether a fault is let pass.
pub fn is_excepted(fault: &str) -> bool {
    FAULTS.iter().any(|(part, _why)| fault.contains(part))
}

/// Whether a script needs not be seen to end so.
pub fn is_unreachable(script: &str, ending: Ending) -> bool {
    ENDINGS.iter().any(|(name, unreachable, _why)| *name == script && *unreachable == ending)
}
