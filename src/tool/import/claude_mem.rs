//! What claude-mem's script export-memories writes: one object with lists of observations, summaries, sessions and
//! prompts. It is read item by item, so that a large file costs no memory, and of a torn one all before the tear is read.

use super::Import;
use crate::base::exit::Failure;
use crate::base::{clock, file, log, record};
use crate::record::item::{Item, ItemKind};
use jiff::Timestamp;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::fmt;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// So much of a file is read.
const BYTES: u64 = 256 << 20;
/// How the database begins that it keeps all in, and how its items come out of that.
const SQLITE: &[u8] = b"SQLite format 3\0";
pub const HOW: &str = "a database of claude-mem cannot be read: in its checkout run 'npx tsx scripts/export-memories.ts \"\" claude-mem.json' and import that";
/// Types of observations that only say what was done.
const DONE: [&str; 3] = ["change", "feature", "refactor"];

/// Takes what a file says.
pub fn read(import: &mut Import, path: &Path) -> Result<(), Failure> {
    let fail = |error| Failure::io(path.display(), &error);
    let Some(file) = file::open(path)? else { return Ok(()) };
    let mut input = BufReader::with_capacity(1 << 16, file.take(BYTES));
    if input.fill_buf().map_err(fail)?.starts_with(SQLITE) {
        return Err(Failure::data(format!("'{}': {HOW}", path.display())));
    }
    let mut reader = serde_json::Deserializer::from_reader(input);
    let (before, mut lists) = (import.items.len(), 0);
    let Err(error) = (Export { import, lists: &mut lists, list: None }).deserialize(&mut reader) else { return Ok(()) };
    let what = format!("'{}': {}", path.display(), record::fault(&error));
    if lists == 0 || import.items.len() == before && error.is_data() {
        return Err(Failure::data(format!("{what}: expected what claude-mem's export-memories writes")));
    }
    log::say(super::TOOL, &format!("{what}: what is behind it is not read"));
    import.counted.leave("ends of files that are torn or too large", 1);
    Ok(())
}

/// The whole, or one of its lists, by its name.
struct Export<'i> {
    import: &'i mut Import,
    /// How many lists there were.
    lists: &'i mut usize,
    list: Option<&'i str>,
}

impl<'de> DeserializeSeed<'de> for Export<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        if self.list.is_some() { reader.deserialize_seq(self) } else { reader.deserialize_map(self) }
    }
}

impl<'de> Visitor<'de> for Export<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(if self.list.is_some() { "a list" } else { "an object with observations" })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            if ["observations", "summaries", "sessions", "prompts"].contains(&name.as_str()) {
                *self.lists += 1;
                map.next_value_seed(Export { import: self.import, lists: self.lists, list: Some(&name) })?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        if *self.lists == 0 { Err(A::Error::custom("no list of observations")) } else { Ok(()) }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<(), A::Error> {
        while let Some(one) = all.next_element::<Value>()? {
            self.import.take(self.list.unwrap_or("observations"), &one);
        }
        Ok(())
    }
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
