//! What the files of a home and of the memory are: readable, writable, where they belong, and closed to other users.

use super::state::ago;
use super::{Checked, Subject, bad, failed, good, note};
use crate::agent::{layout, memory_dirs};
use crate::base::exit::Failure;
use crate::base::file::{self, Root, modified};
use crate::record::item::ItemKind;
use crate::store::{self, archive, journal, memories};
use crate::tool::{health, setup};
use std::path::{Path, PathBuf};

/// What lh-persist opens can be opened, each line of the journals' ends can be read, and when the last item was written.
pub fn memory(subject: &Subject) -> Checked {
    let (mut newest, mut bad_files, mut torn) = (None, Vec::new(), Vec::new());
    let is_torn = |line: &&str| serde_json::from_str::<serde::de::IgnoredAny>(line).is_err();
    for folder in store::all(&subject.home, subject.settings) {
        let opened = health::memory(&folder).and_then(|()| memories::index::bytes(&folder).map(drop));
        bad_files.extend(opened.err().map(|failure| failure.message));
        let kinds = ItemKind::ALL.into_iter().filter(|kind| *kind != ItemKind::Learning);
        for path in kinds.flat_map(|kind| journal::files(&[&folder], kind, true)) {
            newest = newest.max(modified(&path));
            match file::read_tail(&path, 64 << 10).map(|text| text.lines().filter(is_torn).count()) {
                Ok(0) => {}
                Ok(count) => torn.push(format!("{}: {count} lines cannot be read", path.display())),
                Err(failure) if bad_files.contains(&failure.message) => {}
                Err(failure) => bad_files.push(failure.message),
            }
        }
    }
    if !bad_files.is_empty() {
        let todo = "until then its project's sessions are not remembered: mend its rights, or move it away";
        return bad(bad_files.join("; "), todo);
    }
    if !torn.is_empty() {
        return bad(torn.join("; "), "they are skipped: mend them");
    }
    let Some(time) = newest else { return note("nothing is remembered yet") };
    good(format!("last written {}", ago(time)))
}

/// A top folder may be a link of its user's, and leads where that says; a link below it that leads out is
/// refused by every tool.
pub fn links(subject: &Subject) -> Checked {
    let (home, knowledge) = (&subject.home, subject.settings.knowledge_folder().map_err(failed("mend that"))?);
    let todo = "put the file or the folder itself there: what is behind such a link is not written";
    // What is in the folder of memory is looked at by project.
    let memory = Some(home.join("memory")).filter(|memory| memory.is_symlink());
    let tops = ["queue", "logs"].map(|name| home.join(name)).into_iter().chain(memory);
    led_away(home, tops.collect()).map_err(failed(todo))?;
    // A learnings folder elsewhere is where its user wants it.
    let pages = [subject.settings.sessions_folder(), subject.settings.learnings_folder()];
    let pages = pages.into_iter().flatten().filter(|folder| folder.starts_with(&knowledge)).collect();
    led_away(&knowledge, pages).map_err(failed(todo))?;
    for folder in memory_dirs::all(home, subject.settings) {
        in_memory(&folder, subject).map_err(failed(todo))?;
    }
    let mut linked = Vec::new();
    for top in [home, &layout::projects(home), &knowledge].into_iter().map(PathBuf::as_path).chain(knowledge.parent()) {
        if top.is_symlink() {
            linked.push(format!("{} leads to {}", top.display(), file::real_path(top).display()));
        }
    }
    if linked.is_empty() { good("no top folder is a link") } else { note(linked.join("; ")) }
}

/// The links of a memory folder: itself, and in it what is ours.
fn in_memory(folder: &Path, subject: &Subject) -> Result<(), Failure> {
    store::inside(folder, &subject.home, subject.settings)?;
    if let Some(above) = folder.parent().filter(|_| !folder.exists()) {
        led_away(above, vec![folder.to_path_buf()])?;
    }
    let is_ours = |name: &str| {
        name == ".state" || name == archive::FOLDER || [".md", ".jsonl"].iter().any(|end| name.ends_with(end))
    };
    let names = file::names(folder).unwrap_or_else(|_| Vec::new()).into_iter();
    let ours = names.filter(|name| is_ours(&name.to_string_lossy())).map(|name| folder.join(name));
    led_away(folder, ours.collect())
}

/// Why a link in these places or below them is refused by every tool that writes below `top`.
fn led_away(top: &Path, places: Vec<PathBuf>) -> Result<(), Failure> {
    let root = Root::new(top);
    for (path, _) in setup::all_below(places).filter(|(_, data)| data.is_symlink()) {
        match path.metadata() {
            Err(_) => return Err(Failure::data(format!("{} leads nowhere", path.display()))),
            Ok(data) if data.is_dir() => _ = root.inside(&path)?,
            Ok(_) => _ = root.file(&path)?,
        }
    }
    Ok(())
}

/// No other user can read what is ours.
pub fn rights(subject: &Subject) -> Checked {
    match setup::open_to_others(&subject.home).as_slice() {
        [] => good("no other user can read queue, logs and memory"),
        [one] => bad(format!("others can read {}", one.display()), format!("chmod go= '{}'", one.display())),
        [one, rest @ ..] => bad(
            format!("others can read {} and {} more", one.display(), rest.len()),
            "take the rights of others away: chmod -R go= queue, logs and memory",
        ),
    }
}
