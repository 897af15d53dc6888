//! progress.md: where the last session of a project stood, whatever else is known of it. One file a
//! project. The front matter is the newest session's, its points follow; behind them each other session
//! that ended within a day of it, with the two points that say most.

use crate::base::clock;
use crate::base::exit::Failure;
use crate::base::file::{self, Durable};
use crate::base::front_matter::{self, FrontMatter};
use crate::base::masked::Masked;
use crate::base::text;
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
const TOLD: [&str; 2] = [GOAL, LAST_ANSWER];
const POINT_CHARS: usize = 140;

/// How the points begin that are told of another session, too.
pub const GOAL: &str = "Goal: ";
/// How the point begins that names the commits.
pub const COMMITS: &str = "Commits: ";
/// How the point begins that says how a session ended before its last turn did.
pub const ENDED: &str = "Ended: ";
/// See [`GOAL`].
pub const LAST_ANSWER: &str = "Last answer: ";

/// Where a session stood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Whose it is.
    pub session_id: String,
    /// The transcript's time when it was read; none where nobody knows.
    pub source_mtime: Option<Timestamp>,
    /// What is to be told, one line each.
    pub points: Vec<String>,
}

/// How the point begins about a plan that the user approved.
pub const PLAN: &str = "Approved plan: ";
/// A plan that a later session does not name is told for so long.
const PLAN_KEPT: SignedDuration = SignedDuration::from_hours(7 * 24);
/// What stands before the day of such a plan.
const OF: &str = " (of ";

impl Progress {
    /// With what it goes on with: the goal of the session before it where it has none, and that one's plan.
    #[must_use]
    pub fn after(mut self, before: Option<&Self>) -> Self {
        let Some(before) = before else { return self };
        let has = |points: &[String], begin: &str| points.iter().any(|point| point.starts_with(begin));
        let of = |begin: &str| before.points.iter().find(|point| point.starts_with(begin)).cloned();
        if let Some(goal) = of(GOAL).filter(|_| !has(&self.points, GOAL)) {
            self.points.insert(0, goal);
        }
        if let Some(plan) = of(PLAN).filter(|_| !has(&self.points, PLAN)) {
            let day = plan.rsplit_once(OF).and_then(|(_, day)| clock::start_of_day(day.strip_suffix(')')?));
            let time = day.or(before.source_mtime);
            let fresh = time.zip(self.source_mtime).is_some_and(|(old, new)| new.duration_since(old) <= PLAN_KEPT);
            let dated = match time {
                Some(time) if day.is_none() => format!("{plan}{OF}{})", clock::local_day(time)),
                _ => plan,
            };
            let at = self.points.iter().position(|point| point.starts_with(GOAL)).map_or(0, |at| at + 1);
            if fresh {
                self.points.insert(at, dated);
            }
        }
        self
    }

    /// The points that are told where it is not the newest session.
    pub fn brief(&self) -> impl Iterator<Item = &String> {
        self.points.iter().filter(|point| TOLD.iter().any(|begin| point.starts_with(begin)))
    }
}

/// What the files of a memory say, the newest session first.
pub fn read_all(memory: &Memory) -> Result<Vec<Progress>, Failure> {
    let mut all = read(memory)?;
    for other in memory.others() {
        let older = read(other)?;
        all.extend(
            older
                .into_iter()
                .filter(|older| !all.iter().any(|known| known.session_id == older.session_id))
                .collect::<Vec<_>>(),
        );
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
        points: Vec::new(),
    }];
    for line in front.body.lines() {
        if let Some((time, session_id)) = line.strip_prefix("## ").and_then(|title| title.split_once(' ')) {
            let (session_id, source_mtime) = (session_id.trim().to_owned(), clock::parse(time));
            all.push(Progress { session_id, source_mtime, points: Vec::new() });
        } else if let Some((point, of)) = line.strip_prefix("- ").zip(all.last_mut()) {
            of.points.push(point.trim().to_owned());
        }
    }
    all.retain(|progress| !progress.points.is_empty());
    all
}

/// The page that says what two pages say, as far as one page does; none when one of them says nothing that we can
/// read. Of a session that is on both, the later state counts, then the one with more points.
pub fn merge(one: &str, other: &str, redactor: &Redactor) -> Option<Masked> {
    let (mut all, more) = (parse(one), parse(other));
    if all.is_empty() || more.is_empty() {
        return None;
    }
    let rank = |progress: &Progress| (progress.source_mtime, progress.points.len());
    for new in more {
        match all.iter_mut().find(|known| known.session_id == new.session_id) {
            Some(known) if rank(known) < rank(&new) => *known = new,
            Some(_) => {}
            None => all.push(new),
        }
    }
    Some(redactor.masked(&newest_first(all)))
}

/// Puts in place where a session stands. A session that ended later stays the first.
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
    let time = |progress: &Progress| progress.source_mtime.map(clock::local).unwrap_or_default();
    let mut page =
        format!("---\nsession_id: {}\nsource_mtime: {}\n---\n", front_matter::plain(&first.session_id), time(first));
    for point in &first.points {
        let _ = writeln!(page, "- {point}");
    }
    for other in others {
        let _ = writeln!(page, "\n## {} {}", time(other), other.session_id);
        for point in other.brief() {
            let _ = writeln!(page, "- {}", text::cut(point, POINT_CHARS));
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::config::Privacy;

    fn progress(id: &str, time: &str, points: &[&str]) -> Progress {
        let points = points.iter().map(|point| (*point).to_owned()).collect();
        Progress { session_id: id.to_owned(), source_mtime: clock::parse(time), points }
    }

    fn ids(memory: &Path) -> Vec<String> {
        read(memory).unwrap().into_iter().map(|progress| progress.session_id).collect()
    }

    #[test]
    fn the_newest_session_is_whole_and_others_of_its_day_have_two_points() {
        let folder = file::scratch(None, "progress").unwrap();
        let (memory, redactor) = (folder.path(), Redactor::new(&Privacy::default()).unwrap());
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
    fn a_file_that_a_person_changed_is_read_as_far_as_it_goes() {
        let folder = file::scratch(None, "progress").unwrap();
        for (text, count) in [("", 0), ("# notes\nmine\n", 0), ("- Goal: mine\n", 1), ("---\nsession_id: a\n", 0)] {
            std::fs::write(folder.path().join(NAME), text).unwrap();
            assert_eq!(read(folder.path()).unwrap().len(), count, "{text:?}");
        }
    }
}
