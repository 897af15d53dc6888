//! The floors: a module uses only floors below its own, and on its own floor makes no circle. Only
//! `clock` reads the time, only `place` the environment.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const FLOORS: &[&[&str]] = &[
    &["exit"],
    &["cli", "clock", "flawed", "injected", "log", "place", "record", "sum", "text"],
    &["claim", "config", "file", "front", "git", "process", "redact", "stream"],
    &["lesson", "message", "session", "task"],
    &["extract", "knowledge", "ledger", "memory", "model", "project", "queue", "rank", "transcript", "trouble"],
    &["context", "distill", "doctor", "export", "find", "gate", "persist", "setup", "summary", "sweep"],
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn floor(module: &str) -> Option<usize> {
    FLOORS.iter().position(|modules| modules.contains(&module))
}

/// All Rust files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    found
}

/// The code of a file without its comments.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// The modules that a text names behind `krate::`, groups in braces included.
fn uses(text: &str, krate: &str) -> BTreeSet<String> {
    let word = |text: &str| text.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut found = BTreeSet::new();
    for behind in text.split(&format!("{krate}::")).skip(1) {
        match behind.strip_prefix('{') {
            Some(group) => {
                let mut depth = 1_i32;
                let mut name = String::new();
                for letter in group.chars() {
                    depth += i32::from(letter == '{') - i32::from(letter == '}');
                    if depth == 1 && letter != ',' {
                        name.push(letter);
                    } else if depth <= 1 {
                        found.insert(word(&name));
                        name.clear();
                    }
                    if depth == 0 {
                        break;
                    }
                }
            }
            None => {
                found.insert(word(behind));
            }
        }
    }
    found.retain(|name| name.chars().next().is_some_and(char::is_lowercase));
    found
}

/// What each module uses.
fn house() -> BTreeMap<String, BTreeSet<String>> {
    let src = root().join("src");
    let mut house: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in files(&src).into_iter().filter(|path| !path.ends_with("lib.rs")) {
        let first = path.strip_prefix(&src).unwrap().iter().next().unwrap().to_string_lossy().into_owned();
        let module = first.trim_end_matches(".rs").to_owned();
        house.entry(module).or_default().extend(uses(&code(&path), "crate"));
    }
    house
}

#[test]
fn every_module_stands_on_a_floor_and_every_floor_holds() {
    let house = house();
    let placed: BTreeSet<&str> = FLOORS.iter().flat_map(|modules| modules.iter().copied()).collect();
    let built: BTreeSet<&str> = house.keys().map(String::as_str).collect();
    assert_eq!(placed, built);
    for (module, used) in &house {
        for other in used.iter().filter(|other| *other != module) {
            assert!(floor(other).is_some(), "{module} uses {other}, which stands nowhere");
            assert!(floor(other) <= floor(module), "{module} uses {other}, which stands above it");
        }
    }
}

#[test]
fn no_floor_has_a_circle() {
    let mut house = house();
    // Takes away what uses nothing that is left, until nothing is left.
    while !house.is_empty() {
        let left: BTreeSet<String> = house.keys().cloned().collect();
        let free = |module: &String, used: &BTreeSet<String>| {
            used.iter().all(|other| other == module || !left.contains(other))
        };
        house.retain(|module, used| !free(module, used));
        assert!(house.len() < left.len(), "a circle among {left:?}");
    }
}

#[test]
fn a_main_uses_one_module_that_works() {
    for path in files(&root().join("bin")) {
        let used = uses(&code(&path), "lh");
        let working: Vec<&String> = used.iter().filter(|module| floor(module) >= Some(4)).collect();
        assert!(working.len() <= 1, "{} uses {working:?}", path.display());
        assert!(code(&path).lines().count() < 110, "{} is long for a main", path.display());
    }
}

#[test]
fn time_and_environment_have_one_door_each() {
    let doors = [
        ("Timestamp::now", "clock.rs"),
        ("Instant::now", "clock.rs"),
        ("SystemTime::now", "clock.rs"),
        ("thread::sleep", "clock.rs"),
        ("env::var", "place.rs"),
        ("env::current", "place.rs"),
        ("env::home", "place.rs"),
    ];
    for path in files(&root().join("src")).into_iter().chain(files(&root().join("bin"))) {
        for (call, door) in doors {
            assert!(path.ends_with(door) || !code(&path).contains(call), "{call} in {}", path.display());
        }
    }
}

