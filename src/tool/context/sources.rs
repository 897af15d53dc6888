//! What each part of the context says, made of what is in the files; [`super`] puts them together.
//! Whatever another author wrote is one line each, through [`injected::line`].

use super::Start;
use super::last_session::LastSession;
use super::section::{Part, Section};
use crate::agent::injected::line;
use crate::agent::payload::Moment;
use crate::agent::{layout, project, transcript};
use crate::base::exit::Failure;
use crate::base::file::Root;
use crate::base::git::{Commit, Git};
use crate::base::stale_names::Seen;
use crate::base::{clock, file, text};
use crate::extract::reported_speech::short_name;
use crate::queue::Queue;
use crate::record;
use crate::record::gists::Gists;
use crate::record::item;
use crate::record::outcome::Ending;
use crate::redact::Redactor;
use crate::store::handoff::{self, Handoff};
use crate::store::progress::{self, Progress};
use crate::store::summary::{self, Summary};
use crate::store::{self, Memory};
use crate::tool::summarize;
use jiff::Timestamp;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// What is read of a page that another author wrote, in bytes.
const PAGE_BYTES: u64 = 64 << 10;
/// Lines of the briefing, and of the episodes menu; characters of a line of that.
const BRIEFING_LINES: usize = 80;
const EPISODES: usize = 20;
const EPISODE_CHARS: usize = 160;
/// How the point of the agent's own list begins, and what stands before what is left of it.
const LIST: &str = "- Of its list ";
const TO_DO: &str = ", to do: ";
/// So many characters say the same thing where they are in both.
pub const SAYS_IT: usize = 12;
/// How the client's own recap begins.
const RECAP: &str = "- Recap: ";
/// Characters of the folder of another session.
const FOLDER_CHARS: usize = 120;
/// Characters of an open item.
const ITEM_CHARS: usize = 380;
/// The headings of a summary, what their points are called, in the order in which they are told, and how many of
/// each: the first ones, of what was asked for the last ones.
const POINTS: &[(&str, &str, usize)] = &[
    (summary::DOING, "", 12),
    (summary::UNFINISHED, "", 4),
    (summary::OPEN, "open: ", 8),
    (summary::QUESTIONS, "question: ", 3),
    (summary::WORKING, "works here: ", 5),
    (summary::DECIDED, "decided: ", 4),
    (summary::ASKED, "asked for: ", 5),
    (summary::FAILED, "failed: ", 3),
    (summary::FILES, "files: ", 8),
];
/// Of these only this session is told: of another one there are newer words.
const OWN_POINTS: &[&str] = &[summary::DOING, summary::UNFINISHED, summary::FILES];

/// The title of a commit of the user's own words; what another author wrote is not told as memory. A merge names a branch,
/// and a commit that takes back another has the title of that.
fn title(commit: &Commit) -> Option<&str> {
    let is_own =
        commit.own && !["Merge ", "Revert \"", "Reapply \""].iter().any(|lead| commit.subject.starts_with(lead));
    is_own.then_some(&commit.subject)
}

fn section(part: Part, title: String, lines: Vec<String>, source: &str, banner: String) -> Option<Section> {
    (!lines.is_empty()).then(|| Section { part, title, lines, source: source.to_owned(), banner, left: 0 })
}

/// The branch, the last commit, how many files changed; on a resumption how many commits are new.
pub fn git(git: &Git, start: &Start, redactor: &Redactor) -> Option<Section> {
    // Masked before it is one line: a secret with a blank in it looks like none.
    let line = |text: &str| line(&redactor.shown(text));
    let mut lines = Vec::new();
    match git.branch.as_ref().or(start.session.branch.as_ref()) {
        Some(branch) => lines.push(format!("- branch: {}", short_name(&line(branch)))),
        None if git.counts.is_some() => lines.push("- no branch is checked out".to_owned()),
        None => {}
    }
    if let Some(last) = git.commits.first() {
        let stranger = if git.knows_user && !last.own { " (not by you)" } else { "" };
        let title = title(last).map_or(stranger.to_owned(), |title| format!(" {}", line(title)));
        lines.push(format!("- last commit: {} {}{title}", last.hash, last.day()));
    }
    if let Some((changed, unknown)) = git.counts {
        let more = if git.more { " or more" } else { "" };
        lines.push(format!("- files: {changed}{more} changed, {unknown}{more} untracked"));
    }
    if let Some(since) = start.since
        && !git.commits.is_empty()
    {
        let new =
            git.commits.iter().filter(|commit| clock::parse(&commit.time).is_some_and(|time| time > since)).count();
        let more = if new == git.commits.len() && new > 1 { " or more" } else { "" };
        lines.push(format!("- commits since {}: {new}{more}", clock::local(since)));
    }
    section(Part::Git, "Git".to_owned(), lines, "git status, git log", String::new())
}

