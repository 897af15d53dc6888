//! `briefing.md`, what a project's sessions come to in at most 80 lines, with its two older versions; and
//! `profiles/<skill>.md`, the same of one skill in at most 30. Sections under headings of ours are made anew; all others
//! are a person's, stay as they are, and come first. Which versions are as we wrote them is remembered by their hashes.

use super::archive;
use crate::agent::wrappers;
use crate::base::exit::Failure;
use crate::base::file::{self, Durable, Root};
use crate::base::masked::Masked;
use crate::base::{clock, log};
use std::fmt::Write as _;
use std::path::Path;

/// Its name; an older version has `.1` or `.2` behind it.
pub const NAME: &str = "briefing.md";
/// The folder of the profiles.
pub const PROFILES: &str = "profiles";
/// The most lines of a briefing.
pub const LINES: usize = 80;
/// The most lines of a profile.
pub const PROFILE_LINES: usize = 30;
/// How a heading of ours ends.
const OURS: &str = " (lh)";
/// The hashes of what we wrote last, one a line, and how many are kept.
const WRITTEN: &str = "briefings";
const HASHES: usize = 20;
/// The longest page that is read.
const BYTES: u64 = 1 << 20;

/// A section of ours: its title, and its points, each one line that may be shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// Without the heading's signs.
    pub title: String,
    /// Without the dash.
    pub points: Vec<String>,
}

/// What a page holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// What is a person's, with its headings.
    pub theirs: String,
    /// Ours.
    pub ours: Vec<Section>,
}

impl Page {
    /// Reads a page.
    pub fn parse(text: &str) -> Self {
        let (mut page, mut in_ours, mut is_code) = (Self::default(), false, false);
        for line in text.split_inclusive('\n') {
            let bare = line.trim_end();
            is_code ^= bare.trim_start().starts_with("```");
            if bare.starts_with('#') && !is_code {
                let title = bare.strip_prefix("## ").and_then(|title| title.strip_suffix(OURS));
                in_ours = title.is_some();
                page.ours.extend(title.map(|title| Section { title: title.to_owned(), points: Vec::new() }));
            }
            match page.ours.last_mut().filter(|_| in_ours) {
                Some(section) => section.points.extend(bare.strip_prefix("- ").map(str::to_owned)),
                None => page.theirs.push_str(line),
            }
        }
        page
    }

    /// The page of a folder.
    pub fn read(folder: &Path, name: &str) -> Result<Self, Failure> {
        let path = folder.join(name);
        let bytes = file::read_at_most(&path, BYTES)?.unwrap_or_default();
        let text = String::from_utf8(bytes);
        let wrong =
            |_| Failure::data(format!("{}: not UTF-8, so it was left as it is: save it as UTF-8", path.display()));
        text.map(|text| Self::parse(&text)).map_err(wrong)
    }

