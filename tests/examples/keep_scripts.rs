//! Keeps the scripts of this release, as they are sent, for the tests of the next one: see `tests/previous/README.md`.

use holdfast::adapters::redis::scripts;
use holdfast_tests::previous;

fn main() -> std::io::Result<()> {
    for script in scripts::all() {
        std::fs::write(previous::path(script.name), &script.source)?;
    }
    Ok(())
}