/// Where the last session stood.
#[derive(Default)]
pub struct Stood {
    /// Which it is; "" where that is not known.
    pub session_id: String,
    /// What is told of it.
    pub sections: Vec<Section>,
}

impl Stood {
    /// Takes out of the agent's own list, and of the client's recap, what is told as open.
    pub fn leave_out(&mut self, open: &OpenHandoff) {
        let told: Vec<String> = open.handoff.items.iter().map(|item| text::canonical(item)).collect();
        let is_told = |point: &str| {
            let point = text::canonical(point);
            let has = |one: &str, other: &str| other.chars().count() >= SAYS_IT && one.contains(other);
            told.iter().any(|item| has(item, &point) || has(&point, item))
        };
        for line in self.sections.iter_mut().flat_map(|section| &mut section.lines) {
            if let Some((list, left)) = line.split_once(TO_DO).filter(|(list, _)| list.starts_with(LIST)) {
                let left: Vec<&str> = left.split("; ").filter(|point| !is_told(point)).collect();
                *line = if left.is_empty() { list.to_owned() } else { format!("{list}{TO_DO}{}", left.join("; ")) };
            } else if let Some(recap) = line.strip_prefix(RECAP) {
                let sentences = recap.split_inclusive(". ").filter(|sentence| !is_told(sentence));
                *line = format!("{RECAP}{}", sentences.collect::<String>().trim_end());
            }
        }
        self.sections.iter_mut().for_each(|section| section.lines.retain(|line| line != RECAP));
    }
}

/// Where the last session stood, and in two points each other that ended within a day of it. A transcript that
/// went on since that was kept is read at its end.
pub fn progress(memory: &Memory, start: &Start, redactor: &Redactor) -> Result<Stood, Failure> {
    let (home, own) = (&start.session.agent_home, start.session.session_id.as_str());
    let mut all = progress::read_all(memory)?;
    let known = all.iter().filter_map(|known| known.source_mtime).max();
    let transcripts = project::transcripts(home, &start.session.cwd, known);
    let root = &start.session.project_root;
    let other = |path: &Path| record::session::id_of(path) != own && !project::is_foreign(path, root);
    let newest = transcripts.into_iter().rfind(|(_, path)| other(path));
    // The client writes bookkeeping behind the last words.
    let newer = newest.filter(|(time, path)| clock::from_system(*time) > known && transcript::last_said(path) > known);
    if let Some((_, path)) = newer {
        let id = record::session::id_of(&path);
        if let Some(now) = summarize::progress::read(&path, &id, summarize::progress::QUICK, redactor)? {
            let now = now.after(all.first());
            all.retain(|known| known.session_id != id);
            all.insert(0, now);
        }
    }
    all.retain(|known| known.session_id != own && start.since.is_none_or(|since| known.source_mtime > Some(since)));
    let Some((first, others)) = all.split_first() else {
        return Ok(Stood::default());
    };
    let mut lines: Vec<String> = elsewhere(first, start, redactor).into_iter().collect();
    lines.extend(first.points.iter().map(|point| format!("- {}", line(point))));
    let mut told: HashSet<String> = first.brief().into_iter().collect();
    let briefs = others.iter().flat_map(|other| other.brief().into_iter().map(move |point| (other, point)));
    // The same goal is told once, though several sessions had it.
    for (other, point) in briefs.filter(|(_, point)| told.insert(point.clone())) {
        let time = other.ended().map_or_else(String::new, clock::local_minute);
        lines.push(format!("- session of {time}: {}", line(&point)));
    }
    let time = first.ended().map_or_else(String::new, |time| format!(" on {}", clock::local_minute(time)));
    let title = format!("Where the last session stood{time}{}", not_distilled(home, &first.session_id));
    let said = first.said.iter().map(|said| line(said)).collect();
    let stood = section(Part::Progress, title, lines, progress::NAME, "where it stood".to_owned());
    let said = section(Part::Said, String::new(), said, progress::NAME, String::new());
    Ok(Stood { session_id: first.session_id.clone(), sections: stood.into_iter().chain(said).collect() })
}

