//! What is on disk, as far as it must be the same with a fault and without one; and what must hold of
//! it at any instant.

use crate::flow::home::Home;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Files of the queue, the memory and the knowledge, by their names without the home: their text
/// without what depends on the time or on how often something was tried.
pub type State = BTreeMap<String, String>;

/// Keys whose values may differ.
const PASSING: &[&str] = &["timestamp=", "attempts=", "not_before=", "last_error=", "queued_at=", "written_at: "];

fn ends(name: &str, ending: &str) -> bool {
    name.strip_suffix(ending).is_some()
}

/// The files in a folder and below.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// All files of the queue, the memory and the knowledge.
pub fn kept(home: &Home) -> Vec<PathBuf> {
    let folders = [home.agent("queue"), home.agent("projects"), home.path("Documents")];
    let mut all: Vec<PathBuf> = folders.iter().flat_map(|folder| files(folder)).collect();
    all.extend(Some(home.agent("settings.json")).filter(|path| path.exists()));
    all.sort();
    all
}

/// The sizes of all files.
pub fn sizes(home: &Home) -> BTreeMap<PathBuf, u64> {
    files(&home.path("")).into_iter().filter_map(|path| Some((path.clone(), path.metadata().ok()?.len()))).collect()
}

/// The state of a home.
pub fn of(home: &Home) -> State {
    let root = home.path("").to_str().unwrap().trim_end_matches('/').to_owned();
    let slug = root.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let plain = |text: &str| text.replace(&root, "~").replace(&slug, "-");
    let with_text = |path: PathBuf| {
        let name = plain(path.to_str().unwrap());
        let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
        (timeless(&name), normal(&name, &plain(&text)))
    };
    // A memo that only says which page is about to be put in place remembers nothing yet.
    let announces = |(name, text): &(String, String)| name.contains("/.state/exports/") && text == "0 null";
    // A receipt has a line for each time that something was tried, and lh-prune's are as many as its runs.
    let tried = |path: &PathBuf| {
        let in_folder = |name: &str| path.parent().is_some_and(|folder| folder.ends_with(name));
        in_folder(".state/receipts") || in_folder(".archive/receipts") && path.to_str().unwrap().contains("-prune-")
    };
    kept(home).into_iter().filter(|path| !tried(path)).map(with_text).filter(|entry| !announces(entry)).collect()
}

/// A task's name begins with the second in which it was queued.
fn timeless(name: &str) -> String {
    match name.rsplit_once('/') {
        Some((folder, file)) if folder.contains("/queue") && file.contains(".task") => {
            format!("{folder}/{}", file.trim_start_matches(|c: char| c.is_ascii_digit()))
        }
        _ => name.to_owned(),
    }
}

fn normal(name: &str, text: &str) -> String {
    if name.contains("/.state/exports/") && ends(name, ".json") {
        // The page's own time is in it, and how far it can be read on from depends on the way.
        let memo: Value = serde_json::from_str(text).unwrap_or_default();
        return format!("{} {}", memo["size"], memo["page"]);
    }
    if name.ends_with("/.state/handoff") {
        // While the page is written there is a third line, the version before.
        let mut lines = text.lines();
        let (newest, state) = (lines.next().unwrap_or(""), lines.next().unwrap_or(""));
        let mut state: Value = serde_json::from_str(state).unwrap_or_default();
        // When a line was ticked is when the page was changed, and files have the machine's time.
        for closed in state["closed"].as_array_mut().into_iter().flatten().filter(|line| line["ticked"] == true) {
            closed["at"] = Value::Null;
        }
        return format!("{newest}\n{state}\n");
    }
    if name.ends_with("/.state/filed.json") {
        // What is about to be written is in it first.
        return text.replace(",\"pending\":true", "");
    }
    if name.ends_with("/queue/.since") {
        return "a time".to_owned();
    }
    let lines = text.split_inclusive('\n').filter(|line| !PASSING.iter().any(|key| line.starts_with(key)));
    lines.collect()
}

/// What cannot be read, in a home in which a fault has just struck. `torn` is when a line may be cut.
pub fn unreadable(home: &Home, torn: bool) -> Vec<String> {
    let mut all = kept(home);
    all.push(home.agent("logs/llm.jsonl"));
    let wrong = |path: PathBuf| {
        let text = fs::read_to_string(&path).ok()?;
        let what = judge(path.to_str().unwrap(), &text, torn)?;
        Some(format!("{}: {what}: {text:?}", path.display()))
    };
    all.into_iter().filter_map(wrong).collect()
}

