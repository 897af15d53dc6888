//! The learnings in the knowledge folder: one markdown file each, write-once, for people and for
//! indexers. No lock and no state is in that folder: a name is taken by creating it.

mod deprecate;
pub mod review;

pub use deprecate::{by_hand, deprecate};

use crate::base::exit::Failure;
use crate::base::file::{self, Durable, Root};
use crate::base::front_matter::{self, FrontMatter};
use crate::record::item::{self, Gist, Item, ItemKind};
use crate::store::Added;
use crate::store::receipts::{ReceiptLine, Receipts, TakenOut, WrittenItem, Wrote};
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

const KIND: ItemKind = ItemKind::Learning;
/// What a learning can be about; the first one where nothing is said.
pub const SCOPES: [&str; 5] = ["universal", "frontend", "backend", "infra", "consulting"];
/// So much of a learning's file is read.
const READ_BYTES: u64 = 64 << 10;

/// A learning as it is in a file.
#[derive(Clone, Debug)]
pub struct Learning {
    /// Its file.
    pub path: PathBuf,
    /// The project that it comes from.
    pub origin: String,
    /// Not deprecated.
    pub active: bool,
    /// Its title and what it says. It has an id if all learnings were read: of those with one title and origin the
    /// oldest has that of the title.
    pub item: Item,
}

/// All learnings, the newest by file name first, deprecated ones too; without reviews. A title with its
/// text is there once: what a synchroniser puts beside a file as its conflict copy is not a second learning.
pub fn newest(folder: &Path) -> Result<Vec<Learning>, Failure> {
    let mut found: Vec<Learning> = Vec::new();
    let mut titled: HashMap<String, Vec<usize>> = HashMap::new();
    for learning in pages(folder)?.filter_map(read) {
        let titled = titled.entry(learning.item.summary.clone()).or_default();
        if let Some(at) = titled.iter().find(|at| found[**at].item.learning == learning.item.learning) {
            found[*at].unite(learning);
        } else {
            titled.push(found.len());
            found.push(learning);
        }
    }
    let mut by_age: Vec<&mut Learning> = found.iter_mut().collect();
    by_age.sort_by_cached_key(|learning| learning.age());
    let mut ids = HashSet::new();
    for Learning { path, origin, item, .. } in by_age {
        // Of two with one title, or that differ in signs alone, the later one has another id.
        let usual = [item::id(KIND, origin, &item.summary)].into_iter();
        let mut usual = usual.chain(std::iter::once_with(|| item.own_id(origin)));
        let of_path = || item::hash(path.strip_prefix(folder).unwrap_or(path).as_os_str().as_encoded_bytes());
        let id = usual.find(|id| !ids.contains(id)).unwrap_or_else(of_path);
        item.id = id;
        ids.insert(item.id.clone());
    }
    Ok(found)
}

/// The active ones among so many newest files.
pub fn latest(folder: &Path, most: usize) -> Result<Vec<Learning>, Failure> {
    Ok(pages(folder)?.take(most).filter_map(read).filter(|learning| learning.active).collect())
}

/// The files of learnings, the newest by name first.
fn pages(folder: &Path) -> Result<impl Iterator<Item = PathBuf>, Failure> {
    let months = file::names(folder)?.into_iter().rev().map(|month| folder.join(month)).collect::<Vec<_>>();
    let pages = months.into_iter().flat_map(|month| {
        let names = file::names(&month).unwrap_or_default().into_iter().rev();
        names.filter(|name| is_page(&name.to_string_lossy())).map(move |name| month.join(name))
    });
    Ok(pages)
}

/// Whether a file of that name is a learning: `_review-2026-04-13.md`, like whatever begins so, is a review, and one
/// that has the word elsewhere in its name is none.
fn is_page(name: &str) -> bool {
    Path::new(name).extension() == Some(OsStr::new("md")) && !name.starts_with(['.', '_'])
}

/// Reads one; none for what cannot be read or has no title.
fn read(path: PathBuf) -> Option<Learning> {
    let page = FrontMatter::parse(&file::read_head(&path, READ_BYTES).ok()?.replace("\r\n", "\n"));
    let summary = page.get("title").filter(|title| !title.is_empty())?.to_owned();
    let active = page.get("status").is_none_or(|status| status == "active");
    let origin = page.get("origin").unwrap_or_default().to_owned();
    // What is under its first heading.
    let text = page.body.split_once("## Learning\n").map_or(page.body.as_str(), |(_, text)| text);
    let learning = text.split("\n## ").next().unwrap_or_default().trim().to_owned();
    Some(Learning { path, origin, active, item: Item { learning, ..Item::new(KIND, summary) } })
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

    /// The day in its file's name and then the length of that name: what came first is the least.
    fn age(&self) -> (String, usize) {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        (name.chars().take(10).collect(), name.len())
    }
}

/// All learnings, to compare new ones with.
pub struct Shelf<'a> {
    /// The folder at the top, out of which nothing is written.
    top: &'a Path,
    folder: &'a Path,
    notes: &'a Receipts<'a>,
    /// Each with the gist of its title.
    known: Vec<(Learning, Gist)>,
}

impl<'a> Shelf<'a> {
    /// Reads all learnings; what is written is noted before.
    pub fn read(top: &'a Path, folder: &'a Path, notes: &'a Receipts<'a>) -> Result<Self, Failure> {
        let known = newest(folder)?.into_iter().map(with_gist).collect();
        Ok(Self { top, folder, notes, known })
    }

