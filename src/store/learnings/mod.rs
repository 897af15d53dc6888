//! The learnings in the knowledge folder: one markdown file each, write-once, for people and for
//! indexers. No lock and no state is in that folder: a name is taken by creating it.

pub mod apart;
mod deprecate;
pub mod review;

pub use deprecate::{Deprecation, deprecate, reactivate};

use crate::base::exit::Failure;
use crate::base::file::{self, Durable, Root};
use crate::base::front_matter::{self, FrontMatter};
use crate::base::text;
use crate::record::item::{self, Gist, Item, ItemKind};
use crate::redact::Redactor;
use crate::store::Added;
use crate::store::receipts::{Page, Receipts, Said, TakenOut, Wrote};
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// A learning as it is in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Learning {
    /// Its title.
    pub title: String,
    /// Its file.
    pub path: PathBuf,
    /// Not deprecated.
    pub active: bool,
}

/// All learnings, the newest by file name first, deprecated ones too; without reviews. A title with its
/// text is there once: what a synchroniser puts beside a file as its conflict copy is not a second learning.
pub fn newest(folder: &Path) -> Result<Vec<Learning>, Failure> {
    let mut found: Vec<Learning> = Vec::new();
    let mut known: HashMap<String, Vec<usize>> = HashMap::new();
    for month in file::names(folder)?.into_iter().rev() {
        let month = folder.join(month);
        for name in file::names(&month).unwrap_or_default().into_iter().rev() {
            let path = month.join(&name);
            let name = name.to_string_lossy();
            let Some(learning) = is_page(&name).then(|| read(&path)).flatten() else { continue };
            let titled = known.entry(learning.title.clone()).or_default();
            // Texts are read only where two titles are the same.
            let text = if titled.is_empty() { String::new() } else { learning_text(&learning.path) };
            let same = |at: &&usize| found.get(**at).is_some_and(|known| learning_text(&known.path) == text);
            if let Some(same) = titled.iter().find(same).copied().and_then(|at| found.get_mut(at)) {
                same.unite(learning);
            } else {
                titled.push(found.len());
                found.push(learning);
            }
        }
    }
    Ok(found)
}

/// A learning with what it says.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its title, file and state.
    pub learning: Learning,
    /// Its id: of those with one title and origin the oldest has that of the title.
    pub id: String,
    /// What it says, as far as it is compared.
    pub text: String,
}

/// So much of a learning's file is compared.
const COMPARED_BYTES: u64 = 64 << 10;

/// All learnings with what they say, as [`newest`] finds them.
pub fn all(folder: &Path) -> Result<Vec<Entry>, Failure> {
    let mut titled: HashMap<String, Vec<usize>> = HashMap::new();
    let mut found: Vec<(Entry, String)> = Vec::new();
    for learning in newest(folder)? {
        // What is gone or cannot be read any more is not compared.
        let Ok(page) = file::read_head(&learning.path, COMPARED_BYTES) else { continue };
        let page = FrontMatter::parse(&page.replace("\r\n", "\n"));
        let origin = page.get("origin").unwrap_or_default().to_owned();
        let id = item::id(ItemKind::Learning, &origin, &learning.title);
        titled.entry(id.clone()).or_default().push(found.len());
        let text = said_under_heading(&page.body);
        found.push((Entry { learning, id, text }, origin));
    }
    for same in titled.values_mut().filter(|same| same.len() > 1) {
        same.sort_by_cached_key(|at| found.get(*at).map(|(entry, _)| entry.learning.age()));
        for at in same.iter().skip(1) {
            let Some((entry, origin)) = found.get_mut(*at) else { continue };
            let item = Item { learning: entry.text.clone(), ..entry.learning.item() };
            entry.id = item.own_id(ItemKind::Learning, origin);
        }
    }
    let mut entries: Vec<Entry> = found.into_iter().map(|(entry, _)| entry).collect();
    let mut ids = HashSet::new();
    for entry in &mut entries {
        // Two that differ in signs alone.
        if !ids.insert(entry.id.clone()) {
            entry.id =
                item::hash(entry.learning.path.strip_prefix(folder).unwrap_or(folder).as_os_str().as_encoded_bytes());
        }
    }
    Ok(entries)
}