    /// The text in at most so many lines, and how many points that leaves out: the last ones of the longest sections. What
    /// a person wrote is never cut.
    pub fn text(&self, lines: usize) -> (String, usize) {
        let mut text = self.theirs.trim_end().to_owned();
        let used = if text.is_empty() { 0 } else { text.lines().count().saturating_add(1) };
        let mut ours = self.ours.clone();
        ours.retain(|section| !section.points.is_empty());
        let all: usize = ours.iter().map(|section| section.points.len()).sum();
        // Each has its heading, and a blank line before the next.
        let size = |ours: &[Section]| ours.iter().map(|one| one.points.len().saturating_add(2)).sum::<usize>();
        while used.saturating_add(size(&ours)) > lines.saturating_add(1) {
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
        (text, all.saturating_sub(ours.iter().map(|section| section.points.len()).sum()))
    }
}

/// Whether a skill can have a profile: its name is a plain file name.
pub fn profile(skill: &str) -> Option<String> {
    wrappers::is_skill(skill).then(|| format!("{PROFILES}/{skill}.md"))
}

/// Keeps a profile, in which what is ours may be shown; whether it is another than before.
pub fn put_profile(folder: &Path, name: &str, text: &str) -> Result<bool, Failure> {
    let target = super::own_file(folder, name)?;
    let _lock = super::lock(folder)?;
    let own = Root::new(folder).folder(PROFILES)?;
    file::remove_leftovers(&own, None);
    let new = Masked::exact(text);
    let is_new = file::read(&target)?.unwrap_or_default() != new.bytes();
    if is_new {
        file::replace(&target, &new, Durable::Yes)?;
    }
    Ok(is_new)
}

/// The names of the briefing and its older versions.
fn names() -> [String; 3] {
    [NAME.to_owned(), format!("{NAME}.1"), format!("{NAME}.2")]
}

/// Puts a briefing in place, in which what is ours may be shown, and the ones before it one further; whether it is another than before. A run that was
/// killed in between is gone on with by the next one: no step is done twice, since each looks what is there.
pub fn put(folder: &Path, text: &str) -> Result<bool, Failure> {
    let targets = names().map(|name| super::own_file(folder, &name));
    let [briefing, first, second] = targets;
    let (briefing, first, second) = (briefing?, first?, second?);
    let _lock = super::lock(folder)?;
    let new = Masked::exact(text);
    let (now, older) = (file::read(&briefing)?, file::read(&first)?);
    if now.as_deref() == Some(new.bytes()) {
        return Ok(false);
    }
    if let Some(now) = now.filter(|now| older.as_ref() != Some(now)) {
        if let Some(older) = older {
            let oldest = file::read(&second)?;
            if oldest.as_ref() != Some(&older) {
                if let Some(oldest) = oldest.filter(|oldest| !is_ours(folder, oldest)) {
                    archive(folder, &format!("{NAME}.2"), oldest)?;
                }
                file::replace(&second, &Masked::exact(older), Durable::Yes)?;
            }
        }
        file::replace(&first, &Masked::exact(now), Durable::Yes)?;
    }
    // First, so that it is known to be ours when it is there.
    remember(folder, &new)?;
    file::replace(&briefing, &new, Durable::Yes)?;
    Ok(true)
}

/// Brings the older version back, and the one before it one nearer; what is replaced goes to the archive. No when there
/// is no older one.
pub fn roll_back(folder: &Path) -> Result<bool, Failure> {
    let targets = names().map(|name| super::own_file(folder, &name));
    let [briefing, first, second] = targets;
    let (briefing, first, second) = (briefing?, first?, second?);
    let _lock = super::lock(folder)?;
    let Some(older) = file::read(&first)? else { return Ok(false) };
    if let Some(now) = file::read(&briefing)?.filter(|now| *now != older) {
        archive(folder, NAME, now)?;
    }
    file::replace(&briefing, &Masked::exact(older), Durable::Yes)?;
    match file::read(&second)? {
        Some(oldest) => {
            file::replace(&first, &Masked::exact(oldest), Durable::Yes)?;
            file::remove(&second)?;
        }
        None => file::remove(&first)?,
    }
    Ok(true)
}

/// Keeps a copy of a version.
fn archive(folder: &Path, name: &str, bytes: Vec<u8>) -> Result<(), Failure> {
    let place = archive::place(Path::new(name), clock::now(), &bytes, |place| file::read(&folder.join(place)))?;
    match place {
        (_, true) => Ok(()),
        (place, false) => archive::keep(folder, &place.to_string_lossy(), bytes),
    }
}

fn hashes(folder: &Path) -> Vec<String> {
    let text = super::cache(folder, WRITTEN).and_then(|target| file::read_text(&target)).unwrap_or_else(|failure| {
        log::say("lh-brief", &format!("{}: taken as if a person wrote the versions", failure.message));
        None
    });
    text.unwrap_or_default().lines().map(str::to_owned).collect()
}

/// Whether a version is as we wrote it. Where that is not known it counts as a person's.
fn is_ours(folder: &Path, bytes: &[u8]) -> bool {
    hashes(folder).contains(&archive::hash(Some(bytes)))
}

fn remember(folder: &Path, text: &Masked) -> Result<(), Failure> {
    let mut all = hashes(folder);
    all.push(archive::hash(Some(text.bytes())));
    all.drain(..all.len().saturating_sub(HASHES));
    let lines = all.join("\n") + "\n";
    super::cache_folder(folder, "")?;
    file::replace(&super::cache(folder, WRITTEN)?, &Masked::exact(lines), Durable::No)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(title: &str, points: usize) -> Section {
        Section { title: title.to_owned(), points: (0..points).map(|point| format!("{title} {point}")).collect() }
    }

    #[test]
    fn what_a_person_wrote_stays_and_comes_first() {
        let text = "mine\n## Rules\n- never on Friday\n```\n## Open (lh)\n```\n\n## Open (lh)\n- a\nx\n# Other\n- b\n";
        let page = Page::parse(text);
        let theirs = "mine\n## Rules\n- never on Friday\n```\n## Open (lh)\n```\n\n# Other\n- b\n";
        assert_eq!(page.theirs, theirs);
        assert_eq!(page.ours, [Section { title: "Open".to_owned(), points: vec!["a".to_owned()] }]);
        let (text, cut) = page.text(LINES);
        assert_eq!((text.as_str(), cut), (&*format!("{theirs}\n## Open (lh)\n- a\n"), 0));
        assert_eq!(Page::parse(&text).text(LINES).0, text);
        assert_eq!(Page::default().text(LINES), (String::new(), 0));
    }

    #[test]
    fn a_page_keeps_its_bound_and_never_cuts_a_person() {
        let ours = vec![section("a", 50), section("b", 3), section("c", 40)];
        for theirs in [0, 1, 40, 77, 78, 79, 200] {
            let page = Page { theirs: "x\n".repeat(theirs), ours: ours.clone() };
            let (text, cut) = page.text(LINES);
            assert!(text.lines().count() <= LINES.max(theirs), "{theirs}: {}", text.lines().count());
            assert_eq!(text.matches("x\n").count(), theirs);
            assert!(cut > 0 && (theirs > 70 || text.contains("- b 2\n") && text.contains("- a 0\n")), "{theirs}");
        }
    }

    #[test]
    fn versions_go_one_further_and_come_back() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path();
        let put = |text: &str| put(folder, text).unwrap();
        let there = || names().map(|name| std::fs::read_to_string(folder.join(name)).unwrap_or_default());
        assert!(put("1\n") && !put("1\n") && put("2\n") && put("3\n"));
        assert_eq!(there(), ["3\n", "2\n", "1\n"]);
        // Killed between any two steps, the next run ends as if it had not been.
        for [now, first, second] in [["3\n", "2\n", "2\n"], ["3\n", "3\n", "2\n"], ["3\n", "2\n", "1\n"]] {
            for (name, text) in names().iter().zip([now, first, second]) {
                std::fs::write(folder.join(name), text).unwrap();
            }
            assert!(put("4\n"));
            assert_eq!(there(), ["4\n", "3\n", "2\n"], "{now} {first} {second}");
        }
        assert!(!archive::has(folder, "briefing.md.2"));
        // What a person changed is kept when it falls off.
        std::fs::write(folder.join("briefing.md.2"), "mine\n").unwrap();
        assert!(put("5\n") && archive::has(folder, "briefing.md.2"));
        assert_eq!(there(), ["5\n", "4\n", "3\n"]);
        assert!(roll_back(folder).unwrap() && archive::has(folder, NAME));
        assert_eq!(there(), ["4\n", "3\n", ""]);
        assert!(roll_back(folder).unwrap());
        assert_eq!(there(), ["3\n", "", ""]);
        assert!(!roll_back(folder).unwrap());
        assert_eq!(
            (profile("opsx:explore").as_deref(), profile("../x"), profile("a/b")),
            (Some("profiles/opsx:explore.md"), None, None)
        );
    }
}
