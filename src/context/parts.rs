//! What each part of the context says, made of what stands in the files; [`super`] puts them together.
//! Whatever somebody else wrote is one line each, through [`injected::line`].

use super::last::Last;
use super::section::{Part, Section};
use super::{Moment, Start};
use crate::config::Scope;
use crate::exit::Failure;
use crate::git::Git;
use crate::injected::line;
use crate::memory::handoff::{self, Handoff};
use crate::memory::summary::{self, Summary};
use crate::queue::Queue;
use crate::{clock, file, transcript};
use jiff::Timestamp;
use std::path::Path;

/// What is read of a page that somebody else wrote, in bytes.
const PAGE_BYTES: u64 = 64 << 10;
/// Lines of the briefing, and of the episodes menu.
const BRIEFING_LINES: usize = 80;
const EPISODES: usize = 5;
/// A transcript that changed so much later than its handoff says grew since, where no state tells.
const GROWN_SECONDS: i64 = 120;
/// The headings of a summary and what their points are called, in the order in which they are told.
const POINTS: &[(&str, &str)] = &[
    (summary::OPEN, "open"),
    (summary::QUESTIONS, "question"),
    (summary::DECIDED, "decided"),
    (summary::DOING, "asked for"),
    (summary::FAILED, "failed"),
    (summary::FILES, "files"),
];

/// What kind of project a file at its top says.
const MANIFESTS: &[(&str, &str)] = &[
    ("Cargo.toml", "Rust"),
    ("package.json", "JavaScript"),
    ("deno.json", "Deno"),
    ("pyproject.toml", "Python"),
    ("setup.py", "Python"),
    ("requirements.txt", "Python"),
    ("go.mod", "Go"),
    ("pom.xml", "Java"),
    ("build.gradle", "Java"),
    ("build.gradle.kts", "Kotlin"),
    ("Gemfile", "Ruby"),
    ("composer.json", "PHP"),
    ("mix.exs", "Elixir"),
    ("Package.swift", "Swift"),
    ("build.zig", "Zig"),
    ("CMakeLists.txt", "C or C++"),
    ("meson.build", "Meson"),
    ("flake.nix", "Nix"),
    ("Dockerfile", "Docker"),
    ("Makefile", "make"),
];

/// `2026-04-13 18:32`, local.
fn minute(time: Timestamp) -> String {
    clock::local(time).chars().take(16).collect::<String>().replacen('T', " ", 1)
}

fn section(part: Part, title: String, lines: Vec<String>, source: &str) -> Option<Section> {
    (!lines.is_empty()).then(|| Section { part, title, lines, source: source.to_owned() })
}

/// The branch, the last commit, how many files changed; on a resumption how many commits are new.
pub fn git(git: &Git, start: &Start) -> Option<Section> {
    let mut lines = Vec::new();
    match git.branch.as_ref().or(start.session.branch.as_ref()) {
        Some(branch) => lines.push(format!("- branch: {}", line(branch))),
        None if git.counts.is_some() => lines.push("- no branch is checked out".to_owned()),
        None => {}
    }
    if let Some(last) = git.commits.first() {
        let day: String = last.time.chars().take(10).collect();
        lines.push(format!("- last commit: {} {day} {}", last.hash, line(&last.subject)));
    }
    if let Some((changed, unknown)) = git.counts {
        lines.push(format!("- files: {changed} changed, {unknown} untracked"));
    }
    if let Some(since) = start.since {
        let new =
            git.commits.iter().filter(|commit| clock::parse(&commit.time).is_some_and(|time| time > since)).count();
        let more = if new == git.commits.len() && new > 1 { " or more" } else { "" };
        lines.push(format!("- commits since {}: {new}{more}", minute(since)));
    }
    section(Part::Git, "Git".to_owned(), lines, "git status, git log")
}

/// Its name, its kind, the commits before the last.
pub fn project(git: &Git, start: &Start) -> Option<Section> {
    let root = &start.session.project_root;
    let mut kinds: Vec<&str> = Vec::new();
    for (_, kind) in MANIFESTS.iter().filter(|(name, _)| root.join(name).exists()) {
        if !kinds.contains(kind) {
            kinds.push(kind);
        }
    }
    let kinds = if kinds.is_empty() { String::new() } else { format!(" ({})", kinds.join(", ")) };
    let mut lines = vec![format!("- {}{kinds}, {}", line(&start.session.project), line(&root.to_string_lossy()))];
    lines.extend(git.commits.iter().skip(1).map(|commit| {
        let day: String = commit.time.chars().take(10).collect();
        format!("- {day} {}", line(&commit.subject))
    }));
    section(Part::Project, "Project".to_owned(), lines, "git log")
}

/// When it was, how long, what about.
pub fn last_session(last: &Last) -> Option<Section> {
    let about = if last.topic.is_empty() { String::new() } else { format!(": {}", line(&last.topic)) };
    let page = line(&last.path.to_string_lossy());
    let lines =
        vec![format!("- {} UTC, {} messages{about}", line(&last.date), line(&last.messages)), format!("- {page}")];
    section(Part::LastSession, "Last session".to_owned(), lines, &page)
}

