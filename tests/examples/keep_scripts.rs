//! Keeps the scripts of this release, for the tests of the next one: see `tests/previous/README.md`.

use std::fs;
use std::path::Path;

use holdfast::adapters::redis::scripts;
use holdfast_tests::previous::{folder, mark, path, scripts_in};

fn main() -> std::io::Result<()> {
    fs::remove_dir_all(folder().join("lib"))?;
    for (script, _) in scripts_in(&folder()) {
        fs::remove_file(folder().join(script))?;
    }
    fs::create_dir(folder().join("lib"))?;
    let libraries = scripts_in(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../lua/lib")));
    for (library, text) in &libraries {
        fs::write(folder().join("lib").join(library), text)?;
    }
    for script in scripts::all() {
        let kept = libraries.iter().fold(script.source.clone(), |kept, (name, text)| kept.replace(text, &mark(name)));
        fs::write(path(script.name), kept)?;
    }
    Ok(())
}
