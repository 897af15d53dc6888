//! The episodes of a memory, `episodes/session-<id>.json`, one file a session, and `INDEX.md`, their menu with a line
//! each. The files are the truth: the menu is made anew of them at each change, so what was killed in between is mended
//! by the next one. Lines of the menu that are not ours stay as they are, in their order.

use super::Memory;
use super::archive;
use crate::agent::injected;
use crate::base::exit::Failure;
use crate::base::file::{self, Durable, Root};
use crate::base::masked::Masked;
use crate::base::{clock, log, record};
use crate::record::episode::{self, Episode};
use crate::record::session::safe_id;
use crate::redact::Redactor;
use jiff::Timestamp;
use std::collections::HashSet;
use std::path::Path;

/// The menu, and the folder of the episodes.
pub const INDEX: &str = "INDEX.md";
/// See [`INDEX`].
pub const FOLDER: &str = "episodes";
/// Its headings.
const TITLE: &str = "# Session Memory Index";
const RECENT: &str = "## Recent Episodes (newest first)";
/// What a line of ours begins with, before the id, and what is behind the id.
const MARK: (&str, &str) = ("- `episodes/session-", ".json` - ");
/// No new episode for a session that ended before so long.
pub const KEPT_SECONDS: i64 = 90 * 86_400;
/// A longer file is not an episode.
pub const BYTES: u64 = 64 << 10;

/// The name of a session's episode below a memory folder.
pub fn name(session_id: &str) -> String {
    format!("{FOLDER}/session-{}.json", safe_id(session_id))
}

/// The episode of a session, wherever in a memory it is.
pub fn of_session(memory: &Memory, session_id: &str) -> Result<Option<Episode>, Failure> {
    for folder in memory.folders() {
        if let Some(episode) = read(folder, &name(session_id))? {
            return Ok(Some(episode));
        }
    }
    Ok(None)
}

/// Whether a session that ended then may get an episode: none of it was taken out, and it did not end too long ago.
pub fn wanted(memory: &Memory, session_id: &str, ended: Option<Timestamp>, now: Timestamp) -> bool {
    let is_old = ended.is_some_and(|ended| clock::seconds_between(ended, now) > KEPT_SECONDS);
    !is_old && !memory.folders().any(|folder| archive::has(folder, &name(session_id)))
}

/// Keeps an episode, whose texts may be shown, and brings the menu to it; whether it is another than before.
pub fn put(folder: &Path, episode: &Episode, redactor: &Redactor) -> Result<bool, Failure> {
    let name = name(&episode.session_id);
    let target = super::own_file(folder, &name)?;
    super::own_file(folder, INDEX)?;
    let _lock = super::lock(folder)?;
    let own = Root::real(folder).folder(FOLDER)?;
    file::remove_leftovers(&own, None);
    let json = redactor.masked_json(&record::json_line(episode)?);
    let is_new = file::read(&target)?.is_none_or(|known| known != json.bytes());
    if is_new {
        file::replace(&target, &json, Durable::Yes)?;
    }
    write_index(folder, redactor)?;
    Ok(is_new)
}

/// At most so many episodes of folders, those whose files were changed last, the newest first, a session's once. Others
/// are not read.
pub fn newest<'f>(folders: impl IntoIterator<Item = &'f Path>, most: usize) -> Result<Vec<Episode>, Failure> {
    let mut files = files(folders)?;
    files.sort_by_cached_key(|(folder, name)| std::cmp::Reverse(file::modified(&folder.join(name))));
    files.truncate(most);
    Ok(read_all(&files).0)
}

/// The episodes of folders, the newest first, a session's once; and how many files could not be read.
pub fn list<'f>(folders: impl IntoIterator<Item = &'f Path>) -> Result<(Vec<Episode>, usize), Failure> {
    Ok(read_all(&files(folders)?))
}