/// The folder and the branch of the last session, where they are not those of this one.
fn elsewhere(last: &Progress, start: &Start, redactor: &Redactor) -> Option<String> {
    let is_here = |cwd: &str| redactor.same(cwd, &start.session.cwd.to_string_lossy());
    let folder = Some(&last.cwd).filter(|cwd| !cwd.is_empty() && !is_here(cwd)).map(|cwd| {
        let parts: Vec<String> = cwd.split('/').map(|part| short_name(&line(part))).collect();
        format!("in {}", text::ends(&parts.join("/"), FOLDER_CHARS))
    });
    // Without a branch here there is nothing to compare.
    let here = start.session.branch.as_deref().unwrap_or_default();
    let branch = Some(&last.branch).filter(|branch| !branch.is_empty() && *branch != "HEAD" && !here.is_empty());
    let branch = branch.filter(|branch| !redactor.same(branch, here));
    let branch = branch.map(|branch| format!("on branch {}", short_name(&line(branch))));
    let parts: Vec<String> = folder.into_iter().chain(branch).collect();
    (!parts.is_empty()).then(|| format!("- Not here: {}", parts.join(", ")))
}

/// What the last session was about, and the files that it changed.
pub fn at_hand(sections: &[Section]) -> String {
    let kinds = [progress::GOAL, progress::CHANGED, progress::CHANGED_BEFORE];
    let told = points(sections).filter_map(|point| kinds.iter().find_map(|begin| point.strip_prefix(begin)));
    told.map(|said| said.trim_end_matches(progress::ANSWERED)).collect::<Vec<_>>().join(" ")
}

/// The titles of the commits of the last session, as far as they are told.
pub fn commits(sections: &[Section]) -> impl Iterator<Item = &str> {
    let told = points(sections).filter_map(|point| point.strip_prefix(progress::COMMITS));
    told.flat_map(|told| told.split(progress::MORE_COMMITS).next().unwrap_or(told).split("; "))
}

/// The points about where the last session stood.
fn points(sections: &[Section]) -> impl Iterator<Item = &str> {
    let stood = sections.iter().filter(|section| section.part == Part::Progress).flat_map(|section| &section.lines);
    stood.filter_map(|line| line.strip_prefix("- "))
}

/// What keeps the rest of a session from being told yet, if anything does.
fn not_distilled(home: &Path, session_id: &str) -> &'static str {
    match Queue::in_home(home).state(session_id).map(|state| (state.outcome, state.modified_at)) {
        Ok((Some(Ending::Failed), _)) => ", not distilled: the model failed (see lh-doctor)",
        // With a time and no outcome lazy-harness was done with it.
        Ok((None, None)) => ", not distilled yet",
        _ => "",
    }
}

/// When it was and how long. Not its topic: that can be a title that the client made up.
pub fn last_session(last: &LastSession) -> Option<Section> {
    let said = &last.page;
    let page = line(&last.path.to_string_lossy());
    let name = line(&last.path.file_name().unwrap_or_default().to_string_lossy());
    let banner = format!("last session {}", said.date.split(' ').next().map(line).unwrap_or_default());
    let lines = vec![format!("- {} UTC, {} messages", line(&said.date), said.messages), format!("- {page}")];
    section(Part::LastSession, "Last session with a page".to_owned(), lines, &name, banner)
}

/// A handoff, its date, and why it is stale.
pub struct OpenHandoff {
    /// What is there, without the old items.
    pub handoff: Handoff,
    /// Items that the last sessions did not speak of.
    pub old: Vec<String>,
    /// When it was written; of the predecessor's the file's time.
    pub time: Option<Timestamp>,
    /// When its session ended.
    pub date: Option<Timestamp>,
    /// Why it may not hold any more.
    pub stale: Option<String>,
    /// What its items name, as it was when they were said.
    seen: HashMap<String, Seen>,
}

/// What is open in a memory; what was written last comes first.
pub fn open(memory: &Memory, start: &Start, last: Option<&LastSession>) -> Result<OpenHandoff, Failure> {
    let mut open = open_in(memory, start, last)?;
    for other in memory.others() {
        open = open.with(open_in(other, start, last)?);
    }
    Ok(open)
}