/// A handoff, its date, and why it is stale.
pub struct Open {
    /// What stands there.
    pub handoff: Handoff,
    /// When it was written; of the predecessor's the file's time.
    pub time: Option<Timestamp>,
    /// Why it may not hold any more.
    pub stale: Option<String>,
}

/// The handoff that stands in a memory folder.
pub fn open(memory: &Path, start: &Start, last: Option<&Last>) -> Result<Open, Failure> {
    let handoff = handoff::read(memory)?;
    let modified = handoff::path(memory).metadata().and_then(|data| data.modified()).ok().and_then(clock::from_system);
    let time = handoff.written_at.or(modified);
    let known = handoff.source_mtime.or(time);
    let later = last
        .filter(|last| handoff.session_id.as_deref() != Some(&last.session_id) && last.time > known && known.is_some());
    let grown = || {
        let id = handoff.session_id.as_deref().filter(|id| crate::session::safe_id(id) == *id)?;
        let transcript = memory.parent()?.join(format!("{id}.jsonl"));
        let (size, modified) = transcript::stat(&transcript).ok()??;
        let state = Queue::of(&start.session.agent_home).state(id).unwrap_or_default();
        let grew = match state.size_bytes {
            Some(known) => size > known,
            None => clock::seconds_between(known?, modified?) > GROWN_SECONDS,
        };
        grew.then(|| "its session went on after it was written".to_owned())
    };
    let stale = match later {
        Some(last) => Some(format!("a later session of this project was on {} UTC", line(&last.date))),
        None => grown(),
    };
    Ok(Open { handoff, time, stale })
}

impl Open {
    /// Its part; on a resumption only when another session wrote it since.
    pub fn section(&self, start: &Start) -> Option<Section> {
        let own = self.handoff.session_id.as_deref() == Some(&start.session.session_id);
        if self.handoff.items.is_empty() || start.since.is_some_and(|since| own || self.time < Some(since)) {
            return None;
        }
        let day = self.time.map(minute).map(|time| format!(" of {time}")).unwrap_or_default();
        let mut lines: Vec<String> =
            self.stale.iter().map(|why| format!("- STALE: {why}; check before you rely on it")).collect();
        lines.extend(self.handoff.items.iter().map(|item| format!("- {}", line(item))));
        section(Part::Handoff, format!("Handoff{day}: open at the end of that session"), lines, "handoff.md")
    }
}

/// The summary that was made before a compaction: this session's, or one that no handoff followed.
pub fn summary(summary: &Summary, open: &Open, start: &Start) -> Option<Section> {
    let own = summary.session_id == start.session.session_id;
    let newer = summary.written_at > open.time || open.handoff.items.is_empty();
    let part = match start.moment {
        Moment::Compact if own => Part::Own,
        _ if own || !newer || start.since > summary.written_at => return None,
        _ => Part::Summary,
    };
    let mut lines = Vec::new();
    for (heading, called) in POINTS {
        lines.extend(summary.points(heading).iter().map(|point| format!("- {called}: {}", line(point))));
    }
    let title = match summary.written_at.map(minute) {
        Some(time) if part == Part::Own => format!("This session, as it was before its compaction at {time}"),
        Some(time) => format!("Summary of {time}, before a compaction"),
        None => "Summary before a compaction".to_owned(),
    };
    section(part, title, lines, "pre-compact-summary.md")
}

/// The briefing, as a quotation.
pub fn briefing(memory: &Path) -> Result<Option<Section>, Failure> {
    let text = file::read_head(&memory.join("briefing.md"), PAGE_BYTES)?;
    let all = text.trim().lines().count();
    let mut lines: Vec<String> = text
        .trim()
        .lines()
        .take(BRIEFING_LINES)
        .map(|text| format!("> {}", line(text)).trim_end().to_owned())
        .collect();
    if all > lines.len() {
        lines.push(format!("- (left out: {} lines of briefing.md)", all.saturating_sub(lines.len())));
    }
    Ok(section(Part::Briefing, "Briefing".to_owned(), lines, "briefing.md"))
}

/// The memory index, where the client does not load it itself.
pub fn index(memory: &Path, scope: Scope) -> Result<Option<Section>, Failure> {
    if scope != Scope::Shared {
        return Ok(None);
    }
    let text = file::read_tail(&memory.join("MEMORY.md"), PAGE_BYTES)?;
    let lines = text.lines().filter(|text| text.trim_start().starts_with(['-', '*'])).map(line).collect();
    Ok(section(Part::Index, "Memory index".to_owned(), lines, "MEMORY.md"))
}

/// The newest episodes.
pub fn episodes(memory: &Path) -> Result<Option<Section>, Failure> {
    let text = file::read_head(&memory.join("INDEX.md"), PAGE_BYTES)?;
    let lines =
        text.lines().filter(|text| text.trim_start().starts_with(['-', '*'])).take(EPISODES).map(line).collect();
    Ok(section(Part::Episodes, "Episodes, newest first".to_owned(), lines, "INDEX.md"))
}
