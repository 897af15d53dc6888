use super::*;
use crate::base::cases::rows;
use crate::redact;
use crate::store::handoff;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

thread_local! {
    /// After so many more steps that change the disk the tool is killed: it does nothing more.
    static LEFT: Cell<usize> = const { Cell::new(usize::MAX) };
    static REDACTOR: &'static Redactor = Box::leak(Box::new(redact::redactor()));
}

/// Before each step that changes the disk.
pub fn may_be_killed() -> Result<(), Failure> {
    let left = LEFT.get();
    LEFT.set(left.saturating_sub(usize::from(left < usize::MAX)));
    if left == 0 { Err(Failure::new(Exit::Command(137), "killed")) } else { Ok(()) }
}

fn killed<T>(steps: usize, run: impl FnOnce() -> T) -> T {
    LEFT.set(steps);
    let result = run();
    LEFT.set(usize::MAX);
    result
}

fn redactor() -> &'static Redactor {
    REDACTOR.with(|redactor| *redactor)
}

struct MoveHome(tempfile::TempDir);

impl MoveHome {
    fn two() -> Self {
        // In memory, if there is a place: there are thousands of syncs in these tests.
        let home = Self(tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap());
        home.fill("from", "ann", 3);
        home.fill("to", "bob", 2);
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(name)
    }

    /// Written so many hours after 1970 began.
    fn write(&self, name: &str, text: &str, hour: u64) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(hour * 3600);
        std::fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
    }

    /// All files below a folder, but for locks.
    fn tree(&self, folder: &str) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.path(folder)];
        while let Some(folder) = folders.pop() {
            for path in std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()) {
                if path.is_dir() && !path.is_symlink() {
                    folders.push(path);
                } else if !path.ends_with("lock") {
                    found.insert(path.clone(), std::fs::read(&path).unwrap_or_default());
                }
            }
        }
        found
    }

    fn both(&self) -> [Vec<String>; 2] {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        ["from", "to"].map(|folder| self.tree(folder).into_values().map(text).collect())
    }

    fn relocate(&self) -> Result<PathBuf, Failure> {
        relocate(&self.path("from"), &self.path("to"), &self.path("moves"), redactor())
    }

    /// A memory with one of each kind.
    fn fill(&self, folder: &str, of: &str, hour: u64) {
        for [name, text] in rows(include_str!("memory.tsv")) {
            let item = if of == "bob" { "paint" } else { "tell" };
            // Ann closed what Bob has open.
            let closed = if of == "bob" { "" } else { "{\"text\":\"paint\",OF,\"by\":\"ann\",\"at\":\"DAY:08:00Z\"}" };
            let text = text.replace("CLOSED", closed).replace("ITEM", item);
            let text = text.replace("OF", "\"session_id\":\"@\",\"source_mtime\":\"DAY:08:00Z\"");
            let [name, text] = [name, text].map(|text| text.replace('@', of));
            self.write(&format!("{folder}/{name}"), &text.replace("DAY", &format!("2026-01-01T{hour:02}")), hour);
        }
    }
}

/// What was said, and is in none of these folders.
fn lost(home: &MoveHome, folders: &[&str]) -> Vec<String> {
    let all: Vec<u8> = folders.iter().flat_map(|folder| home.tree(folder).into_values().flatten()).collect();
    let all = String::from_utf8(all).unwrap();
    let facts =
        "{} one|{\"torn of {}|{} failure|{} memory|briefing of {}|episode of {}|archived of {}|Goal: {}|what {} began";
    let both = ["ann", "bob"].map(|who| facts.replace("{}", who)).join("|");
    both.split('|').filter(|fact| !all.contains(fact)).map(str::to_owned).collect()
}

