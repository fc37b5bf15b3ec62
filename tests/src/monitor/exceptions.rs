//! What the monitor lets pass, each with its reason. The shorter these tables, the better.

use super::coverage::Ending;

/// Faults that are none: part of the message, and why.
pub const FAULTS: &[(&str, &str)] = &[];

/// Endings that a script cannot reach: the script, the ending, and why.
pub const ENDINGS: &[(&str, Ending, &str)] =
    &[("hold_status", Ending::Granted, "it only reads"), ("stock_status", Ending::Granted, "it only reads")];

/// Whether a fault is let pass.
pub fn is_excepted(fault: &str) -> bool {
    FAULTS.iter().any(|(part, _why)| fault.contains(part))
}

/// Whether a script needs not be seen to end so.
pub fn is_unreachable(script: &str, ending: Ending) -> bool {
    ENDINGS.iter().any(|(name, unreachable, _why)| *name == script && *unreachable == ending)
}