/// A learning as a start tells it.
#[derive(Clone, Debug)]
pub struct Told {
    /// Its file.
    pub path: PathBuf,
    /// The project that it comes from.
    pub origin: String,
    /// Its title and what it says.
    pub item: Item,
}

/// The active ones among so many newest files.
pub fn latest(folder: &Path, most: usize) -> Result<Vec<Told>, Failure> {
    let months = file::names(folder)?.into_iter().rev().map(|month| folder.join(month));
    let pages = months.flat_map(|month| {
        let names = file::names(&month).unwrap_or_default().into_iter().rev();
        names.map(move |name| month.join(name))
    });
    let is_page = |path: &PathBuf| is_page(&path.file_name().unwrap_or_default().to_string_lossy());
    let told = |path: PathBuf| {
        let page = FrontMatter::parse(&file::read_head(&path, COMPARED_BYTES).ok()?.replace("\r\n", "\n"));
        let summary = page.get("title").filter(|title| !title.is_empty())?.to_owned();
        let active = page.get("status").is_none_or(|status| status == "active");
        let origin = page.get("origin").unwrap_or_default().to_owned();
        let item = Item { summary, learning: said_under_heading(&page.body), ..Item::default() };
        active.then_some(Told { path, origin, item })
    };
    Ok(pages.filter(is_page).take(most).filter_map(told).collect())
}

/// Whether a file of that name is a learning: `_review-2026-04-13.md`, like whatever begins so, is a review, and one
/// that has the word elsewhere in its name is none.
fn is_page(name: &str) -> bool {
    Path::new(name).extension() == Some(OsStr::new("md")) && !name.starts_with(['.', '_'])
}

impl Learning {
    /// Another file with the same title: the one with the shorter name is the original, and what one of
    /// them says to be deprecated is.
    fn unite(&mut self, other: Self) {
        let length = |path: &Path| path.file_name().map_or(0, OsStr::len);
        if length(&other.path) < length(&self.path) {
            self.path = other.path;
        }
        self.active &= other.active;
    }

    /// What it says, as an item.
    fn item(&self) -> Item {
        Item { summary: self.title.clone(), learning: learning_text(&self.path), ..Item::default() }
    }

    /// The day in its file's name and then the length of that name: what came first is the least.
    fn age(&self) -> (String, usize) {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        (name.chars().take(10).collect(), name.len())
    }
}

fn read(path: &Path) -> Option<Learning> {
    let front = FrontMatter::read(path).ok()?;
    let title = front.get("title").filter(|title| !title.is_empty())?.to_owned();
    let active = front.get("status").is_none_or(|status| status == "active");
    Some(Learning { title, path: path.to_path_buf(), active })
}

/// What a learning's page says under its first heading; "" where it cannot be read.
fn learning_text(path: &Path) -> String {
    let body = FrontMatter::parse(&file::read_text(path).ok().flatten().unwrap_or_default()).body;
    said_under_heading(&body)
}

fn said_under_heading(body: &str) -> String {
    let text = body.split_once("## Learning\n").map_or(body, |(_, text)| text);
    text.split("\n## ").next().unwrap_or_default().trim().to_owned()
}

/// All learnings, to compare new ones with.
pub struct Shelf<'a> {
    /// The folder at the top, out of which nothing is written.
    top: &'a Path,
    folder: &'a Path,
    redactor: &'a Redactor,
    receipts: Option<&'a Receipts<'a>>,
    /// Each with the gist and the canonical form of its title.
    known: Vec<(Learning, Gist, String)>,
}

impl<'a> Shelf<'a> {
    /// Reads the titles of all learnings.
    pub fn read(top: &'a Path, folder: &'a Path, redactor: &'a Redactor) -> Result<Self, Failure> {
        let known = newest(folder)?.into_iter().map(with_title).collect();
        Ok(Self { top, folder, redactor, receipts: None, known })
    }

    /// Notes what is written, before it is.
    #[must_use]
    pub fn with_receipts(self, receipts: &'a Receipts<'a>) -> Self {
        Self { receipts: Some(receipts), ..self }
    }

