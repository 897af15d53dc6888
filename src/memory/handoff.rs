//! handoff.md: what is still open. It belongs to the newest transcript: an older one never replaces
//! it, and one whose distiller saw another handoff than stands there is united with it. The newest
//! transcript's time is kept in `.state/handoff`, since an empty handoff is no file.

use crate::clock;
use crate::exit::Failure;
use crate::file::{self, Durable};
use crate::front::Front;
use crate::lesson::{self, Gist, Item};
use crate::text;
use jiff::Timestamp;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The hash of "there was no handoff".
pub const NO_BASE: &str = "none";

/// A handoff as it stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Handoff {
    /// The open items.
    pub items: Vec<String>,
    /// Whose it is; none for the predecessor's.
    pub session_id: Option<String>,
    /// When it was written; none for the predecessor's.
    pub written_at: Option<Timestamp>,
    /// The time of its transcript; none for the predecessor's.
    pub source_mtime: Option<Timestamp>,
    /// The hash of the file, or [`NO_BASE`].
    pub base: String,
}

/// A handoff that a session gives.
pub struct Given<'a> {
    /// The open items; none removes the file.
    pub items: &'a [Item],
    /// The session.
    pub session_id: &'a str,
    /// The time of its transcript.
    pub source_mtime: Timestamp,
    /// The hash of the handoff that its distiller saw.
    pub base: &'a str,
    /// The first line.
    pub heading: &'a str,
    /// Written without a model: never over another session's.
    pub slim: bool,
}

/// What became of a handoff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Put {
    /// It stands there now.
    Written,
    /// Nothing is open: the file is gone.
    Removed,
    /// What stood there stands: the same, or a newer one.
    Unchanged,
}

/// The handoff's file.
pub fn path(memory: &Path) -> PathBuf {
    memory.join("handoff.md")
}

/// The handoff that stands in a memory folder.
pub fn read(memory: &Path) -> Result<Handoff, Failure> {
    let Some(bytes) = file::read(&path(memory))? else {
        return Ok(Handoff { base: NO_BASE.to_owned(), ..Handoff::default() });
    };
    let front = Front::parse(&String::from_utf8_lossy(&bytes));
    // Whatever a person wrote there is open too, in a list or not; only the heading is no item.
    let heading = |line: &&str| !line.starts_with(['-', '*', '+']) && line.ends_with(':');
    let lines = front.body.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = front.body.lines().map(str::trim).find(|line| !line.is_empty()).filter(heading);
    let items = lines.skip(usize::from(first.is_some())).map(|line| line.trim_start_matches(['-', '*', '+']).trim());
    Ok(Handoff {
        items: items.filter(|item| !item.is_empty()).map(str::to_owned).collect(),
        session_id: front.get("session_id").map(str::to_owned),
        written_at: front.get("written_at").and_then(clock::parse),
        source_mtime: front.get("source_mtime").and_then(clock::parse),
        base: lesson::hash(&bytes),
    })
}

/// Puts a session's handoff in place; the caller holds the folder's lock.
pub fn put(memory: &Path, given: &Given<'_>) -> Result<Put, Failure> {
    super::own_file(memory, "handoff.md")?;
    super::own_file(memory, ".state/handoff")?;
    let present = read(memory)?;
    let newest = newest(memory)?;
    let own = present.session_id.as_deref() == Some(given.session_id);
    if newest.is_some_and(|newest| newest > given.source_mtime) {
        return Ok(Put::Unchanged);
    }
    // A slim one takes the place of nothing but a slim one of its own session.
    if given.slim && present.base != NO_BASE && !(own && present.items.iter().all(|item| is_slim(item))) {
        return Ok(Put::Unchanged);
    }
    let mut items: Vec<String> = Vec::new();
    if present.base != given.base && !given.slim {
        items.clone_from(&present.items);
    }
    let mut gists: Vec<Gist> = items.iter().map(|item| Gist::of_text(item)).collect();
    for item in given.items {
        let line = text::one_line(item.summary.trim()).into_owned();
        let gist = Gist::of_text(&line);
        let known = items.contains(&line) || gists.iter().any(|known| gist.is_near(known, false));
        if !line.is_empty() && !known {
            items.push(line);
            gists.push(gist);
        }
    }
    if own && items == present.items || items.is_empty() && present.base == NO_BASE {
        return remember(memory, given).map(|()| Put::Unchanged);
    }
    remember(memory, given)?;
    if items.is_empty() {
        return file::remove(&path(memory)).map(|()| Put::Removed);
    }
    file::replace(&path(memory), page(given, &items).as_bytes(), Durable::Yes).map(|()| Put::Written)
}

/// How the lines of a slim handoff begin.
pub const SLIM: [&str; 3] = ["branch: ", "last prompt: ", "files touched: "];

fn is_slim(item: &str) -> bool {
    SLIM.iter().any(|start| item.starts_with(start))
}

fn page(given: &Given<'_>, items: &[String]) -> String {
    let written_at = clock::local(clock::now());
    let mut page = format!(
        "---\nsession_id: {}\nwritten_at: {written_at}\nsource_mtime: {}\n---\n{}\n",
        crate::front::plain(given.session_id),
        given.source_mtime,
        given.heading
    );
    for item in items {
        let _ = writeln!(page, "- {item}");
    }
    page
}

