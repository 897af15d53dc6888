//! What the programs write. claude-mem's script export-memories: one object with lists of observations, summaries, sessions
//! and prompts; of a torn one all before the tear is read. The others: pages of markdown. Codex and basic-memory say what a
//! line is, by its heading or its category; of all other pages each section is a memory.

use super::{Import, Program};
use crate::base::exit::Failure;
use crate::base::front_matter::FrontMatter;
use crate::base::{clock, file, log};
use crate::json::flawed;
use crate::record::item::{Item, ItemKind};
use jiff::Timestamp;
use serde_json::Value;
use std::path::Path;

/// So much of a file is read.
const BYTES: u64 = 64 << 20;
/// Its lists.
const LISTS: [&str; 4] = ["observations", "summaries", "sessions", "prompts"];
/// How the database begins that it keeps all in, and how its items come out of that.
const SQLITE: &str = "SQLite format 3\0";
pub const HOW: &str = "a database of claude-mem cannot be read: in its checkout run 'npx tsx scripts/export-memories.ts \"\" claude-mem.json' and import that";
/// Types of observations that only say what was done.
const DONE: [&str; 3] = ["change", "feature", "refactor"];

/// Takes what a file says.
pub fn claude_mem(import: &mut Import, path: &Path) -> Result<(), Failure> {
    let (text, path) = (file::read_head(path, BYTES)?, path.display());
    if text.starts_with(SQLITE) {
        return Err(Failure::data(format!("'{path}': {HOW}")));
    }
    let what = || Failure::data(format!("'{path}': expected what claude-mem's export-memories writes"));
    let export = flawed::read(&text).ok_or_else(what)?;
    let list = |name: &'static str| Some((name, export.value.get(name)?.as_array()?));
    let lists: Vec<(&str, &Vec<Value>)> = LISTS.into_iter().filter_map(list).collect();
    if lists.is_empty() {
        return Err(what());
    }
    for (name, all) in lists {
        for one in all {
            import.take(name, one);
        }
    }
    if !export.whole {
        log::say(
            super::TOOL,
            &format!("'{path}': it has a flaw or is torn: that part, or what is behind it is not read"),
        );
        import.counted.leave("ends of files that are torn or too large", 1);
    }
    Ok(())
}

impl Import {
    fn take(&mut self, list: &str, one: &Value) {
        let project = one["project"].as_str().filter(|project| !project.is_empty());
        if project.is_some_and(|project| !self.redactor.same(project, &self.session.project)) {
            return self.counted.leave("records of other projects", 1);
        }
        let time = time(one);
        let mut field = |name: &str| self.clean(one[name].as_str().unwrap_or_default());
        match list {
            "observations" => self.observation(one, time),
            "summaries" => {
                let (learned, next) = (field("learned"), field("next_steps"));
                self.counted.leave("next steps of sessions that are over", usize::from(!next.is_empty()));
                if learned.is_empty() {
                    return self.counted.leave("summaries that say nothing learned", 1);
                }
                self.add_memory("", &learned, time);
            }
            // What a person asked for then is not asked for now.
            "prompts" => self.counted.leave("prompts", 1),
            _ => self.counted.leave("names of sessions", 1),
        }
    }

