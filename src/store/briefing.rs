//! `briefing.md`, what a project's sessions come to in at most 80 lines, with its two older versions; and
//! `profiles/<skill>.md`, the same of one skill in at most 30. Points of ours under headings of ours are made anew; all
//! other lines are a person's, stay as they are, and come first. Which points are ours is
//! remembered by their hashes.

use super::change::{self, ChangeState, Planned};
use super::{Memory, archive};
use crate::agent::wrappers;
use crate::base::exit::Failure;
use crate::base::file::{self, Durable, Root};
use crate::base::masked::Masked;
use crate::base::{clock, log};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::Path;

/// Its name; an older version has `.1` or `.2` behind it.
pub const NAME: &str = "briefing.md";
/// The titles of its sections, in their order.
pub const TITLES: [&str; 4] = ["Still open", "Lately", "Decided", "Failures"];
/// The folder of the profiles.
pub const PROFILES: &str = "profiles";
/// What the title of a profile's section begins with; the skill's name comes behind it.
const PROFILE_TITLE: &str = "The last sessions with /";
/// The most lines of a briefing.
pub const LINES: usize = 80;
/// The most lines of a profile.
pub const PROFILE_LINES: usize = 30;
/// How a heading of ours ends.
const OURS: &str = " (lh)";
/// Its changes are in this name.
const BY: &str = "brief";
/// The hashes of our points, of all pages of a memory, one a line, and how many are kept. It moves with the memory: without it no point is known to be ours.
const POINTS: &str = ".state/points";
const POINT_HASHES: usize = 4000;
/// The longest page that is read.
const BYTES: u64 = 1 << 20;

/// A section of ours: its title, and its points, each one line that may be shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BriefingSection {
    /// Without the heading's signs.
    pub title: String,
    /// Without the dash.
    pub points: Vec<String>,
}

/// What a page holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BriefingPage {
    /// What is a person's, with its headings.
    pub theirs: String,
    /// Ours.
    pub ours: Vec<BriefingSection>,
}

/// What became of a page that was put in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedPage {
    /// Whether it is another than before.
    pub is_new: bool,
    /// How many lines it has.
    pub lines: usize,
    /// How many points there was no room for.
    pub left_out: usize,
}

/// The title of our section of a skill's profile.
pub fn profile_title(skill: &str) -> String {
    format!("{PROFILE_TITLE}{skill}")
}

/// The title of a line that is a heading of ours in a page of this name.
fn our_title<'l>(name: &str, line: &'l str) -> Option<&'l str> {
    let title = line.strip_prefix("## ")?.trim_end().strip_suffix(OURS)?;
    let skill = name.strip_prefix(PROFILES).and_then(|name| name.strip_prefix('/')?.strip_suffix(".md"));
    let is_ours = match skill {
        Some(skill) => title.strip_prefix(PROFILE_TITLE) == Some(skill),
        None => TITLES.contains(&title),
    };
    is_ours.then_some(title)
}

impl BriefingPage {
    /// Reads a page. Of the points under our headings those are ours whose hashes are `known`; all, where nothing is known.
    fn parse(text: &str, name: &str, known: Option<&HashSet<String>>) -> Self {
        let point = |line: &str| {
            let point = line.trim_end().strip_prefix("- ")?.to_owned();
            known.is_none_or(|known| known.contains(&hash(&point))).then_some(point)
        };
        let (mut page, mut in_ours, mut is_blank_theirs) = (Self::default(), false, false);
        for line in text.split_inclusive('\n') {
            if line.starts_with('#') {
                let title = our_title(name, line).map(str::to_owned);
                (in_ours, is_blank_theirs) = (title.is_some(), false);
                if let Some(title) = title {
                    page.ours.push(BriefingSection { title, points: Vec::new() });
                    continue;
                }
            }
            match page.ours.last_mut().filter(|_| in_ours) {
                // A blank line belongs to what is before it.
                Some(_) if line.trim().is_empty() && !is_blank_theirs => {}
                Some(section) => {
                    let own = point(line);
                    is_blank_theirs = own.is_none();
                    section.points.extend(own);
                    if is_blank_theirs {
                        page.add(line);
                    }
                }
                None => page.add(line),
            }
        }
        page
    }

