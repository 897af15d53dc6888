//! Typed memories: a markdown file for each fact, with `name`, `description` and `type` at its head, in the folder in
//! which the client, its agent and people keep theirs, too. `MEMORY.md` is the index. Where each one of ours came from
//! is in the journal of memories; [`sync`] brings the files to what that says.

pub mod index;
mod rebuild;
mod state;
mod sync;
pub mod told;

pub use rebuild::{check, follow, followed, rebuild, without};
pub use state::NAME as KEPT;
pub use sync::{sync, sync_without};

use crate::base::exit::Failure;
use crate::base::file::{self, Durable, Folder};
use crate::base::front_matter::FrontMatter;
use crate::base::log;
use crate::base::stale_names::Seen;
use crate::record::item::{self, Item, ItemKind};
use crate::store::{self, Memory, journal};
use jiff::Timestamp;
use state::MemoriesState;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Other files of a memory folder, which are not typed memories.
const PAGES: &[&str] = &["handoff.md", "progress.md", "pre-compact-summary.md", "briefing.md", "INDEX.md"];
/// What a typed memory can be.
pub const TYPES: [&str; 4] = ["user", "feedback", "project", "reference"];

/// A typed memory as it is in its file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Note {
    /// The file's name.
    pub file: String,
    /// Its name, else that of its file.
    pub name: String,
    /// What it says in one sentence; else its first line.
    pub description: String,
    /// One of [`TYPES`], or what its author wrote; "" where nothing says it.
    pub kind: String,
    /// The text behind the front matter.
    pub body: String,
    /// The id of the item that it was made of; "" where another author wrote it.
    pub id: String,
    /// What is wrong with its front matter; "" where nothing is.
    pub flaw: &'static str,
}

impl Note {
    /// Reads one; none if the file is missing.
    pub fn read(folder: &Path, name: &str) -> Result<Option<Self>, Failure> {
        Ok(file::read_text(&folder.join(name))?.map(|text| Self::parse(name, &text)))
    }

    /// As an item; one that another author wrote has the id of its name.
    pub fn item(&self, project: &str) -> Item {
        let id = if self.id.is_empty() { item::id(ItemKind::Memory, project, &self.name) } else { self.id.clone() };
        Item {
            description: self.description.clone(),
            body: self.body.clone(),
            memory_type: self.kind.clone(),
            id,
            grounded: true,
            ..Item::new(ItemKind::Memory, self.name.clone())
        }
    }

    /// Of a file's text.
    pub fn parse(name: &str, text: &str) -> Self {
        let front = FrontMatter::parse(text);
        let field = |key: &str| {
            let nested = || front.get(&format!("metadata.{key}"));
            front.get(key).filter(|value| !value.is_empty()).or_else(nested).unwrap_or_default().to_owned()
        };
        let (own_name, own_description, kind) = (field("name"), field("description"), field("type"));
        let flaw = match () {
            () if front.fields.is_empty() && text.trim_start_matches('\u{feff}').starts_with("---") => {
                "its front matter has no end"
            }
            () if front.fields.is_empty() => "it has no front matter",
            () if own_name.is_empty() => "its front matter has no name",
            () if own_description.is_empty() => "its front matter has no description",
            () if !TYPES.contains(&kind.as_str()) => "its type is not user, feedback, project or reference",
            () => "",
        };
        let body = front.body.trim().to_owned();
        let first = || body.lines().map(|line| line.trim_start_matches('#').trim()).find(|line| !line.is_empty());
        Self {
            file: name.to_owned(),
            name: if own_name.is_empty() { name.trim_end_matches(".md").to_owned() } else { own_name },
            description: if own_description.is_empty() {
                first().unwrap_or_default().to_owned()
            } else {
                own_description
            },
            kind,
            id: field("id"),
            flaw,
            body,
        }
    }
}

/// Which items of a memory have a file that is as we wrote it.
pub struct Unchanged {
    folder: PathBuf,
    state: MemoriesState,
}

impl Unchanged {
    /// Of a memory.
    pub fn read(memory: &Memory) -> Result<Self, Failure> {
        Ok(Self { folder: memory.notes().to_path_buf(), state: MemoriesState::read(memory.notes())? })
    }

    /// The item that was made a file of this name.
    pub fn id_of(&self, file: &str) -> Option<&str> {
        self.state.notes.iter().find(|filed| filed.file == file).map(|filed| filed.id.as_str())
    }

    /// Whether an item may be told as its session said it: what was removed or changed by hand is not that any longer.
    pub fn has(&self, id: &str) -> bool {
        let Some(filed) = self.state.of(id) else { return true };
        let read = || file::read(&self.folder.join(&filed.file));
        match if filed.gone { Ok(None) } else { read() } {
            Ok(bytes) => bytes.is_some_and(|bytes| item::hash(&bytes) == filed.hash),
            // One that cannot be read is not known to be as it was written.
            Err(failure) => {
                log::say("lh", &failure.message);
                false
            }
        }
    }
}