    fn observation(&mut self, one: &Value, time: Timestamp) {
        let kind = one["type"].as_str().unwrap_or_default();
        if DONE.contains(&kind) {
            return self.counted.leave(&format!("observations of what was done ({kind})"), 1);
        }
        if !["bugfix", "decision", "discovery"].contains(&kind) {
            return self.counted.leave("observations of a type with no place", 1);
        }
        let mut field = |name: &str| self.clean(one[name].as_str().unwrap_or_default());
        let [title, subtitle, narrative, text] = ["title", "subtitle", "narrative", "text"].map(&mut field);
        let facts: Vec<String> = texts(&one["facts"]).iter().map(|fact| self.clean(fact)).collect();
        let tags: Vec<String> = texts(&one["concepts"]).iter().map(|tag| self.clean(tag)).collect();
        let whole = [narrative, text].into_iter().chain(facts).filter(|text| !text.is_empty());
        let whole = whole.collect::<Vec<_>>().join("\n");
        let first = whole.lines().next().unwrap_or_default();
        let summary = if title.is_empty() { first.to_owned() } else { title };
        let item = |kind| Item { tags, ..Item::new(kind, &*summary) };
        match kind {
            "decision" => self.add(Item { context: subtitle, rationale: whole, ..item(ItemKind::Decision) }, time),
            "bugfix" => self.add(Item { root_cause: subtitle, resolution: whole, ..item(ItemKind::Failure) }, time),
            _ => self.add_memory(&summary, &format!("{subtitle}\n{whole}"), time),
        }
    }
}

/// When it was noted, in milliseconds or in words.
fn time(one: &Value) -> Timestamp {
    let epoch = one["created_at_epoch"].as_i64().filter(|epoch| *epoch > 0);
    let said = one["created_at"].as_str().and_then(clock::parse);
    said.or_else(|| Timestamp::from_millisecond(epoch?).ok()).unwrap_or_else(clock::now)
}