/// The time of the newest transcript that had a say; from the file itself where we kept none. One
/// from the future, of a clock that was wrong, has none.
pub fn newest(memory: &Path) -> Result<Option<Timestamp>, Failure> {
    let tomorrow = clock::after(clock::now(), 86_400);
    let kept = file::read_text(&memory.join(".state/handoff"))?.and_then(|text| clock::parse(&text));
    let page = file::read_text(&path(memory))?.map(|text| Front::parse(&text));
    let written = page.as_ref().and_then(|front| front.get("source_mtime")).and_then(clock::parse);
    Ok([kept, written].into_iter().flatten().filter(|time| *time < tomorrow).max())
}

fn remember(memory: &Path, given: &Given<'_>) -> Result<(), Failure> {
    let line = format!("{}\n", given.source_mtime);
    file::replace(&memory.join(".state/handoff"), line.as_bytes(), Durable::No)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Home(tempfile::TempDir);

    impl Home {
        fn new() -> Self {
            let home = Self(tempfile::tempdir().unwrap());
            file::create_folder(&home.0.path().join(".state")).unwrap();
            home
        }

        fn put(&self, session: &str, mtime: &str, base: &str, items: &[&str], slim: bool) -> Put {
            let items: Vec<Item> =
                items.iter().map(|item| Item { summary: (*item).to_owned(), ..Item::default() }).collect();
            let source_mtime = clock::parse(mtime).unwrap();
            let given = Given { items: &items, session_id: session, source_mtime, base, heading: "Open:", slim };
            put(self.0.path(), &given).unwrap()
        }

        fn items(&self) -> Vec<String> {
            read(self.0.path()).unwrap().items
        }

        fn base(&self) -> String {
            read(self.0.path()).unwrap().base
        }
    }

    const EARLY: &str = "2026-04-13T10:00:00Z";
    const LATE: &str = "2026-04-13T11:00:00Z";

    #[test]
    fn an_older_transcript_never_replaces_a_newer_ones_handoff() {
        let home = Home::new();
        assert_eq!(home.put("b", LATE, NO_BASE, &["write the docs"], false), Put::Written);
        assert_eq!(home.put("a", EARLY, NO_BASE, &["mend the build"], false), Put::Unchanged);
        assert_eq!(home.items(), ["write the docs"]);
        assert_eq!(home.put("b", LATE, &home.base(), &[], false), Put::Removed);
        assert_eq!(home.put("a", EARLY, NO_BASE, &["mend the build"], false), Put::Unchanged);
        assert!(!path(home.0.path()).exists());
    }

    #[test]
    fn what_the_distiller_did_not_see_is_united() {
        let home = Home::new();
        home.put("a", EARLY, NO_BASE, &["write the docs"], false);
        let seen = home.base();
        assert_eq!(home.put("b", LATE, "another", &["mend the build", "write the doc"], false), Put::Written);
        assert_eq!(home.items(), ["write the docs", "mend the build"]);
        assert_eq!(home.put("c", LATE, &seen, &["ship"], false), Put::Written);
        assert_eq!(home.items(), ["write the docs", "mend the build", "ship"]);
        assert_eq!(home.put("c", LATE, &home.base(), &["ship"], false), Put::Written);
        assert_eq!(home.items(), ["ship"]);
    }

    #[test]
    fn a_time_in_the_future_closes_nothing_and_a_persons_lines_stay() {
        let home = Home::new();
        home.put("a", "2099-01-01T00:00:00Z", NO_BASE, &["from the future"], false);
        assert_eq!(home.put("b", LATE, &home.base(), &["ship"], false), Put::Written);
        let mine = "Open:\n- one\n* two\nthree, in prose: yes\n";
        std::fs::write(path(home.0.path()), mine).unwrap();
        assert_eq!(home.put("c", LATE, "another", &["four"], false), Put::Written);
        assert_eq!(home.items(), ["one", "two", "three, in prose: yes", "four"]);
    }

    #[test]
    fn the_same_again_changes_no_byte() {
        let home = Home::new();
        home.put("a", EARLY, NO_BASE, &["write the docs"], false);
        let before = home.base();
        assert_eq!(home.put("a", EARLY, NO_BASE, &["write the docs"], false), Put::Unchanged);
        assert_eq!(home.base(), before);
    }

    #[test]
    fn a_slim_one_never_stands_over_another_sessions() {
        let home = Home::new();
        home.put("a", EARLY, NO_BASE, &["write the docs"], false);
        assert_eq!(home.put("b", LATE, NO_BASE, &["last prompt: hi"], true), Put::Unchanged);
        assert_eq!(home.items(), ["write the docs"]);
        assert_eq!(home.put("a", LATE, NO_BASE, &["last prompt: hi"], true), Put::Unchanged);
        assert_eq!(home.put("a", LATE, &home.base(), &[], false), Put::Removed);
        assert_eq!(home.put("a", LATE, NO_BASE, &["last prompt: hi"], true), Put::Written);
        assert_eq!(home.put("a", LATE, NO_BASE, &["last prompt: ho"], true), Put::Written);
        assert_eq!(home.items(), ["last prompt: ho"]);
    }
}
