//! progress.md: where the last session of a project stood, whatever else is known of it. One file a
//! project. The front matter is the newest session's, its points follow, then what was said last in it, as a
//! quotation; behind them each other session that ended within a day of it, with the two points that say most.

use crate::base::clock;
use crate::base::exit::Failure;
use crate::base::file::{self, Durable};
use crate::base::front_matter::{self, FrontMatter};
use crate::base::masked::Masked;
use crate::base::text;
use crate::record::session;
use crate::redact::Redactor;
use crate::store::Memory;
use jiff::{SignedDuration, Timestamp};
use std::fmt::Write as _;
use std::path::Path;

/// The file's name in the memory folder.
pub const NAME: &str = "progress.md";
/// What is kept of the other sessions: those that ended so long before the newest, so many, these points of
/// each, so many characters of a point.
const DAY: SignedDuration = SignedDuration::from_hours(24);
const OTHERS: usize = 2;
const POINT_CHARS: usize = 140;

/// How the points begin that are told of another session, too.
pub const GOAL: &str = "Goal: ";
/// How the point begins that names the commits.
pub const COMMITS: &str = "Commits: ";
/// How the point begins that says how a session ended before its last turn did.
pub const ENDED: &str = "Ended: ";
/// See [`GOAL`].
const LAST_ANSWER: &str = "Last answer: ";
/// How a line begins that the user said, and one that the agent said.
pub const USER: &str = "> user: ";
/// See [`USER`].
pub const AGENT: &str = "> agent: ";
/// Characters of what was said that a session takes over from the one with which it goes on.
const SAID_CHARS: usize = 4000;
/// What stands for what came before.
const CUT: &str = "… ";
/// The least of a line that is worth its showing.
const LEAST_LINE: usize = 40;

/// Where a session stood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Whose it is.
    pub session_id: String,
    /// The transcript's time when it was read; none where it is not known.
    pub source_mtime: Option<Timestamp>,
    /// When something was said last in it; a file that was copied has another time.
    pub ended_at: Option<Timestamp>,
    /// Where it ran, and what was checked out there; "" where that is not known.
    pub cwd: String,
    /// See `cwd`.
    pub branch: String,
    /// What is to be told, one line each.
    pub points: Vec<String>,
    /// What the user and the agent said last, a line a message, the newest last.
    pub said: Vec<String>,
}

/// How the point begins about a plan that the user approved.
pub const PLAN: &str = "Approved plan: ";
/// A plan that a later session does not name is told for so long.
const PLAN_KEPT: SignedDuration = SignedDuration::from_hours(7 * 24);
/// What stands before the day of such a plan.
const OF: &str = " (of ";
/// How the point begins that names the files that were changed.
pub const CHANGED: &str = "Changed last: ";
/// How the one begins that names those that were changed before the last commit.
pub const CHANGED_BEFORE: &str = "Changed before the last commit: ";
/// What stands behind what was asked for when the agent came to the end of its turn.
pub const ANSWERED: &str = " (answered)";
/// What stands before the number of commits that are not named.
pub const MORE_COMMITS: &str = " (before them ";

impl Progress {
    /// When it ended, as far as that is known.
    pub fn ended(&self) -> Option<Timestamp> {
        self.ended_at.or(self.source_mtime)
    }