/// The files of the episodes, each with the folder of its memory.
fn files<'f>(folders: impl IntoIterator<Item = &'f Path>) -> Result<Vec<(&'f Path, String)>, Failure> {
    let mut found = Vec::new();
    for folder in folders {
        found.extend(names(folder)?.into_iter().map(|name| (folder, format!("{FOLDER}/{name}"))));
    }
    Ok(found)
}

fn read_all(files: &[(&Path, String)]) -> (Vec<Episode>, usize) {
    let mut known = HashSet::new();
    let mut found: Vec<Episode> = files.iter().filter_map(|(folder, name)| read(folder, name).ok().flatten()).collect();
    let bad = files.len() - found.len();
    found.retain(|one| known.insert(one.session_id.clone()));
    found.sort_by_cached_key(episode::order);
    (found, bad)
}

/// The names of a folder's episodes.
pub fn names(folder: &Path) -> Result<Vec<String>, Failure> {
    let names = file::names(&folder.join(FOLDER))?.into_iter().filter_map(|name| name.into_string().ok());
    let id = |name: &str| name.strip_suffix(".json").and_then(|name| name.strip_prefix("session-")).map(str::to_owned);
    let is_one = |name: &String| id(name).is_some_and(|id| safe_id(&id) == id);
    Ok(names.filter(is_one).collect())
}

/// One episode by its name; none where it is not there, or none.
fn read(folder: &Path, name: &str) -> Result<Option<Episode>, Failure> {
    let bytes = file::read_at_most(&Root::real(folder).file(name)?, BYTES)?;
    Ok(bytes.and_then(|bytes| Episode::parse(str::from_utf8(&bytes).ok()?)).filter(|one| !one.session_id.is_empty()))
}

/// The lines of ours, as they should be.
fn lines(folder: &Path, redactor: &Redactor) -> Result<Vec<String>, Failure> {
    let (all, bad) = list([folder])?;
    if bad > 0 {
        log::say("lh", &format!("{}: {bad} files that are not episodes", folder.join(FOLDER).display()));
    }
    let of =
        |one: &Episode| format!("- `{}` - {}", name(&one.session_id), injected::line(&redactor.shown(&one.summary())));
    Ok(all.iter().map(of).collect())
}

/// The file that a line of ours is of.
fn linked(line: &str) -> Option<String> {
    let (id, _) = line.strip_prefix(MARK.0)?.split_once(MARK.1)?;
    Some(format!("{FOLDER}/session-{id}.json"))
}

/// A menu with these lines of ours, behind their heading; all other lines stay.
fn edited(menu: &[u8], lines: &[String]) -> Vec<u8> {
    let text = |line: &[u8]| String::from_utf8_lossy(line).trim_end().to_owned();
    let mut theirs: Vec<&[u8]> = menu.split_inclusive(|byte| *byte == b'\n').collect();
    theirs.retain(|line| linked(&text(line)).is_none());
    if lines.is_empty() {
        return theirs.concat();
    }
    let ending = if theirs.first().is_some_and(|line| line.ends_with(b"\r\n")) { "\r\n" } else { "\n" };
    let heading = theirs.iter().position(|line| text(line) == RECENT);
    let (above, below) = theirs.split_at(heading.map_or(theirs.len(), |at| at + 1));
    let mut new = above.concat();
    if !new.is_empty() && !new.ends_with(b"\n") {
        new.extend(ending.bytes());
    }
    let headings: &[&str] = match heading {
        Some(_) => &[],
        None if above.iter().any(|line| text(line) == TITLE) => &[RECENT],
        None => &[TITLE, RECENT],
    };
    for line in headings.iter().copied().chain(lines.iter().map(String::as_str)) {
        new.extend(format!("{line}{ending}").bytes());
    }
    [new, below.concat()].concat()
}

/// Brings the menu of a folder to its episodes; the caller holds the folder's lock.
pub fn write_index(folder: &Path, redactor: &Redactor) -> Result<(), Failure> {
    let lines = lines(folder, redactor)?;
    file::rewrite(&super::own_file(folder, INDEX)?, |menu| {
        let menu = menu.unwrap_or_default();
        let new = edited(menu, &lines);
        (new != menu).then(|| Masked::exact(new))
    })
}

