//! The house: src/lib.rs lists the folders in an order. A module uses only what is above it in the list, or
//! its own folder, and no folder has a circle. Only `clock` reads the time, only `env` the environment, and only
//! `system` names a system. What CI counts beside the tests fails when it must.

use crate::bad_input::skipped;
use crate::home::{Home, binary};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The folders in the order of src/lib.rs.
fn order() -> Vec<String> {
    let text = std::fs::read_to_string(root().join("src/lib.rs")).unwrap();
    let modules = text.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
    modules.map(str::to_owned).collect()
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

/// The modules right below a folder of src, "" for src itself, with their files.
fn modules(folder: &str) -> BTreeMap<String, Vec<PathBuf>> {
    let mut found: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    let folder = root().join("src").join(folder);
    for path in files(&folder) {
        let first = path.strip_prefix(&folder).unwrap().iter().next().unwrap().to_string_lossy().into_owned();
        let module = first.trim_end_matches(".rs").to_owned();
        if !["lib", "mod", "tests"].contains(&module.as_str()) {
            found.entry(module).or_default().push(path);
        }
    }
    found
}

/// What the modules right below a folder use of each other.
fn house(folder: &str) -> BTreeMap<String, BTreeSet<String>> {
    let modules = modules(folder);
    let own = if folder.is_empty() { "crate".to_owned() } else { format!("crate::{}", folder.replace('/', "::")) };
    let used = |(module, paths): (&String, &Vec<PathBuf>)| {
        let mut used = BTreeSet::new();
        for path in paths {
            let code = own_code(path);
            used.extend(uses(&code, &own));
            // A module's own file is one step below the folder, the files in its folder two.
            let own_file = path.ends_with(format!("{module}.rs")) || path.ends_with(format!("{module}/mod.rs"));
            used.extend(uses(&code, if own_file { "super" } else { "super::super" }));
        }
        used.retain(|other| other != module && modules.contains_key(other));
        (module.clone(), used)
    };
    modules.iter().map(used).collect()
}

#[test]
fn a_module_uses_only_what_is_above_it_in_the_list() {
    let (order, house) = (order(), house(""));
    let listed: BTreeSet<&String> = order.iter().collect();
    assert_eq!(listed, house.keys().collect());
    let place = |module: &str| order.iter().position(|other| other == module);
    for (module, used) in &house {
        for other in used {
            assert!(place(other) < place(module), "{module} uses {other}, which is below it in src/lib.rs");
        }
    }
}

#[test]
fn no_folder_has_a_circle() {
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        let below = modules(&folder);
        let is_folder = |module: &&String| root().join("src").join(&folder).join(module).is_dir();
        folders.extend(
            below.keys().filter(is_folder).map(|module| format!("{folder}/{module}").trim_matches('/').to_owned()),
        );
        let mut house = house(&folder);
        // Takes away what uses nothing that is left, until nothing is left.
        while !house.is_empty() {
            let left: BTreeSet<String> = house.keys().cloned().collect();
            house.retain(|_, used| used.iter().any(|other| left.contains(other)));
            assert!(house.len() < left.len(), "a circle in src/{folder}: {house:?}");
        }
    }
}

#[test]
fn a_command_uses_one_tool_and_a_main_one_command() {
    for path in files(&root().join("src/commands")) {
        let used = uses(&code(&path), "crate::tool");
        assert!(used.len() <= 1, "{} uses {used:?}", path.display());
        let is_own = path.ends_with("front.rs") || path.ends_with("completions.rs");
        assert!(is_own || code(&path).lines().count() < 110, "{} is long for a command", path.display());
    }
    for path in files(&root().join("bin")) {
        assert!(code(&path).lines().count() <= 5, "{} is long for a main", path.display());
    }
}