    /// With what it goes on with, where it has no goal of its own: the goal of the session before it, that one's plan, and
    /// what was said in it.
    #[must_use]
    pub fn after(mut self, before: Option<&Self>) -> Self {
        let Some(before) = before else { return self };
        let has = |points: &[String], begin: &str| points.iter().any(|point| point.starts_with(begin));
        let of = |begin: &str| before.points.iter().find(|point| point.starts_with(begin)).cloned();
        let Some(mut goal) = of(GOAL).filter(|_| !has(&self.points, GOAL)) else { return self };
        goal.truncate(goal.trim_end_matches(ANSWERED).len());
        if let Some(plan) = of(PLAN).filter(|_| !has(&self.points, PLAN)) {
            let (plan, day) = match plan.rsplit_once(OF) {
                Some((plan, day)) => (plan.to_owned(), clock::start_of_day(day.trim_end_matches(')'))),
                None => (plan, None),
            };
            let time = day.or(before.source_mtime);
            let fresh = time.zip(self.source_mtime).is_some_and(|(old, new)| new.duration_since(old) <= PLAN_KEPT);
            // Where files were changed, what it says of its steps does not hold any more.
            let changed = [CHANGED, CHANGED_BEFORE].iter().any(|begin| has(&self.points, begin));
            let title = plan.split(';').next().filter(|_| changed).unwrap_or(&plan);
            let dated = time.map(|time| format!("{title}{OF}{})", clock::local_day(time)));
            self.points.splice(0..0, dated.filter(|_| fresh));
        }
        self.points.insert(0, goal);
        // Of the same session it is there already.
        let said = before.said.iter().filter(|line| !self.said.contains(line)).chain(&self.said).cloned().collect();
        self.said = split(said, SAID_CHARS).1;
        self
    }

    /// The points that are told where it is not the newest session.
    pub fn brief(&self) -> Vec<String> {
        let of = |begin: &str| self.points.iter().find(|point| point.starts_with(begin)).cloned();
        let answer = self.said.iter().rev().find_map(|line| line.strip_prefix(AGENT));
        let answer = answer.map(|said| format!("{LAST_ANSWER}{said}")).or_else(|| of(LAST_ANSWER));
        of(GOAL).into_iter().chain(answer).map(|point| text::cut(&point, POINT_CHARS).into_owned()).collect()
    }
}

/// The time after which a session must have gone on for it to be told, and not be on the page of these.
pub fn since(known: &[Progress]) -> Option<Timestamp> {
    let oldest = known.iter().filter_map(|progress| progress.source_mtime).min();
    let newest = known.iter().filter_map(|progress| progress.source_mtime).max()?;
    oldest.filter(|_| known.len() > OTHERS).or_else(|| newest.checked_sub(DAY).ok())
}

/// Lines of what was said in two: the last ones that fit into so many characters, and those before them. A line that
/// fits in part is cut at a blank.
pub fn split(mut said: Vec<String>, chars: usize) -> (Vec<String>, Vec<String>) {
    let mut left = chars;
    let mut last = Vec::new();
    while let Some(line) = said.pop() {
        let count = line.chars().count() + 1;
        if count <= left {
            left -= count;
            last.push(line);
            continue;
        }
        if left > LEAST_LINE {
            let end = end_of(&line, left - 1);
            let begun = end.split_once(CUT).and_then(|(_, shown)| line.strip_suffix(shown)).map(str::trim_end);
            said.extend(begun.map(|begun| format!("{begun} …")));
            last.push(end);
        } else {
            said.push(line);
        }
        break;
    }
    last.reverse();
    (said, last)
}

/// The end of a line behind who says it. It begins with a sentence if one begins in its first quarter, for the end of a
/// sentence can say the opposite of the whole; else at a blank.
pub fn end_of(line: &str, chars: usize) -> String {
    let count = line.chars().count();
    if count <= chars {
        return line.to_owned();
    }
    let who = [USER, AGENT].into_iter().find(|who| line.starts_with(who)).unwrap_or_default();
    let gone = count - chars.saturating_sub(who.len() + CUT.chars().count());
    let end = line.char_indices().nth(gone).map_or("", |(at, _)| &line[at..]);
    let begins = |at: usize| end[..at].ends_with(['.', '!', '?']) && end[at + 1..].starts_with(char::is_uppercase);
    let sentence = end.match_indices(' ').map(|(at, _)| at).take_while(|at| at * 4 < end.len()).find(|at| begins(*at));
    let from = sentence.or_else(|| end.find(' ')).map_or(0, |at| at + 1);
    format!("{who}{CUT}{}", &end[from..])
}

/// What the files of a memory say, the newest session first.
pub fn read_all(memory: &Memory) -> Result<Vec<Progress>, Failure> {
    let mut all = read(memory)?;
    for other in memory.others() {
        let mut older = read(other)?;
        older.retain(|older| !all.iter().any(|known| known.session_id == older.session_id));
        all.append(&mut older);
    }
    if !memory.others().is_empty() {
        all.sort_by_key(|progress| std::cmp::Reverse(progress.source_mtime));
    }
    Ok(all)
}

