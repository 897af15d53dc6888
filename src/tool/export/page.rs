//! The page of a session: front matter that any YAML reader accepts, a title, what was said. The
//! format is the predecessor's; our own keys come after its.

use crate::agent::transcript::{Facts, Reading};
use crate::base::{clock, front_matter, text};
use crate::record::message::Role;
use crate::record::session::Session;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// What comes after the heading of a message that a later prompt took the place of.
pub const ABANDONED: &str = " (abandoned)";

/// What a page says of its session.
pub struct About<'a> {
    /// The session.
    pub session: &'a Session,
    /// What was read.
    pub told: &'a Reading,
    /// What the transcript tells, masked.
    pub facts: &'a Facts,
    /// The cwd: the transcript's, else the session's. This and all that follows is masked.
    pub cwd: String,
    /// The project's name.
    pub project: String,
    /// The branch.
    pub branch: String,
    /// Whose session it is.
    pub profile: String,
    /// What it is about.
    pub session_type: String,
    /// What was summarised before a compaction, lists under headings; "" when nothing was.
    pub summary: String,
}

/// The heading of that summary.
const SUMMARY: &str = "## Summary before compaction";

/// `2026-04-13 18:32`: the minute of a timestamp, UTC; none when it is not a timestamp.
pub fn minute(time: &str) -> Option<String> {
    clock::parse(time).map(|time| time.strftime("%Y-%m-%d %H:%M").to_string())
}

/// The front matter and the title. `date` is [`minute`]'s.
pub fn head(about: &About<'_>, date: &str) -> String {
    let About { session, told, facts, .. } = about;
    let topic = facts.topic().map(|topic| text::one_line(&topic).trim().to_owned()).filter(|topic| !topic.is_empty());
    let mut out = format!(
        "---\ntype: claude-session\nsession_id: {}\ndate: {date}\ncwd: {}\nproject: {}\nprofile: {}\nsession_type: {}\nbranch: {}\nclaude_version: {}\nmessages: {}\n",
        front_matter::plain(&session.session_id),
        front_matter::plain(&about.cwd),
        front_matter::plain(&about.project),
        front_matter::plain(&about.profile),
        front_matter::plain(&about.session_type),
        front_matter::plain(&about.branch),
        front_matter::plain(facts.version.as_deref().unwrap_or_default()),
        told.totals.messages,
    );
    if let Some(topic) = &topic {
        let _ = writeln!(out, "topic: {}", front_matter::quoted(topic));
    }
    if !facts.tools.is_empty() {
        let tools = facts.tools.iter().map(|(name, count)| format!("{}: {count}", front_matter::quoted(name)));
        let _ = writeln!(out, "tools: {{{}}}", tools.collect::<Vec<_>>().join(", "));
    }
    if let Some(minutes) = minutes(about) {
        let _ = writeln!(out, "duration_minutes: {minutes}");
    }
    if facts.tokens > 0 {
        let _ = writeln!(out, "tokens: {}", facts.tokens);
    }
    if let Some(cost) = facts.cost_usd {
        let _ = writeln!(out, "cost_usd: {cost:.4}");
    }
    if facts.compactions > 0 {
        let _ = writeln!(out, "compactions: {}", facts.compactions);
    }
    let title = topic.unwrap_or_else(|| format!("Session {}", session.session_id));
    let _ = write!(out, "source_size: {}\n---\n\n# {}\n", told.size_bytes, title.trim_start_matches('#').trim());
    if !about.summary.is_empty() {
        let _ = write!(out, "\n{SUMMARY}\n\n");
        // A quotation: what is a heading in it is none of the page.
        for line in about.summary.trim().lines() {
            let _ = writeln!(out, "{}", format!("> {line}").trim_end());
        }
    }
    out
}

/// The session's length; none where it has no timestamps.
fn minutes(about: &About<'_>) -> Option<i64> {
    let first = clock::parse(about.facts.first_time.as_deref()?)?;
    let last = clock::parse(about.told.last_time.as_deref()?)?;
    Some(clock::seconds_between(first, last).max(0).saturating_add(30) / 60)
}

/// Where the messages belong in [`json`]. Within a string the quotes would be escaped.
pub const NO_MESSAGES: &str = "\"messages\":[]";

/// A message of [`json`] that a later prompt took the place of; a comma can come before it.
pub fn abandoned(message: &str) -> String {
    message.replacen('{', "{\"abandoned\":true,", 1)
}

/// The same as one JSON object, without messages.
pub fn json(about: &About<'_>, date: &str) -> Value {
    let About { session, told, facts, .. } = about;
    json!({
        "type": "claude-session", "session_id": session.session_id, "date": date, "cwd": about.cwd,
        "project": about.project, "profile": about.profile, "session_type": about.session_type,
        "branch": about.branch, "claude_version": facts.version, "topic": facts.topic(), "tools": facts.tools,
        "duration_minutes": minutes(about), "tokens": facts.tokens, "cost_usd": facts.cost_usd,
        "compactions": facts.compactions, "source_size": told.size_bytes, "messages": [],
    })
}

/// The heading of a message's block.
pub fn heading(role: Role, abandoned: bool) -> String {
    let who = if role == Role::User { "User" } else { "Claude" };
    format!("\n## {who}{}\n", if abandoned { ABANDONED } else { "" })
}

/// The block of a message, `text` being what may be shown of it.
pub fn block(role: Role, text: &str) -> String {
    format!("{}\n{}\n", heading(role, false), text.trim_matches('\n'))
}