/// The same for a caller without the lock. A `dry` run changes nothing and gives what the menu would be.
pub fn rebuild(folder: &Path, dry: bool, redactor: &Redactor) -> Result<Vec<u8>, Failure> {
    if dry {
        let menu = file::read(&folder.join(INDEX))?.unwrap_or_default();
        return Ok(edited(&menu, &lines(folder, redactor)?));
    }
    if folder.join(FOLDER).is_dir() || folder.join(INDEX).exists() {
        let _lock = super::lock(folder)?;
        write_index(folder, redactor)?;
    }
    Ok(Vec::new())
}

/// What is wrong with a menu, a line each.
pub fn check(folder: &Path) -> Result<Vec<String>, Failure> {
    let menu = file::read_text(&folder.join(INDEX))?.unwrap_or_default();
    let (mut found, mut known) = (Vec::new(), HashSet::new());
    for (number, line) in menu.lines().enumerate() {
        let Some(file) = linked(line) else { continue };
        let number = number + 1;
        if !folder.join(&file).exists() {
            found.push(format!("{INDEX}:{number}: links to '{file}', which is not there"));
        }
        if !known.insert(file.clone()) {
            found.push(format!("{INDEX}:{number}: another line links to '{file}', too"));
        }
    }
    for name in names(folder)? {
        let file = format!("{FOLDER}/{name}");
        match read(folder, &file) {
            Ok(None) | Err(_) => found.push(format!("{file}: not an episode")),
            Ok(Some(_)) if known.contains(&file) => {}
            Ok(Some(_)) => found.push(format!("{file}: {INDEX} has no line for it")),
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::episode::Ended;
    use crate::redact::redactor;

    fn one(id: &str, ended_at: &str) -> Episode {
        Episode {
            session_id: id.to_owned(),
            what_was_done: format!("Work of {id}"),
            outcome: Ended::Completed,
            ended_at: ended_at.to_owned(),
            ..Episode::default()
        }
    }

    #[test]
    fn the_menu_has_each_episode_and_what_others_wrote() {
        let folder = tempfile::tempdir().unwrap();
        let redactor = redactor();
        let put = |one: &Episode| put(folder.path(), one, &redactor).unwrap();
        let menu = || std::fs::read_to_string(folder.path().join(INDEX)).unwrap();
        let (old, new) = (one("a", "2026-04-13T12:00:00Z"), one("b", "2026-04-14T12:00:00Z"));
        assert!(put(&new) && put(&old) && !put(&old));
        let lines = |id: &str| format!("- `episodes/session-{id}.json` - Work of {id}\n");
        assert_eq!(menu(), format!("{TITLE}\n{RECENT}\n{}{}", lines("b"), lines("a")));
        // A person's lines, also between ours.
        let theirs = format!("mine\r\n{TITLE}\n{RECENT}\n{}- see `x.md`\n{}## Mine\nlast", lines("b"), lines("gone"));
        std::fs::write(folder.path().join(INDEX), theirs).unwrap();
        assert!(check(folder.path()).unwrap().len() == 2, "{:?}", check(folder.path()));
        rebuild(folder.path(), false, &redactor).unwrap();
        let ours = [lines("b"), lines("a")].concat().replace('\n', "\r\n");
        assert_eq!(menu(), format!("mine\r\n{TITLE}\n{RECENT}\n{ours}- see `x.md`\n## Mine\nlast"));
        assert_eq!(check(folder.path()).unwrap(), Vec::<String>::new());
        // A file that is not an episode is counted, and hides none.
        std::fs::write(folder.path().join("episodes/session-bad.json"), "{").unwrap();
        let (all, bad) = list([folder.path()]).unwrap();
        assert_eq!((all, bad), (vec![new, old], 1));
    }
}
