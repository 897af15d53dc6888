//! The page of a session in the knowledge folder: front matter that any YAML reader accepts, a title, what was
//! said. This module alone writes and reads it. The format is the predecessor's; our own keys come after its.

use crate::base::exit::Failure;
use crate::base::front_matter::{self, FrontMatter};
use crate::base::{clock, file, text};
use crate::record::message::Role;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What is in the name of a copy of a page that a person edited: it is not a session's page.
pub const EDITED: &str = ".edited-";
/// What comes after the heading of a message that a later prompt took the place of.
pub const ABANDONED: &str = " (abandoned)";
/// The heading of what was summarised before a compaction.
const SUMMARY: &str = "## Summary before compaction";
/// The type of a page.
const TYPE: &str = "claude-session";

/// What the front matter says. What is written into it is masked.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Page {
    /// Whose page it is.
    pub session_id: String,
    /// `2026-04-13 18:32`: the minute of the first timestamp, UTC; see [`minute`].
    pub date: String,
    /// Where the agent ran.
    pub cwd: String,
    /// The project's name.
    pub project: String,
    /// Whose session it is, as the configuration classifies it.
    pub profile: String,
    /// What kind of work it is, as the configuration classifies it.
    pub session_type: String,
    /// The branch.
    pub branch: String,
    /// The session that started it, where it is a subagent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The client's version.
    pub client_version: Option<String>,
    /// How many messages it has.
    #[serde(skip)]
    pub messages: u64,
    /// What it is about.
    pub topic: Option<String>,
    /// Uses of each tool.
    pub tools: BTreeMap<String, u64>,
    /// The session's length.
    pub duration_minutes: Option<i64>,
    /// Tokens of all messages.
    pub tokens: u64,
    /// What it cost in US dollars.
    pub cost_usd: Option<f64>,
    /// How often it was compacted.
    pub compactions: u64,
    /// How far the transcript was read, in bytes; None for the predecessor's pages.
    pub source_size: Option<u64>,
}

/// `2026-04-13 18:32`: the minute of a time, UTC.
pub fn minute(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%M").to_string()
}

impl Page {
    /// Reads the front matter of a page; None when it is not a page, or not there.
    pub fn read(path: &Path) -> Result<Option<Self>, Failure> {
        let front = FrontMatter::read(path)?;
        let some = |key: &str| front.get(key).map(str::to_owned).filter(|text| !text.is_empty());
        let text = |key: &str| some(key).unwrap_or_default();
        let number = |key: &str| front.get(key).and_then(|value| value.parse().ok());
        let page = Self {
            session_id: text("session_id"),
            date: text("date"),
            cwd: text("cwd"),
            project: text("project"),
            profile: text("profile"),
            session_type: text("session_type"),
            branch: text("branch"),
            parent: some("parent"),
            client_version: some("claude_version"),
            messages: number("messages").unwrap_or_default(),
            topic: some("topic"),
            tools: front.get("tools").and_then(|tools| serde_json::from_str(tools).ok()).unwrap_or_default(),
            duration_minutes: front.get("duration_minutes").and_then(|value| value.parse().ok()),
            tokens: number("tokens").unwrap_or_default(),
            cost_usd: front.get("cost_usd").and_then(|value| value.parse().ok()),
            compactions: number("compactions").unwrap_or_default(),
            source_size: number("source_size"),
        };
        Ok(Some(page).filter(|page| !page.session_id.is_empty()))
    }

    /// The time of its date.
    pub fn time(&self) -> Option<Timestamp> {
        clock::parse(&format!("{}:00Z", self.date.replacen(' ', "T", 1)))
    }

    /// The front matter, the title, and the masked `summary` before a compaction; "" when there is none.
    pub fn head(&self, summary: &str) -> String {
        let topic = self.topic.as_ref().map(|topic| text::one_line(topic).trim().to_owned());
        let topic = topic.filter(|topic| !topic.is_empty());
        let mut out = format!("---\ntype: {TYPE}\n");
        for (key, value) in self.fields(topic.as_deref()) {
            let _ = writeln!(out, "{key}: {value}");
        }
        let title = topic.unwrap_or_else(|| format!("Session {}", self.session_id));
        let _ = write!(out, "---\n\n# {}\n", title.trim_start_matches('#').trim());
        if !summary.is_empty() {
            let _ = write!(out, "\n{SUMMARY}\n\n");
            // A quotation: a heading in it is not one of the page.
            for line in summary.trim().lines() {
                let _ = writeln!(out, "{}", format!("> {line}").trim_end());
            }
        }
        out
    }