    /// Writes a learning unless there is one that says the same. One with the id of another claim gets an id of its
    /// own.
    pub fn keep(&mut self, item: &mut Item) -> Result<(PathBuf, Added), Failure> {
        let (gist, title) = (Gist::of_item(item), Gist::of_text(&item.summary));
        let titled = |of: &&(Learning, Gist)| of.0.item.summary == item.summary || of.1.is_equal(&title);
        let says = |of: &&(Learning, Gist)| gist.is_near(&Gist::of_item(&of.0.item), false);
        if let Some((Learning { path, item: known, .. }, _)) = self.known.iter().filter(|of| titled(of)).find(says) {
            item.id.clone_from(&known.id);
            return Ok((path.clone(), Added::Unchanged));
        }
        if let Some((known, _)) = self.known.iter().filter(|of| title.is_near(&of.1, false)).find(says) {
            return Ok((known.path.clone(), Added::DuplicateOf(known.item.id.clone())));
        }
        let project = self.notes.project;
        item.id = item::id(KIND, project, &item.summary);
        if self.known.iter().any(|(known, _)| known.item.id == item.id) {
            item.id = item.own_id(project);
        }
        let kept = self.write(item)?;
        if let (path, Added::Written) = &kept {
            let (path, origin) = (path.clone(), project.to_owned());
            self.known.push(with_gist(Learning { path, origin, active: true, item: item.clone() }));
        }
        Ok(kept)
    }

    fn write(&self, item: &Item) -> Result<(PathBuf, Added), Failure> {
        let ts = &self.notes.ts;
        let day = ts.get(..10).ok_or_else(|| Failure::data(format!("field 'ts': '{ts}' does not begin with a day")))?;
        let root = Root::new(self.top);
        let month_name = day.get(..7).unwrap_or(day);
        let month = root.inside(self.folder.join(month_name))?;
        let page = self.notes.redactor.masked(&page(item, self.notes.project, day));
        let mut number = 1_u32;
        loop {
            let ending = if number == 1 { String::new() } else { format!("-{number}") };
            let name = format!("{day}-{}{ending}.md", item::slug(&item.summary));
            let path = month.join(&name);
            if path.symlink_metadata().is_err() {
                let said = WrittenItem { id: item.id.clone(), text: item.summary.clone(), undone: false };
                let (kind, path) = (KIND.word().to_owned(), format!("{month_name}/{name}"));
                let hash = item::hash(page.bytes());
                self.notes.add([Wrote::Page(ReceiptLine { said, kind, hash, path, ..ReceiptLine::default() })])?;
            }
            root.folder(&month)?;
            if file::create(&root.file(&path)?, &page, Durable::Yes)? {
                return Ok((path, Added::Written));
            }
            // Deprecated or not: the same title and text on the same day are the same learning.
            let there = read(path.clone()).map(|there| there.item);
            let is_same = |there: &Item| there.summary == item.summary && there.learning == item.learning.trim();
            if there.is_some_and(|there| is_same(&there)) {
                return Ok((path, Added::Unchanged));
            }
            number += 1;
        }
    }
}

fn with_gist(learning: Learning) -> (Learning, Gist) {
    let gist = Gist::of_text(&learning.item.summary);
    (learning, gist)
}

/// Removes a page that a run of ours wrote, if it is still as it was written, and its month's folder, if that is empty
/// then. Says whether it was there, and why it stays if it does; an error where it cannot be reached now. A `dry` run
/// changes nothing.
pub fn take_out(top: &Path, folder: &Path, page: &ReceiptLine, dry: bool) -> Result<TakenOut, Failure> {
    let name = Path::new(&page.path);
    let parts: Vec<Component> = name.components().collect();
    let is_named =
        matches!(parts[..], [Component::Normal(_), Component::Normal(file)] if is_page(&file.to_string_lossy()));
    if !is_named {
        return Ok(TakenOut::kept("the receipt does not name a learning"));
    }
    if !folder.is_dir() {
        return Err(Failure::later(format!("'{}' is not there", folder.display())));
    }
    let root = Root::new(top);
    let path = root.inside(folder.join(name))?;
    let there = if path.is_symlink() { None } else { file::read(&path)? };
    match &there {
        Some(bytes) if item::hash(bytes) != page.hash => return Ok(TakenOut::kept("changed since")),
        None if path.symlink_metadata().is_ok() => return Ok(TakenOut::kept("it is a link")),
        _ => {}
    }
    if !dry {
        file::remove(&root.file(folder.join(name))?)?;
        file::remove_folder(path.parent().unwrap_or(&path));
    }
    Ok(TakenOut { removed: there.is_some(), kept: String::new() })
}

fn page(item: &Item, project: &str, day: &str) -> String {
    let scope = match item.scope.as_str() {
        known if SCOPES.contains(&known) => known,
        _ => SCOPES[0],
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
    use crate::base::cases::rows;

    #[test]
    fn a_review_begins_with_a_sign_and_a_learning_can_be_about_one() {
        for [name, wanted] in rows(include_str!("names.tsv")) {
            assert_eq!(is_page(&name), wanted == "page", "{name}");
        }
        // At any level, and not what a synchroniser made of a page.
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("learnings");
        file::create_folder(&folder.join("2026-04")).unwrap();
        for [name, text] in rows(include_str!("pages.tsv")) {
            std::fs::write(folder.join(name), text).unwrap();
        }
        let found: Vec<_> = newest(&folder).unwrap().into_iter().map(|one| (one.item.summary, one.active)).collect();
        assert_eq!(found, [("B".to_owned(), true), ("A".to_owned(), false)]);
        assert_eq!(latest(&folder, 9).unwrap().len(), 2);
    }
}