    /// Writes a learning of the local day `day` unless there is one that says the same.
    /// One whose id is that of another claim gets an id of its own.
    pub fn keep(&mut self, item: &mut Item, project: &str, day: &str) -> Result<(PathBuf, Added), Failure> {
        let (gist, title) = (Gist::of_item(item, ItemKind::Learning), Gist::of_text(&item.summary));
        let titled = |of: &(Learning, Gist, String)| of.0.title == item.summary || of.1.is_equal(&title);
        let near = self.known.iter().filter(|of| titled(of) || title.is_near(&of.1, false));
        let mut near: Vec<&(Learning, Gist, String)> = near.collect();
        near.sort_by_key(|of| !titled(of));
        let same =
            near.into_iter().find(|(known, ..)| gist.is_near(&Gist::of_item(&known.item(), ItemKind::Learning), false));
        item.id = self.id(item, project);
        match same {
            Some(same) if titled(same) => return Ok((same.0.path.clone(), Added::Unchanged)),
            Some((known, ..)) => {
                return Ok((known.path.clone(), Added::DuplicateOf(self.id(&known.item(), project))));
            }
            None => {}
        }
        let kept = write(self, item, project, day)?;
        if let (path, Added::Written) = &kept {
            self.known.push(with_title(Learning { title: item.summary.clone(), path: path.clone(), active: true }));
        }
        Ok(kept)
    }

    /// The id of a learning: of two with one title the first has that of the title.
    fn id(&self, item: &Item, project: &str) -> String {
        let canonical = text::canonical(&item.summary);
        let titled = self.known.iter().filter(|(.., title)| *title == canonical).map(|(known, ..)| known);
        let near = |first: &Item| {
            Gist::of_item(item, ItemKind::Learning).is_near(&Gist::of_item(first, ItemKind::Learning), false)
        };
        let first = titled.min_by_key(|known| known.age()).map(Learning::item);
        if first.is_none_or(|first| near(&first)) {
            item::id(ItemKind::Learning, project, &item.summary)
        } else {
            item.own_id(ItemKind::Learning, project)
        }
    }
}

fn with_title(learning: Learning) -> (Learning, Gist, String) {
    let (gist, canonical) = (Gist::of_text(&learning.title), text::canonical(&learning.title));
    (learning, gist, canonical)
}

fn write(shelf: &Shelf<'_>, item: &Item, project: &str, day: &str) -> Result<(PathBuf, Added), Failure> {
    let root = Root::new(shelf.top);
    let month_name = day.get(..7).unwrap_or(day);
    let is_first = !shelf.folder.join(month_name).is_dir();
    let month = root.inside(shelf.folder.join(month_name))?;
    let slug = match text::slug(&item.summary) {
        slug if slug.is_empty() => item::hash(item.summary.as_bytes()),
        slug => slug,
    };
    let page = shelf.redactor.masked(&page(item, project, day));
    let mut number = 1_u32;
    loop {
        let ending = if number == 1 { String::new() } else { format!("-{number}") };
        let name = format!("{day}-{slug}{ending}.md");
        let path = month.join(&name);
        if let Some(receipts) = shelf.receipts.filter(|_| path.symlink_metadata().is_err()) {
            let said = Said { id: item.id.clone(), text: item.summary.clone(), undone: false };
            let (path, hash) = (format!("{month_name}/{name}"), item::hash(page.bytes()));
            receipts.add([Wrote::Page(Page { said, path, hash, is_first })])?;
        }
        root.folder(&month)?;
        if file::create(&root.file(&path)?, &page, Durable::Yes)? {
            return Ok((path, Added::Written));
        }
        // Deprecated or not: the same title and text on the same day are the same learning.
        if FrontMatter::read(&path)?.get("title") == Some(item.summary.as_str())
            && learning_text(&path) == item.learning.trim()
        {
            return Ok((path, Added::Unchanged));
        }
        number += 1;
    }
}