/// The typed memories of a memory that another author wrote, or changed since we wrote them.
pub fn of_others(memory: &Memory) -> Result<Vec<Note>, Failure> {
    let folder = memory.notes();
    let state = MemoriesState::read(folder)?;
    let mut found = Vec::new();
    for name in names(folder)? {
        let bytes = match file::read_at_most(&folder.join(&name), file::PAGE_BYTES) {
            // One that cannot be read costs itself alone.
            Err(failure) => {
                log::say("lh", &failure.message);
                continue;
            }
            Ok(bytes) => bytes,
        };
        let Some(bytes) = bytes else { continue };
        let hash = item::hash(&bytes);
        if !state.notes.iter().any(|filed| filed.file == name && filed.hash == hash) {
            found.push(Note::parse(&name, &String::from_utf8_lossy(&bytes)));
        }
    }
    Ok(found)
}

/// What the memories with these ids name, as it was when they were kept.
pub fn seen(memory: &Memory, ids: &[&str]) -> Result<HashMap<String, Seen>, Failure> {
    let ids: Vec<&str> = ids.iter().copied().filter(|id| !id.is_empty()).collect();
    journal::seen(&memory.journal(ItemKind::Memory, true), ItemKind::Memory, &ids)
}

/// Whether a folder has pages of ours, which hold no memory.
fn has_pages(folder: &Path) -> bool {
    PAGES.iter().any(|page| folder.join(page).exists())
}

/// Makes an index where there is none.
pub fn begin(folder: &Path) -> Result<(), Failure> {
    let target = store::own_file(folder, index::NAME)?;
    if target.symlink_metadata().is_err() {
        file::create(&target, &index::kept(index::HEADING.to_vec()), Durable::Yes)?;
    }
    Ok(())
}

/// Takes the lines out of a folder's index that name our own pages, and makes an index where there are such pages and
/// none. Says whether that is a change, which a `dry` run does not make. The caller holds the folder's lock.
pub fn tidy(folder: &Path, dry: bool) -> Result<bool, Failure> {
    let (index, none) = (index::bytes(folder)?, index::Lines::new());
    if !dry {
        index::change(folder, &none, &none)?;
    }
    Ok(index::listed(&index, folder, &none, &none) != index)
}

/// Whether a file of that name in a memory folder is a typed memory.
pub fn is_note(name: &str) -> bool {
    Path::new(name).extension() == Some("md".as_ref())
        && !name.starts_with(['.', '_'])
        && !name.contains('/')
        && name != index::NAME
        && !PAGES.contains(&name)
}

/// The names of the typed memories of a folder, sorted.
pub fn names(folder: &Path) -> Result<Vec<String>, Failure> {
    let Some(folder) = Folder::open(folder)? else { return Ok(Vec::new()) };
    let mut names: Vec<String> = folder.files(is_note)?.into_iter().map(|(name, _)| name).collect();
    names.sort();
    Ok(names)
}

/// The names of the newest typed memories of a folder, at most so many, each with the time when it was last written to.
pub fn newest(folder: &Folder, most: usize) -> Result<Vec<(String, Option<Timestamp>)>, Failure> {
    let mut all = folder.files(is_note)?;
    let order = |(a, one): &(String, Option<Timestamp>), (b, other): &(String, Option<Timestamp>)| {
        other.cmp(one).then_with(|| a.cmp(b))
    };
    if all.len() > most {
        // The others need no order.
        all.select_nth_unstable_by(most, order);
        all.truncate(most);
    }
    all.sort_unstable_by(order);
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cases::rows;

    #[test]
    fn a_memory_is_read_in_each_of_its_forms() {
        let note = Note::parse(
            "tabs.md",
            "---\nname: tabs\ndescription: \"Tabs: always\"\nmetadata:\n  node_type: memory\n  type: feedback\n---\n\nUse tabs.\n",
        );
        assert_eq!((note.name.as_str(), note.description.as_str()), ("tabs", "Tabs: always"));
        assert_eq!((note.kind.as_str(), note.body.as_str(), note.flaw), ("feedback", "Use tabs.", ""));
        let bare = Note::parse("who-deploys.md", "# Who deploys\n\nAna.");
        assert_eq!((bare.name.as_str(), bare.description.as_str()), ("who-deploys", "Who deploys"));
        for [text, flaw] in rows(include_str!("flaws.tsv")) {
            assert_eq!(Note::parse("x.md", &text).flaw, flaw, "{text}");
        }
        for name in ["MEMORY.md", "handoff.md", ".x.md", "_x.md", "x.txt", "INDEX.md", "x/y.md", "/x.md"] {
            assert!(!is_note(name), "{name}");
        }
    }
}
