//! What the files of a home and of the memory are: readable, writable, where they belong, and closed to other users.

use super::{Finding, Subject};
use crate::agent::{layout, memory_dirs};
use crate::base::exit::Failure;
use crate::base::file::{self, Root, modified};
use crate::record::item::ItemKind;
use crate::store::{self, archive, handoff, journal, memories};
use crate::tool::{health, setup};
use std::path::{Path, PathBuf};

/// Files that are looked at below a folder, at most.
const FILES: usize = 50_000;

/// What lh-persist opens can be opened, each line of the journals' ends can be read, and when the last item was written.
pub fn memory(subject: &Subject) -> Finding {
    let (mut newest, mut bad, mut torn) = (None, Vec::new(), Vec::new());
    for folder in store::all(&subject.home, subject.settings) {
        let opened = health::memory(&folder)
            .and_then(|()| handoff::read(&folder).map(drop))
            .and_then(|()| memories::index::bytes(&folder).map(drop));
        bad.extend(opened.err().map(|failure| failure.message));
        let kinds = ItemKind::ALL.into_iter().filter(|kind| *kind != ItemKind::Learning);
        for path in kinds.flat_map(|kind| journal::files(&[&folder], kind, true)) {
            newest = newest.max(modified(&path));
            match file::read_tail(&path, 64 << 10) {
                Err(failure) if bad.contains(&failure.message) => {}
                Err(failure) => bad.push(failure.message),
                Ok(text) => {
                    let is_torn = |line: &&str| serde_json::from_str::<serde::de::IgnoredAny>(line).is_err();
                    match text.lines().filter(is_torn).count() {
                        0 => {}
                        count => torn.push(format!("{}: {count} lines cannot be read", path.display())),
                    }
                }
            }
        }
    }
    match newest {
        _ if !bad.is_empty() => {
            let todo = "until then its project's sessions are not remembered: mend its rights, or move it away";
            Finding::bad(bad.join("; "), todo)
        }
        _ if !torn.is_empty() => Finding::bad(torn.join("; "), "they are skipped: mend them"),
        None => Finding::note("nothing is remembered yet"),
        Some(time) => Finding::good(format!("last written {}", super::state::ago(super::state::age(time)))),
    }
}

/// A top folder may be a link of its user's, and leads where that says; a link below it that leads out is
/// refused by every tool.
pub fn links(subject: &Subject) -> Finding {
    let knowledge = match subject.settings.knowledge_folder() {
        Ok(knowledge) => knowledge,
        Err(failure) => return Finding::bad(failure.message, "mend that"),
    };
    let mut tops = vec![subject.home.clone(), layout::projects(&subject.home), knowledge.clone()];
    tops.extend(knowledge.parent().map(Path::to_path_buf));
    let linked: Vec<String> = tops
        .iter()
        .filter(|top| top.is_symlink())
        .map(|top| format!("{} leads to {}", top.display(), file::real_path(top).display()))
        .collect();
    let own = [("queue", true), ("logs", true), ("memory", false)];
    let mut bad = own.iter().find_map(|(name, deep)| led_away(&subject.home, vec![subject.home.join(name)], *deep));
    // A learnings folder elsewhere is where its user wants it.
    let pages = [subject.settings.sessions_folder(), subject.settings.learnings_folder()];
    let pages = pages.into_iter().flatten().filter(|folder| folder.starts_with(&knowledge)).collect();
    bad = bad.or_else(|| led_away(&knowledge, pages, true));
    let mut memories = memory_dirs::all(&subject.home, subject.settings).into_iter();
    bad = bad.or_else(|| memories.find_map(|folder| in_memory(&folder, subject).err()));
    match bad {
        Some(failure) => {
            let todo = "put the file or the folder itself there: what is behind such a link is not written";
            Finding::bad(failure.message, todo)
        }
        None if linked.is_empty() => Finding::good("no top folder is a link"),
        None => Finding::note(linked.join("; ")),
    }
}

/// The links of a memory folder: itself, and in it what is ours.
fn in_memory(folder: &Path, subject: &Subject) -> Result<(), Failure> {
    let is_ours = |name: &str| {
        name == ".state" || name == archive::FOLDER || [".md", ".jsonl"].iter().any(|end| name.ends_with(end))
    };
    let names = file::names(folder).unwrap_or_default().into_iter().filter(|name| is_ours(&name.to_string_lossy()));
    store::inside(folder, &subject.home, subject.settings)?;
    let nowhere = || led_away(folder.parent()?, vec![folder.to_path_buf()], false).filter(|_| !folder.exists());
    nowhere().or_else(|| led_away(folder, names.map(|name| folder.join(name)).collect(), true)).map_or(Ok(()), Err)
}

/// Why a link among these paths, or with `deep` below them, is refused by every tool that writes below `top`.
fn led_away(top: &Path, mut left: Vec<PathBuf>, deep: bool) -> Option<Failure> {
    let root = Root::new(top);
    for _ in 0..FILES {
        let path = left.pop()?;
        let Ok(data) = path.symlink_metadata() else { continue };
        if data.is_symlink() {
            let led = match path.metadata() {
                Err(_) => Err(Failure::data(format!("{} leads nowhere", path.display()))),
                Ok(data) if data.is_dir() => root.inside(&path).map(drop),
                Ok(_) => root.file(&path).map(drop),
            };
            if let Err(failure) = led {
                return Some(failure);
            }
        } else if deep && data.is_dir() {
            left.extend(file::names(&path).unwrap_or_default().into_iter().map(|name| path.join(name)));
        }
    }
    None
}

/// No other user can read what is ours.
pub fn rights(subject: &Subject) -> Finding {
    let (open, all) = setup::open_to_others(&subject.home);
    match open.as_slice() {
        [] if !all => Finding::note("of the first 50,000 files none can be read by others"),
        [] => Finding::good("no other user can read queue, logs and memory"),
        [one] => {
            let one = one.display();
            Finding::bad(format!("others can read {one}"), format!("chmod go= '{one}'"))
        }
        [one, ..] => Finding::bad(
            format!("others can read {} and {} more", one.display(), open.len() - 1),
            "take the rights of others away: chmod -R go=".to_owned() + " queue, logs and memory",
        ),
    }
}