/// What the file of a memory folder says: the newest session first, none where there is no file.
pub fn read(memory: &Path) -> Result<Vec<Progress>, Failure> {
    Ok(file::read_text(&memory.join(NAME))?.map(|text| parse(&text)).unwrap_or_default())
}

fn parse(text: &str) -> Vec<Progress> {
    let front = FrontMatter::parse(text);
    let mut all = vec![Progress {
        session_id: front.get("session_id").unwrap_or_default().to_owned(),
        source_mtime: front.get("source_mtime").and_then(clock::parse),
        ended_at: front.get("ended_at").and_then(clock::parse),
        cwd: front.get("cwd").unwrap_or_default().to_owned(),
        branch: front.get("branch").unwrap_or_default().to_owned(),
        ..Progress::default()
    }];
    for line in front.body.lines() {
        if let Some((time, session_id)) = line.strip_prefix("## ").and_then(|title| title.split_once(' ')) {
            let (session_id, ended_at) = session_id.trim().split_once(' ').unwrap_or((session_id.trim(), ""));
            let (session_id, ended_at) = (session_id.to_owned(), clock::parse(ended_at));
            all.push(Progress { session_id, source_mtime: clock::parse(time), ended_at, ..Progress::default() });
        } else if let Some((point, of)) = line.strip_prefix("- ").zip(all.last_mut()) {
            of.points.push(point.trim().to_owned());
        } else if let Some(of) = all.last_mut().filter(|_| [USER, AGENT].iter().any(|who| line.starts_with(who))) {
            of.said.push(line.trim().to_owned());
        }
    }
    all.retain(|progress| !progress.points.is_empty());
    all
}

/// Writes progress.md. The session that ended last stays first.
pub fn put(memory: &Path, new: &Progress, redactor: &Redactor) -> Result<(), Failure> {
    let target = super::own_file(memory, NAME)?;
    let _lock = super::lock(memory)?;
    let mut all = read(memory)?;
    let older = |before: &&Progress| before.session_id == new.session_id || before.source_mtime < new.source_mtime;
    let new = new.clone().after(all.first().filter(older));
    all.retain(|known| known.session_id != new.session_id);
    all.insert(0, new);
    file::replace(&target, &redactor.masked(&newest_first(all)), Durable::Yes)
}

/// What is to become of the file without a session, its id as a file's name; none where it is not there.
pub fn without(
    memory: &Path,
    session_id: &str,
    redactor: &Redactor,
) -> Result<Option<(&'static str, Option<Masked>)>, Failure> {
    let mut all = read(memory)?;
    let before = all.first().cloned();
    all.retain(|progress| session::safe_id(&progress.session_id) != session_id);
    if all.first() == before.as_ref() && all.len() == read(memory)?.len() {
        return Ok(None);
    }
    // Where the last session ran says which project this is.
    if let (Some(first), Some(before)) = (all.first_mut().filter(|first| first.cwd.is_empty()), before) {
        first.cwd = before.cwd;
    }
    Ok(Some((NAME, (!all.is_empty()).then(|| redactor.masked(&newest_first(all))))))
}

/// The page of these sessions: the newest, and those of its day.
fn newest_first(mut all: Vec<Progress>) -> String {
    // Ties: what was written last comes first.
    all.sort_by_key(|progress| std::cmp::Reverse(progress.source_mtime));
    let newest = all.first().and_then(|first| first.source_mtime);
    let recent =
        |other: &Progress| newest.zip(other.source_mtime).is_some_and(|(new, old)| new.duration_since(old) <= DAY);
    let first = all.remove(0);
    all.retain(recent);
    all.truncate(OTHERS);
    page(&first, &all)
}