/// The handoff that is in one folder.
fn open_in(memory: &Path, start: &Start, last: Option<&LastSession>) -> Result<OpenHandoff, Failure> {
    let mut handoff = handoff::read(memory)?;
    if handoff.items.is_empty() {
        // A session that left nothing open said something, too.
        let time = handoff::newest(memory)?;
        return Ok(OpenHandoff { handoff, old: Vec::new(), time, date: time, stale: None, seen: HashMap::new() });
    }
    let (mut old, mut seen) = (Vec::new(), HashMap::new());
    handoff.items.clear();
    for line in handoff::lines(memory)? {
        seen.extend(line.seen.clone().map(|seen| (line.text.clone(), seen)));
        if line.is_old() { &mut old } else { &mut handoff.items }.push(line.text);
    }
    let modified = file::modified(&handoff::path(memory));
    let time = handoff.written_at.or(modified);
    // The predecessor rounds the time of its transcript to a second.
    let known = handoff.source_mtime.map(|time| clock::after(time, 1)).or(time);
    let id = handoff.session_id.as_deref().filter(|id| crate::record::session::safe_id(id) == *id);
    let later = last.filter(|last| id != Some(&last.page.session_id) && known.is_some() && last.time > known);
    let grown = || {
        let transcript = layout::locate(&start.session.agent_home, id?, &start.session.cwd)?;
        // The client writes bookkeeping behind the last words.
        let (_, modified) = transcript::stat(&transcript).ok()??;
        Some(modified > known && transcript::last_said(&transcript) > known)
    };
    let stale = match later {
        Some(last) => Some(format!("a later session of this project was on {} UTC", line(&last.page.date))),
        None if grown() == Some(true) => Some("its session went on after it was written".to_owned()),
        None => None,
    };
    let date = handoff.ended_at.or(handoff.source_mtime).or(time);
    Ok(OpenHandoff { handoff, old, time, date, stale, seen })
}

impl OpenHandoff {
    /// Both, of which the later one says whose it is.
    fn with(self, other: Self) -> Self {
        let is_later = |one: &Self, other: &Self| {
            !one.handoff.items.is_empty() && (other.handoff.items.is_empty() || one.time > other.time)
        };
        let (mut first, second) = if is_later(&other, &self) { (other, self) } else { (self, other) };
        first.time = first.time.max(second.time);
        first.old.extend(second.old);
        first.seen.extend(second.seen);
        let known: Gists = first.handoff.items.iter().collect();
        first.handoff.items.extend(second.handoff.items.into_iter().filter(|item| known.find(item).is_none()));
        first
    }

    /// Its part; on a resumption only when another session wrote it since.
    pub fn section(&self, start: &Start, redactor: &Redactor) -> Option<Section> {
        let own = self.handoff.session_id.as_deref() == Some(&start.session.session_id);
        let items = self.handoff.items.len() + self.old.len();
        if items == 0 || start.since.is_some_and(|since| own || self.time < Some(since)) {
            return None;
        }
        let of = self.date.map(|time| format!(" of {}", clock::local_day(time))).unwrap_or_default();
        let stale = if self.stale.is_some() { ", stale" } else { "" };
        let banner = format!("handoff{of} ({items} open{stale})");
        let mut lines: Vec<String> =
            self.stale.iter().map(|why| format!("- STALE: {why}; check before you rely on it")).collect();
        let told = |item: &String, older: &str| {
            // Masked before it is cut, and cut before its id, which is what closes it.
            let marks = start.marks(item, self.seen.get(item), redactor);
            let chars = ITEM_CHARS.saturating_sub(marks.chars().count());
            let id = item::open_id(item);
            format!("- {older}{}{marks} ({})", text::cut(&line(&redactor.shown(item)), chars), item::short_id(&id))
        };
        lines.extend(self.handoff.items.iter().map(|item| told(item, "")));
        lines.extend(self.old.iter().map(|item| told(item, "older: ")));
        section(Part::Handoff, format!("Handoff{of}: still open"), lines, "handoff.md", banner)
    }
}

