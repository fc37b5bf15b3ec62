//! Package = folder = binary = events folder, and the logical id in the template is the same in PascalCase with
//! `Function` behind it.

use crate::template::{functions, logical_id};
use crate::tree::{names_in, read};

#[test]
fn a_package_is_called_like_its_folder() {
    for folder in names_in("functions", true) {
        let manifest = read(&format!("functions/{folder}/Cargo.toml"));
        assert!(manifest.contains(&format!("[package]\nname = \"{folder}\"\n")), "the package of functions/{folder}");
        assert!(manifest.contains(&format!("[[bin]]\nname = \"{folder}\"\n")), "the binary of functions/{folder}");
        let library = read(&format!("functions/{folder}/src/lib.rs"));
        let names = ["new", "of_events"].map(|kind| format!("Function::{kind}(\"{folder}\""));
        assert!(names.iter().any(|name| library.contains(name)), "functions/{folder} logs as another");
        let main = read(&format!("functions/{folder}/src/main.rs"));
        let wired = format!("run({}::function)", folder.replace('-', "_"));
        assert!(main.contains(&wired), "the main of functions/{folder} runs another function");
    }
}

#[test]
fn the_template_has_every_function_and_no_other() {
    let template = functions();
    let mut wanted: Vec<String> = names_in("functions", true).iter().map(|name| logical_id(name)).collect();
    wanted.sort();
    assert_eq!(Vec::from_iter(template.keys().cloned()), wanted);
    for folder in names_in("functions", true) {
        let function = &template[&logical_id(&folder)];
        assert_eq!(function.metadata["BuildProperties"]["Binary"], folder.as_str(), "the binary of {folder}");
        assert_eq!(function.metadata["BuildMethod"], "rust-cargolambda", "the build of {folder}");
        assert_eq!(function.properties["CodeUri"], ".", "the code of {folder}");
    }
}

#[test]
fn every_function_has_events() {
    assert_eq!(names_in("events", true), names_in("functions", true));
    for folder in names_in("events", true) {
        let files = names_in(&format!("events/{folder}"), false);
        assert!(files.iter().any(|file| !file.ends_with(".expected.json")), "events/{folder} has no event");
        let others: Vec<_> = files.iter().filter(|file| !file.ends_with(".json")).collect();
        assert!(others.is_empty(), "events/{folder} has {others:?}");
    }
}