/// The same move and the same undo, whole and killed at each step, once and again.
#[test]
fn what_is_killed_anywhere_ends_as_if_it_had_not_been() {
    let whole = MoveHome::two();
    let before = whole.both();
    let receipt = whole.relocate().unwrap();
    let moved = whole.both();
    assert_eq!((lost(&whole, &["to", "moves"]), moved[0].len()), (Vec::new(), 1));
    let open = handoff::read(&whole.path("to")).unwrap().items;
    assert_eq!(open, ["ship what ann began", "tell", "ship what bob began"], "what was closed since stays closed");
    assert_eq!(undo(&receipt, redactor()).unwrap(), Vec::<PathBuf>::new());
    assert_eq!(whole.both(), before);
    for steps in 0.. {
        let home = MoveHome::two();
        let is_killed = killed(steps, || home.relocate()).is_err();
        assert_eq!(lost(&home, &["from", "to", "moves"]), [""; 0], "killed at step {steps}");
        let _ = killed(steps / 2, || home.relocate());
        let again = home.relocate();
        assert!(again.as_ref().err().is_none_or(|failure| failure.exit == Exit::No), "{steps}: {again:?}");
        assert_eq!(home.both(), moved, "killed at step {steps}");
        let receipt = all(&home.path("moves")).unwrap().pop().unwrap().file;
        let is_undone = killed(steps, || undo(&receipt, redactor())).is_ok();
        assert_eq!(lost(&home, &["from", "to", "moves"]), [""; 0], "undo killed at step {steps}");
        assert!(is_undone || undo(&receipt, redactor()).is_ok());
        assert_eq!(home.both(), before, "undo killed at step {steps}");
        if !is_killed && is_undone {
            return assert!(steps > 30, "{steps}");
        }
    }
}

/// Later lines and pages stay at `to`.
#[test]
fn an_undo_leaves_what_is_later() {
    let home = MoveHome::two();
    let before: BTreeMap<_, _> = home.tree("from").into_iter().chain(home.tree("to")).collect();
    let path = home.relocate().unwrap();
    let failures = String::from_utf8(std::fs::read(home.path("to/failures.jsonl")).unwrap()).unwrap();
    home.write("to/failures.jsonl", &(failures + "{\"late\":1}\n"), 9);
    home.write("to/briefing.md", "a later briefing\n", 9);
    let stayed = undo(&path, redactor()).unwrap();
    assert_eq!(stayed, ["briefing.md", "failures.jsonl"].map(|name| home.path("to").join(name)));
    let mut now = [home.tree("from"), home.tree("to")];
    let mut text = |at: usize, name: &str| String::from_utf8(now[at].remove(&home.path(name)).unwrap()).unwrap();
    let late = text(1, "to/failures.jsonl");
    assert!(late.contains("bob") && late.ends_with("{\"late\":1}\n") && !late.contains("ann"), "{late}");
    assert_eq!([text(0, "from/briefing.md"), text(1, "to/briefing.md")], ["a later briefing\n"; 2]);
    for (name, tree) in now.iter().flatten() {
        assert_eq!(before.get(name), Some(tree), "{}", name.display());
    }
    assert_eq!(undo(&path, redactor()).unwrap_err().exit, Exit::Data);
}

#[test]
fn what_leads_out_stops_the_move_before_it_begins() {
    for folder in ["from", "to"] {
        for name in ["decisions.jsonl", ".state/handoff", "episodes", ".archive", "failures.jsonl"] {
            let home = MoveHome::two();
            let path = home.path(&format!("{folder}/{name}"));
            let _ = std::fs::remove_dir_all(&path).or_else(|_| std::fs::remove_file(&path));
            home.write("elsewhere/x", "{}\n", 1);
            let target = if ["episodes", ".archive"].contains(&name) { "elsewhere" } else { "elsewhere/x" };
            std::os::unix::fs::symlink(home.path(target), &path).unwrap();
            let before = home.both();
            assert_eq!(home.relocate().unwrap_err().exit, Exit::Data, "{folder}/{name}");
            assert!(home.both() == before && all(&home.path("moves")).unwrap().is_empty(), "{folder}/{name}");
        }
    }
}