/// What is wrong with a file's text.
fn judge(name: &str, text: &str, torn: bool) -> Option<&'static str> {
    // `NAME-20270413T123000Z` in an archive was NAME.
    let archived = name.rsplit_once('-').filter(|(_, time)| name.contains("/.archive/") && ends(time, "Z"));
    if let Some((name, _)) = archived {
        return judge(name, text, torn);
    }
    let file = name.rsplit('/').next().unwrap();
    let has =
        |keys: &[&str]| text.ends_with('\n') && keys.iter().all(|key| text.lines().any(|line| line.starts_with(key)));
    let front = |keys: &[&str]| text.starts_with("---\n") && text.matches("\n---\n").count() == 1 && has(keys);
    let is_json = |text: &str| serde_json::from_str::<Value>(text).is_ok_and(|value| value.is_object());
    match file {
        _ if is_aside(name) => None,
        "lock" | ".lock" | ".worker.lock" | ".seeded" | ".consolidate-lock" => {
            (!text.is_empty()).then_some("not empty")
        }
        ".since" | "handoff" => (!has(&["2026-04-13T"])).then_some("no time"),
        "handoff.md" => {
            let keys = ["session_id: ", "written_at: ", "source_mtime: ", "- "];
            (!front(&keys)).then_some("no whole handoff")
        }
        "INDEX.md" => (!has(&["# Session Memory Index"])).then_some("no whole menu"),
        "MEMORY.md" => (!has(&["- ["]) && text != "# Memory\n").then_some("no whole index"),
        "briefing.md" | "briefing.md.1" | "briefing.md.2" => (!has(&["## ", "- "])).then_some("no whole briefing"),
        "knowledge.toml" => (!has(&["[knowledge]", "memory = "])).then_some("no whole marker"),
        "points" => (!text.lines().all(|line| line.len() == 16)).then_some("no whole list"),
        _ if name.contains("/memory/") && ends(file, ".md") && front(&["name: ", "description: ", "type: "]) => None,
        "progress.md" => (!front(&["session_id: ", "source_mtime: ", "- Goal: "])).then_some("no whole progress"),
        _ if file == "pre-compact-summary.md" || name.contains("/.state/summaries/") => {
            let whole = text.starts_with("<!-- lh: {\"session_id\":") && text.matches(" -->\n").count() == 1;
            (!whole || !has(&["## ", "- "])).then_some("no whole summary")
        }
        _ if ends(file, ".jsonl") => {
            let (lines, rest) = text.rsplit_once('\n').unwrap_or(("", text));
            let bad = !lines.lines().all(|line| is_json(line) || torn) || !rest.is_empty() && !torn;
            bad.then_some("a torn line")
        }
        _ if name.contains("/learnings/_review-") => {
            (!has(&["# The week to ", "## Learnings that", "<!-- lh-review "])).then_some("no whole review")
        }
        _ if name.contains("/learnings/") => {
            (!front(&["title: ", "status: ", "## Learning", "## Context"])).then_some("no whole learning")
        }
        _ if name.contains("/sessions/") => {
            (!front(&["type: claude-session", "messages: ", "## User"])).then_some("no whole page")
        }
        _ if name.contains("/queue/state/") => {
            (!has(&["queued_at="]) && !has(&["outcome="])).then_some("no whole state")
        }
        _ if ends(file, ".task") => {
            (!has(&["cwd=", "session_jsonl=", "session_id=", "memory_dir=", "timestamp="])).then_some("no whole task")
        }
        _ if ends(file, ".json") || ends(file, ".distilled") => (!is_json(text)).then_some("no whole record"),
        _ if ends(file, ".asked") => (!has(&["asked_at=", "handoff_base="])).then_some("no whole question"),
        "torn" => None,
        // What a command writes there is whole when the command has ended.
        _ if name.contains("/queue/work/") => None,
        _ => Some("a file of that name"),
    }
}

/// What was lost, or replaced by half, by a fault between two states: everything that stood there
/// stands there or moved on in the queue, and what is replaced whole is the old or the new.
pub fn lost(before: &State, after: &State, now: &State) -> Vec<String> {
    let queued = |state: &State| state.keys().filter(|name| ends(name, ".task")).count();
    let mut lost = Vec::new();
    if queued(now) < queued(before).min(queued(after)) {
        lost.push("a task is gone".to_owned());
    }
    for (name, old) in before.iter().filter(|(name, _)| !name.contains("/queue/")) {
        if !now.contains_key(name) && after.contains_key(name) {
            lost.push(format!("{name} is gone, it was {old:?}"));
        }
    }
    // A receipt says how far a plan got.
    let goes_on = |name: &str| name.contains("/queue/") || name.contains("/.archive/receipts/");
    let whole = |name: &str| !goes_on(name) && !ends(name, ".jsonl") && !is_aside(name);
    // An index is begun before the first page of ours is there.
    let begun = |name: &str, text: &str| ends(name, "/MEMORY.md") && text == "# Memory\n" && !before.contains_key(name);
    for (name, text) in now.iter().filter(|(name, text)| whole(name) && !begun(name, text)) {
        if ![before, after].iter().any(|state| state.get(name) == Some(text)) {
            lost.push(format!("{name} is neither the old nor the new: {text:?}"));
        }
    }
    lost
}

/// What a killed writer wrote aside in a folder that is not swept at once.
fn is_aside(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap();
    file.starts_with(".lh-") && ends(file, ".tmp")
}

/// How two states at the end differ. `torn` is when a cut line stays behind, as lh-memory(5) says.
pub fn difference(wanted: &State, found: &State, torn: bool) -> Vec<String> {
    let is_json = |line: &&str| serde_json::from_str::<Value>(line).is_ok();
    let text = |state: &State, name: &str| {
        let text = state.get(name)?;
        let cleaned = || text.split_inclusive('\n').filter(is_json).collect();
        Some(if torn && ends(name, ".jsonl") { cleaned() } else { text.clone() })
    };
    let mut names: Vec<&String> = wanted.keys().chain(found.keys()).collect();
    names.sort();
    names.dedup();
    // A cut line is kept there, and nobody reads it.
    let aside = |name: &str| is_aside(name) && name.contains("/Documents/") || torn && name.ends_with("/.state/torn");
    names.retain(|name| !aside(name));
    let differs = |name: &String| match (text(wanted, name), text(found, name)) {
        (wanted, found) if wanted == found => None,
        (wanted, found) => Some(format!("{name}: wanted {wanted:?}, found {found:?}")),
    };
    names.into_iter().filter_map(differs).collect()
}