/// Removes a page that a run of ours wrote, if it is still as it was written, and its month's folder, if that `goes` when
/// it is empty. Says whether it was there, and why it stays if it does; an error where it cannot be reached now. A `dry`
/// run changes nothing.
pub fn take_out(top: &Path, folder: &Path, page: &Page, goes: bool, dry: bool) -> Result<TakenOut, Failure> {
    let kept = |why: &str| Ok(TakenOut { removed: false, kept: why.to_owned() });
    let name = Path::new(&page.path);
    let parts: Vec<Component> = name.components().collect();
    let [Component::Normal(month), Component::Normal(file)] = parts.as_slice() else {
        return kept("the receipt does not name a learning");
    };
    if !is_page(&file.to_string_lossy()) {
        return kept("the receipt does not name a learning");
    }
    if !folder.is_dir() {
        return Err(Failure::later(format!("'{}' is not there", folder.display())));
    }
    let root = Root::new(top);
    let path = root.inside(folder.join(name))?;
    let there = if path.is_symlink() { None } else { file::read(&path)? };
    match &there {
        Some(bytes) if item::hash(bytes) != page.hash => return kept("changed since"),
        None if path.symlink_metadata().is_ok() => return kept("it is a link"),
        _ => {}
    }
    if !dry {
        file::remove(&root.file(folder.join(name))?)?;
        if goes {
            file::remove_folder(&root.inside(folder.join(month))?);
        }
    }
    Ok(TakenOut { removed: there.is_some(), kept: String::new() })
}