/// Who may do what the compiler cannot judge: give content as it is, write what another function wrote, take
/// a path that its user named, and write files without `file`.
const MAY: &[(&str, &[&str])] = &[
    // Content that holds paths, ids, numbers and times alone, or what is masked or a person's own already.
    (
        "Masked::exact",
        &[
            "file/write.rs",      // a torn line is moved
            "queue/mod.rs",       // tasks, states, .since
            "memory/newest.rs",   // the path of a page
            "distill/staged.rs",  // .asked: times, sizes, hashes
            "context/warning.rs", // .told: a day and a hash
            "ledger.rs",          // numbers; a program's words were masked when they became a result
            "model.rs",           // the doctor's question
            "setup/mod.rs",       // the user's own settings
        ],
    ),
    ("replace_with", &["file/mod.rs", "file/write.rs", "export/body.rs", "export/mod.rs"]),
    (
        "Target::named",
        &[
            "distill/staged.rs",
            "export/mod.rs",
            "model.rs",   // the answer, beside the output
            "process.rs", // lh-detach --lock
            "setup/mod.rs",
            "sweep.rs", // lh-redact --fix
        ],
    ),
    ("create_folder", &["file/mod.rs", "file/target.rs", "file/write.rs", "setup/mod.rs"]),
    ("without_private", &["redact/mod.rs", "redact/private.rs", "redact/door.rs"]),
    (".redact(", &["redact/door.rs"]),
    (".redact_bytes(", &["redact/mod.rs", "redact/door.rs", "bin/lh-redact.rs"]),
    ("OpenOptions", &["file/read.rs", "file/write.rs", "log.rs", "model.rs"]),
    ("File::options", &["model.rs", "doctor/trip.rs"]),
    ("File::create", &[]),
    ("fs::write", &["doctor/trip.rs"]), // in a home that is thrown away
    ("fs::copy", &[]),
    ("fs::rename", &["file/write.rs", "log.rs"]),
    ("fs::hard_link", &[]),
    ("fs::remove", &["file/mod.rs", "file/write.rs", "queue/drain.rs"]),
    ("fs::symlink", &[]),
    ("create_dir", &["doctor/trip.rs"]),
    ("DirBuilder::", &["file/mod.rs", "log.rs"]),
    ("tempfile_in", &["file/write.rs", "model.rs"]),
    ("tempdir", &["file/mod.rs"]),
    // What is kept on disk is not made of what may change with each release of Rust, nor of a number that
    // does not change with a build.
    ("DefaultHasher", &[]),
    ("RandomState", &["transcript/tree.rs"]), // a table in memory
    ("CARGO_PKG_VERSION", &["cli.rs", "doctor/install.rs"]),
    ("SpooledTempFile::", &["export/body.rs", "export/mod.rs", "stream.rs"]),
];

/// The code of a file without its comments and its tests.
fn own_code(path: &Path) -> String {
    let code = code(path);
    code.split("#[cfg(test)]").next().unwrap_or_default().to_owned()
}

#[test]
fn what_is_written_goes_through_one_door() {
    let (src, bin) = (root().join("src"), root().join("bin"));
    let mut broken = Vec::new();
    let mut used: BTreeSet<(&str, &str)> = BTreeSet::new();
    let is_test = |path: &PathBuf| path.ends_with("tests.rs");
    for path in files(&src).into_iter().chain(files(&bin)).filter(|path| !is_test(path)) {
        let name = path.strip_prefix(&src).unwrap_or_else(|_| path.strip_prefix(root()).unwrap());
        let name = name.to_string_lossy().into_owned();
        let code = own_code(&path);
        for (call, who) in MAY.iter().filter(|(call, _)| code.contains(call)) {
            match who.iter().find(|who| **who == name) {
                Some(who) => _ = used.insert((call, who)),
                None => broken.push(format!("{call} in {name}")),
            }
        }
    }
    assert_eq!(broken, Vec::<String>::new(), "write with file:: and Masked, or say in MAY why not");
    // What is allowed and not done is taken out, so that it is not done one day unseen.
    let stale = MAY.iter().flat_map(|(call, who)| who.iter().map(move |who| (*call, *who)));
    let stale: Vec<_> = stale.filter(|entry| !used.contains(entry)).collect();
    assert_eq!(stale, []);
}

#[test]
fn tools_whose_output_is_stored_print_only_what_is_masked() {
    for tool in ["lh-distill", "lh-export", "lh-summarize", "lh-persist", "lh-context"] {
        let code = own_code(&root().join("bin").join(tool).with_extension("rs"));
        assert!(!code.contains(".bytes(") && code.contains("out.masked("), "{tool}");
        // Outcomes are times, reasons and sizes.
        for line in code.lines().filter(|line| line.contains("out.record(")) {
            assert!(line.contains("&outcome") || line.contains("distill::failed"), "{tool}: {line}");
        }
    }
}

#[test]
fn the_reader_of_uses_sees_groups() {
    let found = uses("use crate::{a::{self, B}, c, d as e};\nuse crate::f::G; crate::h::i()", "crate");
    assert_eq!(found.into_iter().collect::<Vec<_>>(), ["a", "c", "d", "f", "h"]);
}