/// The summary that was made before a compaction: this session's, or one that is not settled since.
pub fn summary(memory: &Memory, open: &OpenHandoff, start: &Start) -> Result<Option<Section>, Failure> {
    let own = summary::of_session(memory, &start.session.session_id)?.filter(|_| start.moment == Moment::Compact);
    let part = if own.is_some() { Part::Own } else { Part::Summary };
    let other = |summary: &Summary| {
        summary.session_id != start.session.session_id
            && summary.written_at > open.time
            && start.since.is_none_or(|since| summary.written_at > Some(since))
    };
    let Some(summary) = (match own {
        Some(own) => Some(own),
        None => summary::newest(memory)?.filter(other),
    }) else {
        return Ok(None);
    };
    let mut lines = Vec::new();
    for (heading, called, most) in POINTS.iter().filter(|row| part == Part::Own || !OWN_POINTS.contains(&row.0)) {
        let points = summary.points(heading);
        let left = points.len().saturating_sub(*most);
        let first = if *heading == summary::ASKED { left } else { 0 };
        lines.extend(points.iter().skip(first).take(*most).map(|point| {
            let called = if point.ends_with(summary::NOT_SEEN) { "ran: " } else { called };
            format!("- {called}{}", line(point))
        }));
        if left > 0 && *heading == summary::OPEN {
            lines.push(format!("- open: {left} more, in pre-compact-summary.md"));
        }
    }
    let of = summary.written_at.map(|time| format!(" of {}", clock::local_day(time))).unwrap_or_default();
    let title = match part {
        Part::Own => "This session, as it was before its compaction".to_owned(),
        _ => format!("Summary{of}, before a compaction"),
    };
    let banner = "summary before compaction".to_owned();
    Ok(section(part, title, lines, "pre-compact-summary.md", banner))
}

/// The briefing, as a quotation.
pub fn briefing(memory: &Memory) -> Result<Option<Section>, Failure> {
    for folder in memory.folders() {
        store::own_file(folder, "briefing.md")?;
    }
    let text = first(memory, "briefing.md")?;
    let quoted = |text: &str| format!("> {}", line(text)).trim_end().to_owned();
    let mut lines: Vec<String> = text.trim().lines().map(quoted).collect();
    let left = lines.len().saturating_sub(BRIEFING_LINES);
    lines.truncate(BRIEFING_LINES);
    let found = section(Part::Briefing, "Briefing".to_owned(), lines, "briefing.md", "briefing".to_owned());
    Ok(found.map(|section| Section { left, ..section }))
}

/// The memory index, where the client does not load it itself.
pub fn index(memory: &Memory, home: &Path) -> Result<Option<Section>, Failure> {
    let mut lines = Vec::new();
    for folder in memory.folders().filter(|folder| !layout::tells_index(home, folder)) {
        lines.extend(list(&file::read_tail(&folder.join("MEMORY.md"), PAGE_BYTES)?));
    }
    Ok(section(Part::Index, "Memory index".to_owned(), lines, "MEMORY.md", "memory index".to_owned()))
}

/// The first of the episodes, which are the newest.
pub fn episodes(memory: &Memory, told: &str, redactor: &Redactor) -> Result<Option<Section>, Failure> {
    let mut lines = list(&first(memory, "INDEX.md")?);
    // The one of the session that is told already.
    lines.retain(|line| told.is_empty() || !line.contains(&format!("session-{told}.json")));
    let left = lines.len().saturating_sub(EPISODES);
    lines.truncate(EPISODES);
    // Masked before they are cut: half a secret looks like none.
    redactor.show_lines(&mut lines);
    for line in &mut lines {
        *line = text::cut(line, EPISODE_CHARS).into_owned();
    }
    let found = section(Part::Episodes, "Episodes".to_owned(), lines, "INDEX.md", "episodes".to_owned());
    Ok(found.map(|section| Section { left, ..section }))
}

/// The page of a name, from the first folder of a memory that has one.
fn first(memory: &Memory, name: &str) -> Result<String, Failure> {
    for folder in memory.folders() {
        // Not behind a link that leads out: what is there is not ours to tell.
        let text = file::read_head(&Root::new(folder).file(name)?, PAGE_BYTES)?;
        if !text.is_empty() {
            return Ok(text);
        }
    }
    Ok(String::new())
}

/// The points of a page.
fn list(text: &str) -> Vec<String> {
    text.lines().filter(|text| text.trim_start().starts_with(['-', '*'])).map(line).collect()
}