    /// The keys with their values, in the order of the file.
    fn fields(&self, topic: Option<&str>) -> Vec<(&'static str, String)> {
        let plain = |text: &str| front_matter::plain(text);
        let tools = self.tools.iter().map(|(name, count)| format!("{}: {count}", front_matter::quoted(name)));
        let tools = tools.collect::<Vec<_>>().join(", ");
        let above_0 = |count: u64| (count > 0).then(|| count.to_string());
        let mut fields = vec![
            ("session_id", plain(&self.session_id)),
            ("date", self.date.clone()),
            ("cwd", plain(&self.cwd)),
            ("project", plain(&self.project)),
            ("profile", plain(&self.profile)),
            ("session_type", plain(&self.session_type)),
            ("branch", plain(&self.branch)),
            ("claude_version", plain(self.client_version.as_deref().unwrap_or_default())),
            ("messages", self.messages.to_string()),
        ];
        let known = [
            ("topic", topic.map(front_matter::quoted)),
            ("tools", (!tools.is_empty()).then(|| format!("{{{tools}}}"))),
            ("duration_minutes", self.duration_minutes.map(|minutes| minutes.to_string())),
            ("tokens", above_0(self.tokens)),
            ("cost_usd", self.cost_usd.map(|cost| format!("{cost:.4}"))),
            ("compactions", above_0(self.compactions)),
            ("source_size", self.source_size.map(|size| size.to_string())),
            ("parent", self.parent.as_deref().map(front_matter::plain)),
        ];
        fields.extend(known.into_iter().filter_map(|(key, value)| Some((key, value?))));
        fields
    }

    /// The same as one JSON object, without messages: they belong at [`NO_MESSAGES`].
    pub fn json(&self) -> Result<Value, Failure> {
        let mut value = serde_json::to_value(self).map_err(|error| Failure::data(error.to_string()))?;
        value["type"] = TYPE.into();
        value["messages"] = Value::Array(Vec::new());
        Ok(value)
    }
}

/// The files of the pages of sessions below a folder, the newest days first, without copies that a person edited.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for month in file::names(folder)?.into_iter().rev().map(|month| folder.join(month)) {
        let names = file::names(&month).unwrap_or_else(|_| Vec::new()).into_iter().rev();
        let is_page = |path: &PathBuf| {
            let is_copy = path.file_name().is_some_and(|name| name.to_string_lossy().contains(EDITED));
            path.extension() == Some("md".as_ref()) && !is_copy
        };
        files.extend(names.map(|name| month.join(name)).filter(is_page));
    }
    Ok(files)
}

/// Where the messages belong in [`Page::json`]. Within a string the quotes would be escaped.
pub const NO_MESSAGES: &str = "\"messages\":[]";

/// A message of [`Page::json`] that a later prompt took the place of; a comma can come before it.
pub fn abandoned(message: &str) -> String {
    message.replacen('{', "{\"abandoned\":true,", 1)
}

/// The heading of a message's block.
fn heading(role: Role) -> &'static str {
    if role == Role::User { "## User" } else { "## Claude" }
}

/// What is said in a block of that role, up to the next one; none of a block of another role.
pub fn said(block: &str, role: Role) -> Option<String> {
    let said = block.strip_prefix(heading(role))?;
    let said = said.split_once('\n').map_or("", |(_, said)| said);
    let end = said.find(&format!("\n{}", &heading(role)[..3])).unwrap_or(said.len());
    Some(without_places(&said[..end]).trim().to_owned())
}

/// How the line below a heading begins that says where in the transcript the message is, and when it was said.
pub const PLACE: &str = "<!-- line ";

/// The block of a message, with its line in the transcript and its time; `text` is what may be shown of it.
pub fn block(role: Role, (line, time): (u64, Option<&str>), text: &str) -> String {
    let time = time.and_then(clock::parse);
    let time = time.map(|time| time.strftime(", %Y-%m-%d %H:%M:%S UTC").to_string()).unwrap_or_default();
    let place = format!("{PLACE}{line}{time} -->");
    format!("\n{}\n{place}\n\n{}\n", heading(role), text.trim_matches('\n'))
}

/// The block of a message that a later prompt took the place of.
pub fn abandoned_block(block: &str) -> String {
    block.replacen(&format!("\n{PLACE}"), &format!("{ABANDONED}\n{PLACE}"), 1)
}