fn page(first: &Progress, others: &[Progress]) -> String {
    // To the fraction of a second: a rounded time would be older than the transcript, which is then read at each start.
    let time = |progress: &Progress| progress.source_mtime.map(|time| time.to_string()).unwrap_or_default();
    let mut page =
        format!("---\nsession_id: {}\nsource_mtime: {}\n", front_matter::plain(&first.session_id), time(first));
    let ended = |progress: &Progress| progress.ended_at.map_or_else(String::new, |time| time.to_string());
    for (key, value) in [("ended_at", &ended(first)), ("cwd", &first.cwd), ("branch", &first.branch)]
        .iter()
        .filter(|(_, value)| !value.is_empty())
    {
        let _ = writeln!(page, "{key}: {}", front_matter::plain(value));
    }
    page.push_str("---\n");
    for point in &first.points {
        let _ = writeln!(page, "- {point}");
    }
    for line in &first.said {
        let _ = writeln!(page, "{line}");
    }
    for other in others {
        let title = format!("## {} {} {}", time(other), other.session_id, ended(other));
        let _ = writeln!(page, "\n{}", title.trim_end());
        for point in other.brief() {
            let _ = writeln!(page, "- {point}");
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cases::rows;
    use crate::redact::redactor;

    fn progress(id: &str, time: &str, points: &[&str]) -> Progress {
        let points = points.iter().map(|point| (*point).to_owned()).collect();
        Progress { session_id: id.to_owned(), source_mtime: clock::parse(time), points, ..Progress::default() }
    }

    fn ids(memory: &Path) -> Vec<String> {
        read(memory).unwrap().into_iter().map(|progress| progress.session_id).collect()
    }

    #[test]
    fn the_newest_session_is_whole_and_others_of_its_day_have_two_points() {
        let folder = file::scratch(None, "progress").unwrap();
        let (memory, redactor) = (folder.path(), redactor());
        assert_eq!(read(memory).unwrap(), []);
        let points = ["Goal: mend the build", "Changed last: a.rs", "Last answer: Done."];
        let put = |id, time| put(memory, &progress(id, time, &points), &redactor).unwrap();
        put("old", "2026-04-12T12:00:00Z");
        put("first", "2026-04-13T12:00:00Z");
        put("second", "2026-04-13T18:00:00Z");
        assert_eq!(ids(memory), ["second", "first"]);
        // One that ended before it does not take its place.
        put("between", "2026-04-13T13:00:00Z");
        assert_eq!(ids(memory), ["second", "between", "first"]);
        // The same session again is one.
        put("first", "2026-04-13T19:00:00Z");
        let all = read(memory).unwrap();
        assert_eq!(ids(memory), ["first", "second", "between"]);
        assert_eq!(all[0], progress("first", "2026-04-13T19:00:00Z", &points));
        assert_eq!(all[1].points, ["Goal: mend the build", "Last answer: Done."]);
        // A day later the others are gone.
        put("next", "2026-04-15T12:00:00Z");
        assert_eq!(ids(memory), ["next"]);
    }

    #[test]
    fn what_was_said_is_cut_at_its_beginning_and_nothing_is_lost() {
        let said = vec!["> user: make it so".to_owned(), format!("> agent: {}", "one two three ".repeat(20).trim())];
        for chars in 0..330 {
            let (before, last) = split(said.clone(), chars);
            assert!(last.iter().map(|line| line.chars().count() + 1).sum::<usize>() <= chars, "{chars}: {last:?}");
            let whole = [before, last].concat().join(" ").replace(" … > agent: … ", " ");
            assert_eq!(whole, said.join(" "), "{chars}");
        }
    }

    #[test]
    fn the_end_of_a_line_begins_with_a_sentence_where_one_is_near() {
        for [line, chars, wanted] in rows(include_str!("progress.tsv")) {
            let chars = chars.parse().unwrap();
            let found = end_of(&line, chars);
            assert!(found.chars().count() <= chars && found == wanted, "{found}");
        }
    }

    #[test]
    fn a_file_that_a_person_changed_is_read_as_far_as_it_goes() {
        let folder = file::scratch(None, "progress").unwrap();
        for (text, count) in [("", 0), ("# notes\nmine\n", 0), ("- Goal: mine\n", 1), ("---\nsession_id: a\n", 0)] {
            std::fs::write(folder.path().join(NAME), text).unwrap();
            assert_eq!(read(folder.path()).unwrap().len(), count, "{text:?}");
        }
    }
}