    /// Adds a line of a person's; the last one of a file can be without an end.
    fn add(&mut self, line: &str) {
        if !self.theirs.is_empty() && !self.theirs.ends_with('\n') {
            self.theirs.push('\n');
        }
        self.theirs.push_str(line);
    }

    /// The page of a memory, from the first of its folders that has one, and its bytes if it is not known which of its
    /// points are ours. Status 65 when it is a link that leads out.
    fn read_with(memory: &Memory, name: &str) -> Result<(Self, Option<Vec<u8>>), Failure> {
        for folder in memory.folders() {
            let path = super::own_file(folder, name)?;
            let Some(bytes) = file::read_at_most(&path, BYTES)? else { continue };
            let wrong =
                |_| Failure::data(format!("{}: not UTF-8, so it was left as it is: save it as UTF-8", path.display()));
            let known = file::read_text(&super::own_file(folder, POINTS)?)?;
            let known: Option<HashSet<String>> = known.map(|text| text.lines().map(str::to_owned).collect());
            let page = Self::parse(str::from_utf8(&bytes).map_err(wrong)?, name, known.as_ref());
            let has_points = page.ours.iter().any(|section| !section.points.is_empty());
            return Ok((page, (known.is_none() && has_points).then_some(bytes)));
        }
        Ok(Default::default())
    }

    /// The page of a memory, from the first of its folders that has one.
    pub fn read(memory: &Memory, name: &str) -> Result<Self, Failure> {
        Ok(Self::read_with(memory, name)?.0)
    }

    /// The text in at most so many lines, and how many points that leaves out: the last ones of the longest sections. What
    /// a person wrote is never cut.
    pub fn text(&self, lines: usize) -> (String, usize) {
        let mut text = self.theirs.trim_end().to_owned();
        let used = if text.is_empty() { 0 } else { text.lines().count() + 1 };
        let mut ours = self.ours.clone();
        ours.retain(|section| !section.points.is_empty());
        let all: usize = ours.iter().map(|section| section.points.len()).sum();
        // Each has its heading, and a blank line before the next.
        let size = |ours: &[BriefingSection]| ours.iter().map(|one| one.points.len() + 2).sum::<usize>();
        while used + size(&ours) > lines + 1 {
            let Some(longest) = ours.iter_mut().rev().max_by_key(|one| one.points.len()) else { break };
            longest.points.pop();
            ours.retain(|section| !section.points.is_empty());
        }
        for section in &ours {
            let blank = if text.is_empty() { "" } else { "\n\n" };
            text = format!("{}{blank}## {}{OURS}\n", text.trim_end(), section.title);
            for point in &section.points {
                let _ = writeln!(text, "- {point}");
            }
        }
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        (text, all - ours.iter().map(|section| section.points.len()).sum::<usize>())
    }
}

/// Whether a skill can have a profile: its name is a plain file name.
pub fn profile(skill: &str) -> Option<String> {
    wrappers::is_skill(skill).then(|| format!("{PROFILES}/{skill}.md"))
}

/// The hash of a point.
fn hash(point: &str) -> String {
    change::hash(Some(point.as_bytes()))
}