#[test]
fn time_environment_and_system_have_one_door_each() {
    let doors = [
        ("Timestamp::now", "clock.rs"),
        ("Instant::now", "clock.rs"),
        ("SystemTime::now", "clock.rs"),
        ("thread::sleep", "clock.rs"),
        ("std::env", "env.rs"),
        ("target_os", "base/system/mod.rs"),
        ("\"/proc", "base/system/linux.rs"),
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
            "base/file/write.rs",           // a torn line is moved, lines are taken out
            "queue/mod.rs",                 // tasks, states, .since
            "store/newest.rs",              // the path of a page
            "store/episodes.rs",            // lines of others, which stay as they are, and ours, which are masked
            "store/briefing.rs",            // a person's sections, ours, which are masked, and hashes
            "tool/prune/remove.rs",         // lines of a list that is there
            "store/archive.rs",             // a copy of a file that is there
            "store/change/receipt.rs",      // names, hashes, and texts that were masked when they were planned
            "store/change/mod.rs",          // the same texts, and the copies that come back
            "store/learnings/deprecate.rs", // a learning that is there, with keys of ours, which are masked
            "store/memories/index.rs",      // lines of others, which stay as they are
            "store/move_memory/files.rs",   // files that are moved, or copied, as they are
            "store/move_memory/mod.rs",     // lines of two journals, as they are
            "store/move_memory/receipt.rs", // paths, times and a number
            "tool/distill/steps.rs",        // .asked: times, sizes, hashes
            "tool/context/warning.rs",      // .told: a day and a hash
            "store/ledger.rs",              // numbers; a program's words were masked when they became a result
            "tool/report/mod.rs",           // a page of texts that are masked one by one
            "tool/setup/edit.rs",           // the user's own settings
            "tool/setup/mod.rs",            // what they were, given back
        ],
    ),
    ("Masked::sealed", &["redact/masking.rs"]),
    (
        "replace_with",
        &[
            "base/file/mod.rs",
            "base/file/write.rs",
            "tool/export/mod.rs",
            "tool/export/page_file.rs",
            "store/move_memory/files.rs", // what is masked, with the time of its content
            "store/plan.rs",              // the client's lock, empty, with its time
        ],
    ),
    (
        "Target::named",
        &[
            "tool/distill/steps.rs", "tool/export/mod.rs", "model.rs",        // the answer, beside the output
            "base/process.rs", // lh-detach --lock
            "tool/setup/edit.rs", "tool/setup/mod.rs", "tool/redact.rs", // lh-redact --fix
            "tool/report/mod.rs",
        ],
    ),
    ("create_folder", &["base/file/mod.rs", "tool/setup/edit.rs", "tool/setup/mod.rs"]),
    // Memories are compared with a prompt, and items with a path, without what is private in them; nothing of that is written.
    (
        "without_private",
        &["redact/mod.rs", "redact/private.rs", "redact/masking.rs", "tool/select/mod.rs", "tool/select/at_tool.rs"],
    ),
    (".redact(", &["redact/masking.rs"]),
    (".redact_bytes(", &["redact/mod.rs", "redact/masking.rs", "commands/redact.rs"]),
    ("OpenOptions", &["base/log.rs", "model.rs"]),
    ("File::options", &["model.rs", "tool/doctor/trip.rs"]),
    ("File::create", &[]),
    ("fs::write", &["tool/doctor/trip.rs"]), // in a home that is thrown away
    ("fs::copy", &[]),
    ("fs::rename", &["base/log.rs"]),
    ("fs::hard_link", &[]),
    ("fs::remove", &["base/file/write.rs", "queue/drain.rs"]),
    ("fs::symlink", &[]),
    ("create_dir", &["tool/doctor/trip.rs"]),
    ("DirBuilder::", &["base/file/mod.rs", "base/log.rs"]),
    ("tempfile_in", &["model.rs"]),
    ("tempdir", &["base/file/mod.rs"]),
    // What is kept on disk is not made of what may change with each release of Rust, nor of a number that
    // does not change with a build.
    ("DefaultHasher", &[]),
    ("RandomState", &[]),
    ("CARGO_PKG_VERSION", &["base/cli.rs", "tool/doctor/install.rs"]),
    ("SpooledTempFile::", &["tool/export/mod.rs", "base/stream.rs"]),
];