fn page(item: &Item, project: &str, day: &str) -> String {
    let scope = match item.scope.as_str() {
        known @ ("universal" | "frontend" | "backend" | "infra" | "consulting") => known,
        _ => "universal",
    };
    format!(
        "---\ntitle: {}\norigin: {}\norigin_session: {day}\ntags: {}\nscope: {scope}\nstatus: active\n\
         deprecated_by: null\ndeprecated_on: null\ndeprecated_reason: null\n---\n\n## Learning\n\n{}\n\n## Context\n\n{}\n",
        front_matter::quoted(&item.summary),
        front_matter::plain(project),
        front_matter::quoted_list(&item.tags),
        item.learning.trim(),
        item.context.trim(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learning(title: &str, text: &str) -> Item {
        let tags = vec!["git".to_owned(), "a \"b\"".to_owned()];
        let (summary, learning) = (title.to_owned(), text.to_owned());
        Item { summary, learning, context: "C".to_owned(), tags, ..Item::default() }
    }

    #[test]
    fn a_page_is_as_the_predecessor_wrote_it_and_comes_back() {
        let home = tempfile::tempdir().unwrap();
        let redactor = Redactor::new(&crate::base::config::Privacy::default()).unwrap();
        let folder = home.path().join("learnings");
        let mut shelf = Shelf::read(home.path(), &folder, &redactor).unwrap();
        let mut keep = |item: &mut Item| shelf.keep(item, "lh", "2026-04-13").unwrap();
        let (path, added) = keep(&mut learning("Use when: a \"link\" breaks", " Follow it. "));
        assert_eq!(path, folder.join("2026-04/2026-04-13-use-when-a-link-breaks.md"));
        let known = "---\ntitle: \"Use when: a \\\"link\\\" breaks\"\norigin: lh\norigin_session: 2026-04-13\n\
            tags: [\"git\",\"a \\\"b\\\"\"]\nscope: universal\nstatus: active\ndeprecated_by: null\n\
            deprecated_on: null\ndeprecated_reason: null\n---\n\n## Learning\n\nFollow it.\n\n## Context\n\nC\n";
        assert_eq!((added, std::fs::read_to_string(&path).unwrap()), (Added::Written, known.to_owned()));
        assert_eq!(keep(&mut learning("Use when: a \"link\" breaks", "Follow it.")), (path.clone(), Added::Unchanged));
        let found = newest(&folder).unwrap();
        assert_eq!(found, [Learning { title: "Use when: a \"link\" breaks".to_owned(), path, active: true }]);
        assert_eq!(found[0].item().learning, "Follow it.");
    }

    #[test]
    fn a_review_begins_with_a_sign_and_a_learning_can_be_about_one() {
        for name in ["_review-2026-04-13.md", "_review.md", ".a.md", ".2026-04-13-a.md.tmp", "a.txt", "md", "_review"] {
            assert!(!is_page(name), "{name}");
        }
        for name in [
            "2026-04-13-a.md",
            "2026-04-13-ask-for-a-review.md",
            "2026-04-13-review-2026-04-13-host.md",
            "review.md",
            "2026-04-13-x_review-2026-04-13.md",
            "2026-04-13-a-review-host.sync-conflict-20260413-1.md",
        ] {
            assert!(is_page(name), "{name}");
        }
        // At any level.
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("learnings");
        file::create_folder(&folder.join("2026-04")).unwrap();
        let page = |title: &str| format!("---\ntitle: {title}\nstatus: active\n---\n\n## Learning\n\nx\n");
        for name in ["_review-2026-04-13.md", "2026-04/_review-2026-04-13.md", "2026-04/2026-04-13-code-review-host.md"]
        {
            std::fs::write(folder.join(name), page(name)).unwrap();
        }
        let titles: Vec<String> = newest(&folder).unwrap().into_iter().map(|learning| learning.title).collect();
        assert_eq!(titles, ["2026-04/2026-04-13-code-review-host.md"]);
        assert_eq!(latest(&folder, 9).unwrap().len(), 1);
    }

    /// The predecessor's names end with the host.
    #[test]
    fn a_learning_of_the_predecessor_is_written_once() {
        let home = tempfile::tempdir().unwrap();
        let redactor = Redactor::new(&crate::base::config::Privacy::default()).unwrap();
        let folder = home.path().join("learnings");
        let month = folder.join("2026-04");
        file::create_folder(&month).unwrap();
        let title = "Say \"when\"";
        let page = |text: &str, status: &str| {
            format!(
                "---\ntitle: \"{title}\"\norigin: lh\norigin_session: 2026-04-13\ntags: [\"a\"]\nscope: universal\nstatus: {status}\n\
                 deprecated_by: null\n---\n\n## Learning\n\n{text}\n\n## Context\n\nC\n"
            )
        };
        let there = month.join("2026-04-13-say-when-my-host.md");
        std::fs::write(&there, page("Follow it.", "active")).unwrap();
        // Of another machine, and copies that a synchroniser made.
        for name in [
            "2026-04-13-say-when-the-other-host.md",
            "2026-04-13-say-when-my-host.sync-conflict-20260413-183245-ABCDEFG.md",
            "2026-04-13-say-when-my-host (conflicted copy 2026-04-13).md",
        ] {
            std::fs::write(month.join(name), page("Follow it.", "active")).unwrap();
        }
        let found = newest(&folder).unwrap();
        assert_eq!(found, [Learning { title: title.to_owned(), path: there.clone(), active: true }]);
        let keep = |text: &str, day: &str| {
            let mut shelf = Shelf::read(home.path(), &folder, &redactor).unwrap();
            shelf.keep(&mut learning(title, text), "lh", day).unwrap()
        };
        assert_eq!(keep("Follow it.", "2026-04-13"), (there.clone(), Added::Unchanged));
        assert_eq!(keep("Follow it.", "2026-04-14"), (there.clone(), Added::Unchanged));
        std::fs::write(month.join("2026-04-13-say-when-the-other-host.md"), page("Follow it.", "deprecated")).unwrap();
        assert!(!newest(&folder).unwrap()[0].active);
        assert_eq!(keep("Follow it.", "2026-04-13").1, Added::Unchanged);
        // What says something else is another learning, whatever its title.
        assert_eq!(keep("Never answer before noon.", "2026-04-13").0, month.join("2026-04-13-say-when.md"));
    }

    #[test]
    fn reviews_and_conflict_copies_are_not_learnings() {
        let home = tempfile::tempdir().unwrap();
        let month = home.path().join("2026-04");
        file::create_folder(&month).unwrap();
        let page =
            |title: &str, status: &str| format!("---\ntitle: {title}\nstatus: {status}\n---\n\n## Learning\n\nx\n");
        for (name, text) in [
            ("2026-04-13-a.md", page("A", "active")),
            ("2026-04-13-a (conflict copy).md", page("A", "deprecated")),
            ("2026-04-14-b.md", page("B", "active")),
            ("_review-2026-04-14.md", page("R", "active")),
            (".hidden.md", page("H", "active")),
            ("2026-04-15-c.md", "no front matter".to_owned()),
        ] {
            std::fs::write(month.join(name), text).unwrap();
        }
        let found: Vec<_> =
            newest(home.path()).unwrap().into_iter().map(|learning| (learning.title, learning.active)).collect();
        assert_eq!(found, [("B".to_owned(), true), ("A".to_owned(), false)]);
    }
}