/// The texts of a list, or of a list that is written as a text.
fn texts(value: &Value) -> Vec<String> {
    let written = value.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    let list = written.as_ref().unwrap_or(value).as_array();
    list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Categories of basic-memory's observations that say what a kind of ours says.
const DECISIONS: [&str; 2] = ["decision", "decisions"];
const FAILURES: [&str; 8] = ["bug", "error", "failure", "gotcha", "issue", "pitfall", "problem", "risk"];

/// Takes what a page says; its text may be told.
pub fn markdown(import: &mut Import, name: &str, said: &str, time: Timestamp) {
    let front = FrontMatter::parse(said);
    let title = ["title", "description"].iter().find_map(|key| front.get(key)).filter(|title| !title.is_empty());
    match import.program {
        Program::Codex => codex(import, &front.body, time),
        Program::BasicMemory => note(import, title.unwrap_or(name), &front.body, time),
        _ => sections(import, title.unwrap_or(name), front.get("globs").unwrap_or_default(), &front.body, time),
    }
}

/// The heading of a line, with how deep it is.
fn heading(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start_matches('#');
    let depth = line.len() - rest.len();
    ((1..=6).contains(&depth) && rest.starts_with(' ')).then(|| (depth, rest.trim()))
}

/// A rule or a page of instructions: a memory of each section down to the second level.
fn sections(import: &mut Import, title: &str, globs: &str, body: &str, time: Timestamp) {
    let (mut name, mut text, mut fenced) = (title.to_owned(), String::new(), false);
    let mut end = |name: &str, text: &mut String| {
        let about = if globs.is_empty() { String::new() } else { format!("\n\nIt is about {globs}.") };
        if text.contains(char::is_alphanumeric) {
            import.add_memory(name, &format!("{}{about}", text.trim()), time);
        }
        text.clear();
    };
    for line in body.lines() {
        fenced ^= ["```", "~~~"].iter().any(|mark| line.trim_start().starts_with(mark));
        if let Some((_, heading)) = heading(line).filter(|(depth, _)| !fenced && *depth <= 2) {
            end(&name, &mut text);
            name = format!("{title}, {heading}");
        } else {
            text.extend([line, "\n"]);
        }
    }
    end(&name, &mut text);
}

/// A note of basic-memory: decisions, failures and preferences are items of their own, the rest is one memory.
fn note(import: &mut Import, title: &str, body: &str, time: Timestamp) {
    let (mut rest, mut says_more) = (String::new(), false);
    for line in body.lines() {
        let point = line.trim_start().strip_prefix("- ").unwrap_or("");
        let category = point.strip_prefix('[').and_then(|point| point.split_once("] "));
        if let Some((name, text)) = category {
            let (name, text) = (name.trim().to_lowercase(), text.trim());
            let tags = point.split_whitespace().filter_map(|word| word.strip_prefix('#')).map(str::to_owned).collect();
            let item = |kind| Item { tags, ..Item::new(kind, text) };
            if DECISIONS.contains(&name.as_str()) {
                import.add(Item { context: title.to_owned(), ..item(ItemKind::Decision) }, time);
                continue;
            }
            if FAILURES.contains(&name.as_str()) {
                import.add(item(ItemKind::Failure), time);
                continue;
            }
            if name.starts_with("preference") {
                import.add_memory("", text, time);
                continue;
            }
        } else if point.contains("[[") && point.ends_with([']', ')']) {
            import.counted.leave("relations of notes", 1);
            continue;
        }
        if !["## Observations", "## Relations"].contains(&line.trim()) {
            says_more |= heading(line).is_none() && line.contains(char::is_alphanumeric);
            rest.extend([line, "\n"]);
        }
    }
    if says_more {
        let (first, behind) = rest.trim().split_once('\n').unwrap_or((rest.trim(), ""));
        let text = if first.strip_prefix("# ") == Some(title) { behind } else { &rest };
        import.add_memory(title, text.trim(), time);
    }
}

/// Codex's handbook, or the summary of it. What is of other projects, and what only points to its sessions, is left out.
fn codex(import: &mut Import, body: &str, time: Timestamp) {
    let (mut section, mut is_ours) = (String::new(), true);
    let mut points: Vec<(String, bool, String)> = Vec::new();
    for line in body.lines() {
        if let Some((depth, heading)) = heading(line) {
            is_ours |= depth == 1;
            section = if depth == 1 { String::new() } else { heading.to_lowercase() };
        } else if let Some(about) = line.strip_prefix("applies_to:") {
            is_ours = is_of(import, about);
        } else if let Some(point) = line.strip_prefix(['-', '*']).and_then(|point| point.strip_prefix(' ')) {
            points.push((section.clone(), is_ours, point.trim().to_owned()));
        } else if let Some((_, _, point)) = points.last_mut().filter(|_| line.starts_with(' ')) {
            point.extend(["\n", line.trim()]);
        } else {
            import.counted.leave("lines that are not points", usize::from(line.contains(char::is_alphanumeric)));
        }
    }
    for (section, is_ours, point) in points {
        let point = without_tasks(&point);
        match section.as_str() {
            _ if !is_ours => import.counted.leave("points of other projects", 1),
            "user preferences" | "user profile" | "reusable knowledge" | "general tips" => {
                import.add_memory("", point, time);
            }
            "failures and how to do differently" => import.add(failure(point), time),
            _ => import.counted.leave("points that only lead to the program's own files", 1),
        }
    }
}

/// Whether a block is of this project: it names its folder, one above or below it, or one of its name; or no folder.
fn is_of(import: &Import, about: &str) -> bool {
    let Some((_, cwd)) = about.split_once("cwd=") else { return true };
    let cwd = Path::new(cwd.split(';').next().unwrap_or(cwd).trim());
    let root = &import.session.project_root;
    root.starts_with(cwd) || cwd.starts_with(root) || cwd.is_absolute() && cwd.file_name() == root.file_name()
}

/// A point without the names of the tasks that it comes from.
fn without_tasks(point: &str) -> &str {
    let mut point = point.trim();
    while let Some((before, _)) = point.strip_suffix(']').and_then(|rest| rest.rsplit_once("[Task ")) {
        point = before.trim_end();
    }
    point
}

/// What broke, why, and what to do instead.
fn failure(point: &str) -> Item {
    let mut parts: Vec<&str> = point.split(" -> ").map(str::trim).collect();
    let summary = parts.remove(0);
    let prevention = parts.pop().unwrap_or("").to_owned();
    Item { root_cause: parts.join(" -> "), prevention, ..Item::new(ItemKind::Failure, summary) }
}