/// Puts our sections, which may be shown, in the place of those of a page, below what a person wrote by now.
pub fn put(memory: &Memory, name: &str, ours: &[BriefingSection], lines: usize) -> Result<PlacedPage, Failure> {
    let target = super::own_file(memory, name)?;
    let _lock = super::lock(memory)?;
    // What a killed run began is there before anything is read.
    change::settle(memory)?;
    let (before, unknown) = BriefingPage::read_with(memory, name)?;
    if let Some(bytes) = unknown {
        archive::keep(memory, name, clock::now(), &bytes)?;
        let what =
            "which points are ours is not known, so all under our headings count; it is kept in .archive/ as it was";
        log::say("lh-brief", &format!("{}: {what}", target.display()));
    }
    let (text, left_out) = BriefingPage { ours: ours.to_vec(), ..before }.text(lines);
    let new = Masked::exact(&*text);
    // First, so that they are known to be ours when they are there.
    remember_points(memory, ours)?;
    let is_new = file::read(&target)?.as_deref() != Some(new.bytes()) && !text.is_empty();
    if is_new && name == NAME {
        put_briefing(memory, &new)?;
    } else if is_new {
        let own = Root::real(memory).folder(PROFILES)?;
        file::remove_leftovers(&own, None);
        file::replace(&target, &new, Durable::Yes)?;
    }
    Ok(PlacedPage { is_new, lines: text.lines().count(), left_out })
}

/// Adds our points to those that are known; these are the newest ones then.
fn remember_points(folder: &Path, ours: &[BriefingSection]) -> Result<(), Failure> {
    let target = super::own_file(folder, POINTS)?;
    let before = file::read_text(&target)?.unwrap_or_default();
    let new: Vec<String> = ours.iter().flat_map(|section| &section.points).map(|point| hash(point)).collect();
    let mut all: Vec<&str> = before.lines().filter(|known| !new.iter().any(|new| new == known)).collect();
    all.extend(new.iter().map(String::as_str));
    all.drain(..all.len() - all.len().min(POINT_HASHES));
    let lines = all.join("\n") + "\n";
    if lines == before { Ok(()) } else { file::replace(&target, &Masked::exact(lines), Durable::No) }
}

/// The names of the briefing and its older versions.
pub fn names() -> [String; 3] {
    [NAME.to_owned(), format!("{NAME}.1"), format!("{NAME}.2")]
}

/// Puts a new briefing in place, and the ones before it one further. The caller holds the lock and has settled
/// what was begun.
fn put_briefing(folder: &Path, new: &Masked) -> Result<(), Failure> {
    let [now, first, second] = versions(folder)?;
    let new = Some(new.bytes().to_vec());
    // One that is the older version already is not there twice.
    let is_version = now.is_some() && now != first;
    let after = if is_version { [new, now, first.or(second)] } else { [new, first, second] };
    become_versions(folder, after, "a new briefing was made")
}

/// Brings the older version back, and the one before it one nearer. Says whether there was one.
pub fn roll_back(folder: &Path) -> Result<bool, Failure> {
    let _lock = super::lock(folder)?;
    change::settle(folder)?;
    let [_, first, second] = versions(folder)?;
    let is_there = first.is_some();
    if is_there {
        become_versions(folder, [first, second, None], "the older briefing was brought back")?;
    }
    Ok(is_there)
}

/// The briefing and its older versions.
fn versions(folder: &Path) -> Result<[Option<Vec<u8>>; 3], Failure> {
    let [briefing, first, second] =
        names().map(|name| super::own_file(folder, &name).and_then(|path| file::read(&path)));
    Ok([briefing?, first?, second?])
}

/// Makes them these, as one change: what was there before is in the archive.
fn become_versions(folder: &Path, after: [Option<Vec<u8>>; 3], why: &str) -> Result<(), Failure> {
    let files = names().into_iter().zip(versions(folder)?).zip(after);
    let changes = files
        .filter(|((_, before), after)| before != after)
        .map(|((name, before), after)| Planned::of_person(name, why, before.as_deref(), after.map(Masked::exact)));
    let done = change::apply(folder, BY, changes.collect(), clock::now())?;
    match done.iter().flat_map(|change| &change.entries).find(|file| file.state == ChangeState::Left) {
        Some(file) => {
            Err(Failure::later(format!("{}: it was changed just now: try again", folder.join(&file.name).display())))
        }
        None => Ok(()),
    }
}
