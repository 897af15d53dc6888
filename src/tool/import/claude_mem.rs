//! What claude-mem's script export-memories writes: one object with lists of observations, summaries, sessions and
//! prompts. Of a torn one all before the tear is read.

use super::Import;
use crate::base::exit::Failure;
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
pub fn read(import: &mut Import, path: &Path) -> Result<(), Failure> {
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