/// The code of a file without its comments and its tests.
fn own_code(path: &Path) -> String {
    let code = code(path);
    // Clippy lets nothing come behind the tests.
    code.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().to_owned()
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

/// What only src/agent knows of Claude Code: its paths, variables, tools, wrappers, settings, hook events and
/// the fields of its records and payloads. The bare word "claude" also names the engine.
const OF_CLAUDE_CODE: &[&str] = &[
    ".claude", "CLAUDE_", "CLAUDECODE", "projects/", "\"projects\"", "settings.json", "disableAllHooks", "\"Bash\"",
    "\"Edit\"", "MultiEdit", "NotebookEdit", "\"Read\"", "\"Write\"", "TodoWrite", "TaskCreate", "TaskUpdate",
    "AskUserQuestion", "ExitPlanMode", "system-reminder", "command-name", "command-message", "local-command",
    "task-notification", "<bash-", "tool_use_error", "The user doesn't want", "SessionStart", "SessionEnd",
    "PreCompact", "UserPromptSubmit", "\"Stop\"", "hook_event_name", "hookSpecificOutput", "additionalContext",
    "systemMessage", "parentUuid", "sessionId", "isMeta", "isSidechain", "toolUseResult",
];

/// Who else may name which of these: the claude engine, the names of the variables, and the scripts
/// that hooks and people start, since a shell cannot ask src/agent.
const MAY_NAME: &[(&str, &[&str])] = &[
    ("src/model.rs", &["CLAUDE_", "disableAllHooks"]),
    ("src/base/env.rs", &[".claude", "CLAUDE_", "CLAUDECODE"]),
    (
        "scripts/",
        &[".claude", "CLAUDE_", "SessionEnd", "hook_event_name", "projects/", "settings.json", "systemMessage"],
    ),
];

#[test]
fn only_the_folder_of_an_agent_knows_the_agent() {
    let mut named = BTreeSet::new();
    let mut paths = [files(&root().join("src")), files(&root().join("bin"))].concat();
    paths.retain(|path| !path.ends_with("tests.rs") && !path.starts_with(root().join("src/agent")));
    let scripts = std::fs::read_dir(root().join("scripts")).unwrap().map(|entry| entry.unwrap().path());
    paths.extend(scripts.filter(|path| path.is_file()));
    for path in paths {
        let name = path.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
        let code = own_code(&path);
        let code: String = code.lines().filter(|line| !line.trim_start().starts_with("# ")).collect();
        let words = OF_CLAUDE_CODE.iter().filter(|word| code.contains(**word));
        named.extend(words.map(|word| (name.clone(), *word)));
    }
    let may =
        |name: &str, word: &str| MAY_NAME.iter().any(|(who, words)| name.starts_with(who) && words.contains(&word));
    let strange: Vec<_> = named.iter().filter(|(name, word)| !may(name, word)).collect();
    assert_eq!(strange, Vec::<&(String, &str)>::new(), "ask src/agent for it");
    let is_used = |who: &str, word: &str| named.iter().any(|(name, named)| name.starts_with(who) && *named == word);
    let stale = MAY_NAME.iter().flat_map(|(who, words)| words.iter().map(move |word| (*who, *word)));
    assert_eq!(stale.filter(|(who, word)| !is_used(who, word)).collect::<Vec<_>>(), []);
}

#[test]
fn tools_whose_output_is_stored_print_only_what_is_masked() {
    for tool in
        ["lh-distill", "lh-export", "lh-summarize", "lh-persist", "lh-context", "lh-episode", "lh-import", "lh-report"]
    {
        let code = own_code(&root().join("src/commands").join(&tool["lh-".len()..]).with_extension("rs"));
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

#[test]
fn the_guard_fails_on_more_instructions_than_its_file_has() {
    let home = Home::new();
    let guard = |lines: &str| {
        let counts = home.write("counts.tsv", lines);
        let mut guard = home.run(Path::new("/usr/bin/env"));
        guard.env("PATH", std::env::var_os("PATH").unwrap()).arg("python3").arg(root().join("scripts/dev/guard"));
        guard.arg(counts).arg(binary("lh").parent().unwrap()).output().unwrap()
    };
    let asked = guard("gate of the queue\t1\n");
    let said = String::from_utf8_lossy(&asked.stdout).into_owned();
    let Some(count) = said.strip_prefix("gate of the queue").and_then(|said| said.split_whitespace().next()) else {
        assert!(said.starts_with("skipped: ") || asked.status.code() == Some(127), "{asked:?}");
        return skipped("there is no valgrind, or no python3");
    };
    assert_eq!(asked.status.code(), Some(1), "{said}");
    let count: u64 = count.replace(',', "").parse().unwrap();
    let doubled = guard(&format!("gate of the queue\t{}\n", count / 2));
    assert_eq!(doubled.status.code(), Some(1), "{doubled:?}");
    assert!(String::from_utf8_lossy(&doubled.stdout).contains("too many"), "{doubled:?}");
    assert!(String::from_utf8_lossy(&doubled.stderr).contains("scripts/dev/guard --write"), "{doubled:?}");
    assert_eq!(guard(&format!("gate of the queue\t{count}\n")).status.code(), Some(0));
    let another = guard(&format!("# another compiler\ngate of the queue\t{}\n", count / 2));
    assert!(another.status.success() && another.stdout.starts_with(b"skipped: "), "{another:?}");
}