/// Where the messages of a page begin, each with when it was said, as far as the page tells.
pub fn messages(page: &[u8]) -> Vec<(usize, Option<Timestamp>)> {
    let headings = [Role::User, Role::Assistant].map(heading);
    let mut found = Vec::new();
    let (mut before, mut start) = (0..0, 0_usize);
    for line in page.split_inclusive(|byte| *byte == b'\n') {
        if let Some(place) = line.strip_prefix(PLACE.as_bytes()) {
            let above = &page[before.clone()];
            if headings.iter().any(|heading| above.starts_with(heading.as_bytes())) {
                found.push((before.start, time_of(place)));
            }
        }
        before = start..start + line.len();
        start = before.end;
    }
    found
}

/// The time in what is behind [`PLACE`]: `57, 2026-04-13 21:32:45 UTC -->`.
fn time_of(place: &[u8]) -> Option<Timestamp> {
    let (_, time) = str::from_utf8(place).ok()?.split_once(", ")?;
    clock::parse(&format!("{}Z", time.split_once(" UTC")?.0.replacen(' ', "T", 1)))
}

/// A part of a page without the lines that say where a message is.
pub fn without_places(said: &str) -> Cow<'_, str> {
    if !said.contains(PLACE) {
        return said.into();
    }
    let lines = said.split_inclusive('\n').filter(|line| !line.starts_with(PLACE));
    lines.collect::<String>().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Page> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page.md");
        std::fs::write(&path, text).unwrap();
        Page::read(&path).unwrap()
    }

    #[test]
    fn what_is_written_is_read_back_the_same() {
        let text = include_str!("page.md");
        let page = read(text).unwrap();
        let said = block(Role::User, (3, None), "\n---\nsession_id: z\n");
        assert_eq!(page.head("## Open\n- x\n") + &said, text);
        assert_eq!(page.json().unwrap().to_string(), include_str!("page.json").trim_end());
        assert!(page.json().unwrap().to_string().contains(NO_MESSAGES));
        assert_eq!(page.time(), clock::parse("2026-04-13T18:32:00Z"));
        assert_eq!(clock::parse("2026-04-13T15:32:59-03:00").map(minute), Some(page.date));
        let bare = Page { session_id: "a".to_owned(), ..Page::default() };
        assert_eq!(read(&bare.head("")), Some(bare));
    }

    #[test]
    fn a_message_says_where_it_is() {
        let said = block(Role::User, (57, Some("2026-04-13T18:32:45.123-03:00")), "hello");
        assert_eq!(said, "\n## User\n<!-- line 57, 2026-04-13 21:32:45 UTC -->\n\nhello\n");
        assert_eq!(block(Role::Assistant, (1, Some("--> x")), "a"), "\n## Claude\n<!-- line 1 -->\n\na\n");
        assert_eq!(without_places(&said), "\n## User\n\nhello\n");
        assert_eq!(abandoned(",{\"role\":1}"), ",{\"abandoned\":true,\"role\":1}");
        assert!(abandoned_block(&said).starts_with("\n## User (abandoned)\n<!-- line 57, "), "{said}");
    }

    #[test]
    fn each_message_of_a_page_has_its_time() {
        let said = [
            block(Role::User, (3, Some("2026-04-13T18:32:45Z")), "a\n<!-- line 9, 2020-01-01 00:00:00 UTC -->"),
            block(Role::Assistant, (4, None), "b"),
            "\n## User (abandoned)\n".to_owned(),
        ];
        let text = said.concat();
        let second = said[0].len() + 1;
        assert_eq!(messages(text.as_bytes()), [(1, clock::parse("2026-04-13T18:32:45Z")), (second, None)]);
        for place in ["", "7", "7, x UTC -->", "7, 2026-04-13 18:32:45", "\u{fffd}, 2026-99-13 18:32:45 UTC -->"] {
            assert_eq!(time_of(place.as_bytes()), None, "{place}");
        }
    }

    #[test]
    fn what_is_not_a_page_is_none() {
        for text in ["", "# x\n", "---\ntitle: x\n---\n", "---\nsession_id: x\n"] {
            assert_eq!(read(text), None, "{text}");
        }
        // What the predecessor wrote has no size of its source.
        let old = read("---\ntype: claude-session\nsession_id: x\nmessages: many\n---\n").unwrap();
        assert_eq!((old.source_size, old.messages), (None, 0));
        assert_eq!(Page::read(Path::new("/nonexistent/page.md")).unwrap(), None);
    }
}
